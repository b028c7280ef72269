// Package manilla is the Go client of the Manilla payments API. It needs nothing but the standard library.
//
// Every payment has a reference of yours. Keep it with the order, and use it for every attempt: the client repeats
// requests by the rules of the API, and a reference never pays twice.
package manilla
