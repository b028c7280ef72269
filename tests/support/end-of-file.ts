// Lets a module of the tests end something when a test file ends. Files of a process share its modules, which are read
// once, so an `afterAll` at the top of a module would serve the first file alone (worker-setup.ts).

const ends = new Set<() => Promise<void>>()

/** Runs once, when the current file is over, also if it was given twice. */
export function whenFileEnds(end: () => Promise<void>): void {
  ends.add(end)
}

export async function endFile(): Promise<void> {
  const due = [...ends]
  ends.clear()
  for (const end of due) await end()
}
