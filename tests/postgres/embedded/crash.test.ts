import { execFile, spawn } from 'node:child_process'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { processRuns, signalProcess } from '#postgres/embedded/server-process.ts'
import {
  dataFolder,
  isLinux,
  killAndWait,
  killPostmaster,
  postmasterPid,
  query,
  spawnOpener,
  until,
  newInitializedDataDir,
} from './support.ts'

const makeNote = `create table note as select 'kept' as text`

async function openServer(dataDir: string) {
  const incidents: string[] = []
  const onIncident = (incident: string) => incidents.push(incident)
  return { ...(await openEmbeddedPostgres({ dataDir, use: 'serve', onIncident })), incidents }
}

test('PostgreSQL outlives a killed server and is taken over by the next one, with its data', async () => {
  const dataDir = await newInitializedDataDir()
  const killed = spawnOpener({ dataDir, use: 'serve', durable: true })
  await query(await killed.line('ownerUrl'), makeNote)
  const pid = await postmasterPid(dataDir)
  await killed.kill()
  expect(await postmasterPid(dataDir)).toBe(pid)

  const next = await openServer(dataDir)
  expect(await postmasterPid(dataDir)).toBe(pid)
  expect(await query(next.ownerUrl, 'select text from note')).toEqual(['kept'])
  await next.release()
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('PostgreSQL killed under a server runs again at once, with its data, and is reported once', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openServer(dataDir)
  await query(server.ownerUrl, makeNote)
  const old = await killPostmaster(dataDir)
  const started = performance.now()
  await until(async () => server.incidents.length > 0)
  // It takes two seconds on a quiet machine.
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(server.incidents).toEqual([
    expect.stringMatching(`^PostgreSQL \\(process ${old}\\) died; it runs again after`),
  ])
  expect(await query(server.ownerUrl, 'select text from note')).toEqual(['kept'])
  expect(await postmasterPid(dataDir)).not.toBe(old)
  await expect(openEmbeddedPostgres({ dataDir, use: 'serve' })).rejects.toThrow('Another Manilla server')
  await server.release()
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('PostgreSQL taken over from a killed server is watched like an own one, death after death', async () => {
  const dataDir = await newInitializedDataDir()
  const killed = spawnOpener({ dataDir, use: 'serve', durable: true })
  await query(await killed.line('ownerUrl'), makeNote)
  await killed.kill()
  const server = await openServer(dataDir)
  for (let deaths = 1; deaths <= 3; deaths += 1) {
    await killPostmaster(dataDir)
    await until(async () => server.incidents.length === deaths)
    expect(await query(server.ownerUrl, 'select text from note')).toEqual(['kept'])
  }
  await server.release()
})

test('a killed session process makes PostgreSQL recover by itself, and the server sits down again', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openServer(dataDir)
  const pid = await postmasterPid(dataDir)
  const victim = await query(
    server.ownerUrl,
    `select pid from pg_stat_activity where application_name like 'manilla %'`,
  )
  signalProcess(Number(victim[0]), 'SIGKILL')
  await until(async () => server.incidents.length > 0)
  expect(server.incidents).toEqual([expect.stringMatching(/^PostgreSQL dropped its connections; it runs again after/)])
  expect(await postmasterPid(dataDir)).toBe(pid)
  await expect(openEmbeddedPostgres({ dataDir, use: 'serve' })).rejects.toThrow('Another Manilla server')
  await server.release()
})

test('a restart that fails is tried again, and said, until it succeeds', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openServer(dataDir)
  const control = join(dataFolder(dataDir), 'global', 'pg_control')
  await rename(control, `${control}.away`)
  await killPostmaster(dataDir)
  await until(async () => server.incidents.length >= 2)
  await rename(`${control}.away`, control)
  await until(async () => server.incidents.at(-1)?.includes('it runs again after') === true)
  expect(server.incidents[0]).toMatch(/^PostgreSQL died and cannot be started again, next attempt in 250 ms: /)
  expect(await query(server.serviceUrl, 'select 1')).toEqual([1])
  await server.release()
})

test('a release in the middle of a restart leaves no PostgreSQL behind', async () => {
  const dataDir = await newInitializedDataDir()
  for (const waitTurns of [0, 1, 5, 20]) {
    const server = await openServer(dataDir)
    const pid = (await postmasterPid(dataDir)) ?? 0
    signalProcess(pid, 'SIGKILL')
    for (let turn = 0; turn < waitTurns; turn += 1) await processRuns(pid)
    await server.release()
    await until(async () => !(await processRuns(pid)))
    expect(await postmasterPid(dataDir)).toBeUndefined()
  }
})

test.runIf(isLinux)('a release leaves no server behind that has not written its pid yet', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openServer(dataDir)
  // PostgreSQL reads this file before it writes its pid, and blocks because the pipe never gets any content.
  const settings = join(dataFolder(dataDir), 'postgresql.auto.conf')
  await rm(settings)
  await promisify(execFile)('mkfifo', ['-m', '644', settings])
  await killPostmaster(dataDir)
  await until(async () => (await serversOf(dataDir)).length > 0)
  await server.release()
  expect(await serversOf(dataDir)).toEqual([])
})

