// Runs before each test file, in a process that may have had others before.

import { flushCompileCache } from 'node:module'
import { afterAll, inject } from 'vitest'
import { endFile } from './end-of-file.ts'
import { endAtOnce } from './ends-with-run.ts'
import { passWithNextFile } from './gate.ts'

process.off('disconnect', endAtOnce).once('disconnect', endAtOnce)

// What Node compiled here serves the processes after this one. Node would keep it when the process ends by itself, and
// vitest ends it by a signal.
afterAll(() => flushCompileCache())
afterAll(endFile)

const gate = inject('gate')
if (gate !== '') {
  const leave = await passWithNextFile(gate)
  afterAll(() => leave())
}
