// A run of the tests leaves no process and no folder behind, however it ends.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { processRuns, signalProcess } from '#postgres/embedded/server-process.ts'
import { eventually, untilHolds } from './patience.ts'
import { birthOf, cleanUp, processesOf } from './clean-up.ts'
import { isMemoryForPrograms } from './run-place.ts'
import { beginRun, endsWithRun, newFolder } from './run.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** A whole run, with a folder of its own for temporary files, once it has started everything. */
async function startRun() {
  const [temporary, elsewhere] = [await newFolder('t'), await newFolder('e')]
  const config = path.join(import.meta.dirname, 'endless', 'vitest.config.ts')
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--config', config, '--root', root], {
    cwd: root,
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], TMPDIR: temporary, ELSEWHERE: elsewhere },
  })
  endsWithRun(child)
  const pids = await eventually('the run to be under way', async () => {
    const text = await readFile(path.join(elsewhere, 'ready.json'), 'utf8').catch(() => '')
    return text === '' ? undefined : (JSON.parse(text) as number[])
  })
  return { child, temporary, elsewhere, pids }
}

const running = async (pids: number[]): Promise<number[]> => {
  const states = await Promise.all(pids.map(processRuns))
  return pids.filter((_pid, index) => states[index] === true)
}

it('a run that is killed leaves no process and no folder', async () => {
  const { child, temporary, elsewhere, pids } = await startRun()
  expect(pids).toHaveLength(4)
  expect(await running(pids)).toEqual(pids)
  const ended = once(child, 'exit')
  signalProcess(child.pid ?? 0, 'SIGKILL')
  await ended
  await untilHolds(async () => expect(await running(pids)).toEqual([]))
  await untilHolds(async () =>
    expect([await readdir(temporary), await readdir(elsewhere)]).toEqual([[], ['ready.json']]),
  )
})

it('the next run removes a run whose janitor died too, and leaves the folder of a living one', async () => {
  vi.stubEnv('TMPDIR', await newFolder('n'))
  const temporary = process.env['TMPDIR'] ?? ''
  const dead = path.join(temporary, 'manilla-run-dead')
  await mkdir(path.join(dead, 'data'), { recursive: true })
  const listen = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  await once(spawn(process.execPath, ['-e', listen, path.join(dead, 'alive')], { stdio: 'ignore' }), 'exit')
  expect(await readdir(dead)).toEqual(['alive', 'data'])
  const first = await beginRun()
  const second = await beginRun()
  const names = [first, second].map(({ folder }) => path.basename(folder))
  expect((await readdir(temporary)).toSorted()).toEqual(names.toSorted())
  await first.end()
  await second.end()
  expect(await readdir(temporary)).toEqual([])
  vi.unstubAllEnvs()
})

it.runIf(process.platform === 'linux')(
  'a process that has the number of an earlier one is let live; the one that was noted is ended',
  async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
    endsWithRun(child)
    const pid = child.pid ?? 0
    const folderWith = async (birth: string): Promise<string> => {
      const folder = await newFolder('noted')
      await mkdir(processesOf(folder))
      await writeFile(path.join(processesOf(folder), String(pid)), birth)
      return folder
    }
    await cleanUp(await folderWith('1'), { processes: true })
    expect([child.exitCode, child.signalCode, await running([pid])]).toEqual([null, null, [pid]])
    const ended = once(child, 'exit')
    await cleanUp(await folderWith(birthOf(pid)), { processes: true })
    expect(await ended).toEqual([null, 'SIGKILL'])
  },
)

it('a run lies in memory only where programs may be started from there', () => {
  const mounted = (type: string, options: string): string =>
    `proc /proc proc rw 0 0\n${type} /dev/shm ${type} ${options} 0 0\ntmpfs /run tmpfs rw,noexec 0 0\n`
  expect(isMemoryForPrograms(mounted('tmpfs', 'rw,nosuid,nodev'))).toBe(true)
  expect(isMemoryForPrograms(mounted('tmpfs', 'rw,nosuid,nodev,noexec'))).toBe(false)
  expect(isMemoryForPrograms(mounted('tmpfs', 'ro,relatime'))).toBe(false)
  expect(isMemoryForPrograms(mounted('ext4', 'rw,relatime'))).toBe(false)
  expect(isMemoryForPrograms('')).toBe(false)
})
