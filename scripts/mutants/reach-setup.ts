// Runs in the process of each test file: remembers what the file reaches and what it costs, and hands it over at the end.

import fc from 'fast-check'
import { afterAll } from 'vitest'
import { listenToChoices } from './choices.ts'

declare global {
  var reached: Set<string> | undefined
}

declare module 'vitest' {
  // Merged with vitest's own: what a test file hands back.
  interface TaskMeta {
    reached?: string[]
    cpuMs?: number
    /** Something that it opened is still there, and would meet the next one. */
    leftBehind?: boolean
  }
}

globalThis.reached = new Set()
listenToChoices(globalThis.reached)
const cpuBefore = process.cpuUsage()
const openBefore = openSockets()

// A mutant that is noticed is noticed: nobody reads the smallest example. One that no example has shown by then is left to
// the tests that come after; on a quiet machine that is all examples of nearly every test.
fc.configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 20_000 })

// oxlint-disable-next-line no-empty-pattern -- vitest reads from it which fixtures are wanted, and wants a pattern.
afterAll(({}, file) => {
  file.meta.reached = [...(globalThis.reached ?? [])]
  const { user, system } = process.cpuUsage(cpuBefore)
  file.meta.cpuMs = Math.round((user + system) / 1_000)
  file.meta.leftBehind = openSockets() > openBefore
})

/** Connections, servers and pipes; a timer is there that is vitest's own. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length
}
