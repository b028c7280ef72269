// bin/manilla.js runs between a supervisor and the server, and passes on every signal.

import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { postmasterPid } from '#tests/postgres/embedded/support.ts'
import { newMigratedDataDir, portOf, root, start } from './support.ts'

const starter = path.join(root, 'bin', 'manilla.js')

describe('the starter', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('takes the server and its PostgreSQL with it on %s', async (signal) => {
    const dataDir = await newMigratedDataDir()
    const running = await start([process.execPath, starter, 'serve'], { env: { DATA_DIR: dataDir, PORT: '0' } })
    const port = await portOf(running)
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
    running.signal(signal)
    // The output ends when the last process that may write it has ended, which is the server.
    const { stdout, code } = await running.ended
    expect(stdout).toMatch(/^stopping on SIGTERM …\nstopped$/m)
    expect(code).toBe(signal === 'SIGKILL' ? null : 0)
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed')
    expect(await postmasterPid(dataDir)).toBeUndefined()
  })
})
