// Turns on Node's compile cache, then loads the command. An import at the top would load before the cache is on. This file
// is JavaScript because Node would load its type stripper for one TypeScript file, a fifth of a command's start time.

import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'

enableCache(path.resolve(import.meta.dirname, '../../node_modules/.cache/manilla'))
await import('./command.ts')

/**
 * With the cache a command starts in half the time. The files in this folder run as code, so only this user may write
 * there. Node writes them when the process ends, each with a rename, and checks their checksums when it reads them. If
 * this user may not write there, there is no cache.
 */
function enableCache(/** @type {string} */ folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    return
  }
  enableCompileCache(folder)
}
