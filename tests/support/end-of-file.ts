// What a module of tests must end when a test file ends. Files that share a process share its modules, which are read once,
// so `afterAll` at the top of a module would serve the first file alone (worker-setup.ts).

const ends = new Set<() => Promise<void>>()

/** Runs once, when the file that runs now is over. A function given twice runs once. */
export function whenFileEnds(end: () => Promise<void>): void {
  ends.add(end)
}

export async function endFile(): Promise<void> {
  const due = [...ends]
  ends.clear()
  for (const end of due) await end()
}
