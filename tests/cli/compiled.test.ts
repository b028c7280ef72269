// A command loads only the files that it needs, and Node compiles them once.

import { stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { isRoot } from '#tests/postgres/embedded/support.ts'
import type { Ended, RunOptions } from '#tests/support/launch.ts'
import { ordinaryUid, root, startFromSource } from './support.ts'

const fromSource = async (args: string[], options: RunOptions): Promise<Ended> =>
  (await startFromSource(args, options)).ended

/** The command itself chooses the cache and its place. */
const untold = { NODE_COMPILE_CACHE: '' }
/** Node logs a line about its cache for each file that it reads. */
const told = { ...untold, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }

it('the compile cache is stored where no other user may write, and the next command uses it', async () => {
  expect(await fromSource(['--version'], { env: untold })).toMatchObject({ code: 0, stderr: '' })
  const { stdout, stderr } = await fromSource(['--version'], { env: told })
  expect(stdout + stderr).toMatch(/src\/cli\/program\.ts was accepted/)
  const { mode } = await stat(path.join(root, 'node_modules', '.cache', 'manilla'))
  expect(mode & 0o077).toBe(0)
})

it.runIf(isRoot)('a user who may not write there goes on without it', async () => {
  expect(await fromSource(['--version'], { env: untold, uid: ordinaryUid })).toMatchObject({ code: 0, stderr: '' })
})

it('a command reads neither the HTTP server nor the rooms that it has no use for', async () => {
  const { stdout, stderr } = await fromSource(['audit', 'list'], { env: { ...told, DATABASE_URL: 'nowhere' } })
  expect(stdout + stderr).toContain('/src/audit/list.ts')
  expect(stdout + stderr).not.toMatch(/\/src\/(http|payments|webhooks|worker)\/|\/app\.ts/)
})
