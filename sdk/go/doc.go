// Package manilla is the Go client of the Manilla payments API. It needs only the standard library.
//
// You give every payment a reference. Store it with the order, and use it for every attempt: the client retries requests by
// the rules of the API, and a reference never pays twice.
package manilla
