// Leaves behind everything that a test can leave: a server, its PostgreSQL, and a folder outside the run's own.

import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, inject, it } from 'vitest'
import { startServer } from '#tests/cli/support.ts'
import { newDataDir, postmasterPid } from '#tests/postgres/embedded/support.ts'

const elsewhere = process.env['ELSEWHERE'] ?? ''

it('goes on for ever', async () => {
  const dataDir = await newDataDir({ parent: elsewhere })
  const server = await startServer({ DATA_DIR: dataDir })
  const shared = path.join(inject('runFolder'), 'data', 'postgres', 'data', 'postmaster.pid')
  const postmasters = [await postmasterPid(dataDir), Number.parseInt(await readFile(shared, 'utf8'), 10)]
  await writeFile(path.join(elsewhere, 'ready.json'), JSON.stringify([process.pid, server.pid, ...postmasters]))
  await expect(new Promise(() => undefined)).resolves.toBe('over')
})
