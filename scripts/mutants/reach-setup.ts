// Runs in the process of each test file: remembers what the file reaches, and hands it over at the end.

import { afterAll } from 'vitest'

declare global {
  var reached: Set<string> | undefined
}

declare module 'vitest' {
  // Merged with vitest's own: what a test file hands back.
  interface TaskMeta {
    reached?: string[]
  }
}

globalThis.reached = new Set()

// oxlint-disable-next-line no-empty-pattern -- vitest reads from it which fixtures are wanted, and wants a pattern.
afterAll(({}, file) => {
  file.meta.reached = [...(globalThis.reached ?? [])]
})
