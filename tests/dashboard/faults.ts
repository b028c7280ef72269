// What a browser complained of that is a fault. On a busy machine the server may answer 503 to a read, which the page
// asks again by itself: the browser writes it down, and nobody sees it.

export function faultsAmong(complaints: readonly string[]): string[] {
  return complaints.filter((complaint) => !complaint.includes('status of 503'))
}