test('after PostgreSQL and its server were killed, the next start recovers, says so and has the data', async () => {
  const dataDir = await newInitializedDataDir()
  const killed = spawnOpener({ dataDir, use: 'command', durable: true })
  await query(await killed.line('ownerUrl'), makeNote)
  await killed.kill()
  await killPostmaster(dataDir)
  const next = spawnOpener({ dataDir, use: 'serve', durable: true })
  expect(await query(await next.line('ownerUrl'), 'select text from note')).toEqual(['kept'])
  expect(await next.line('step')).toBe('recovering the database after it was not stopped properly')
  await next.release()
})

test('a pid file whose number belongs to another program by now is ignored', async () => {
  const dataDir = await newInitializedDataDir()
  await leaveCrashed(dataDir)
  // PostgreSQL would take another process of the same account for a running server.
  const stranger = await spawnStranger(dataDir)
  await claimPid(dataDir, stranger)
  const opened = await openEmbeddedPostgres({ dataDir, use: 'command' })
  expect(await query(opened.ownerUrl, 'select text from note')).toEqual(['kept'])
  await opened.release()
  expect(await processRuns(stranger)).toBe(true)
})

test('a pid file that names the PostgreSQL of another DATA_DIR is ignored, and that one is left alone', async () => {
  const [dataDir, otherDir] = [await newInitializedDataDir(), await newInitializedDataDir()]
  await leaveCrashed(dataDir)
  const other = await openEmbeddedPostgres({ dataDir: otherDir, use: 'command', durable: false })
  const otherPid = (await postmasterPid(otherDir)) ?? 0
  await claimPid(dataDir, otherPid)
  const opened = await openEmbeddedPostgres({ dataDir, use: 'command' })
  expect(await query(opened.ownerUrl, 'select text from note')).toEqual(['kept'])
  await opened.release()
  expect(await postmasterPid(otherDir)).toBe(otherPid)
  await other.release()
})

test('a pid file that a power cut left empty does not stop the start', async () => {
  const dataDir = await newInitializedDataDir()
  await leaveCrashed(dataDir)
  await writeFile(join(dataFolder(dataDir), 'postmaster.pid'), '')
  const opened = await openEmbeddedPostgres({ dataDir, use: 'command' })
  expect(await query(opened.ownerUrl, 'select text from note')).toEqual(['kept'])
  await opened.release()
})

test.runIf(isLinux)(
  'a session that works on after PostgreSQL was killed does not keep the next one from starting',
  async () => {
    const dataDir = await newInitializedDataDir()
    const killed = spawnOpener({ dataDir, use: 'command' })
    const ownerUrl = await killed.line('ownerUrl')
    // This query never waits for its client, so its session does not notice that its server is gone.
    const counting = 'select count(*) from generate_series(1, 1e11::bigint) a, generate_series(1, 10) b'
    const busy = query(ownerUrl, counting).catch((error: unknown) => error)
    const orphan = async () => {
      const rows = await query(
        ownerUrl,
        `select pid from pg_stat_activity where query like 'select count(*) from gen%'`,
      )
      return Number(rows[0] ?? 0)
    }
    await until(async () => (await orphan()) > 0)
    const pid = await orphan()
    await killed.kill()
    await killPostmaster(dataDir)
    expect(await processRuns(pid)).toBe(true)

    const next = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
    expect(await query(next.ownerUrl, 'select 1')).toEqual([1])
    expect(await busy).toBeInstanceOf(Error)
    await next.release()
  },
)

test("the terminal's Ctrl-C does not reach PostgreSQL: it has a process group of its own", async () => {
  const dataDir = await newInitializedDataDir()
  const server = spawnOpener({ dataDir, use: 'serve' })
  const ownerUrl = await server.line('ownerUrl')
  const pid = (await postmasterPid(dataDir)) ?? 0
  // A process group exists only under its leader's number, and signal 0 changes nothing.
  expect(signalProcess(-pid, 0)).toBe(true)
  expect(await query(ownerUrl, 'select 1')).toEqual([1])
  await server.release()
})

/** Data that was not shut down, and no running process. */
/** The servers of this folder, including one that has not written its pid yet. */
async function serversOf(dataDir: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return commands.filter((command) => command.includes(`-D\0${dataFolder(dataDir)}`))
}

async function leaveCrashed(dataDir: string): Promise<void> {
  const killed = spawnOpener({ dataDir, use: 'command', durable: true })
  await query(await killed.line('ownerUrl'), makeNote)
  await killed.kill()
  await killPostmaster(dataDir)
}

async function claimPid(dataDir: string, pid: number): Promise<void> {
  const path = join(dataFolder(dataDir), 'postmaster.pid')
  const lines = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, [pid, ...lines.slice(1)].join('\n'))
  const socketLock = join(dataDir, 'postgres', 'run', '.s.PGSQL.5432.lock')
  await writeFile(socketLock, [pid, ...(await readFile(socketLock, 'utf8')).split('\n').slice(1)].join('\n'))
}

async function spawnStranger(dataDir: string): Promise<number> {
  const { uid, gid } = await stat(dataFolder(dataDir))
  const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore', uid, gid })
  onTestFinished(() => killAndWait(stranger.pid ?? 0, 'SIGKILL'))
  return stranger.pid ?? 0
}
