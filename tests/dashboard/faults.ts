// The complaints of a browser that are faults. On a busy machine the server may answer a read with 503, and the page
// repeats the read: the browser reports it, and the user sees nothing.

export function faultsAmong(complaints: readonly string[]): string[] {
  return complaints.filter((complaint) => !complaint.includes('status of 503'))
}
