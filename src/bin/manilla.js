// The process: remembers what Node makes of its files, then hands over. What is imported at the top would be read before
// there is a memory. In plain JavaScript: for one file in TypeScript Node would load all that takes types out, a fifth of what a
// command takes to start.

import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'

rememberCompiled(path.resolve(import.meta.dirname, '../../node_modules/.cache/manilla'))
await import('./command.ts')

/**
 * A command starts in half the time when Node need not strip and compile its files anew. What lies in this folder is run
 * as code, so nobody else may write there, as nobody else may write the code beside it. Node writes when the process ends,
 * each file by its own rename, and compares checksums when it reads. Where this user may not write, there is no memory.
 */
function rememberCompiled(/** @type {string} */ folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    return
  }
  enableCompileCache(folder)
}
