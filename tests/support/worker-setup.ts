// Runs before each test file, in a process that may have run other files before.

import { flushCompileCache } from 'node:module'
import { afterAll, inject } from 'vitest'
import { endFile } from './end-of-file.ts'
import { endAtOnce } from './ends-with-run.ts'
import { passWithNextFile } from './gate.ts'

process.off('disconnect', endAtOnce).once('disconnect', endAtOnce)

// Later processes use what Node compiled here. Node would store it when a process ends by itself, but vitest ends its
// processes by a signal.
afterAll(() => flushCompileCache())
afterAll(endFile)

const gate = inject('gate')
if (gate !== '') {
  const leave = await passWithNextFile(gate)
  afterAll(() => leave())
}
