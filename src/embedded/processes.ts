// What can be known of a process that may not be our child. A number in a file proves nothing: after a crash it may
// belong to another program, so a process is believed only when it is a postgres that stands in this data folder.
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'

const hasProc = process.platform === 'linux'

/** Whether the number is taken, by whatever program, in whatever state. */
export function processExists(pid: number): boolean {
  return signalProcess(pid, 0)
}

/** False also for a process that has ended and whose parent has not looked yet. */
export async function processRuns(pid: number): Promise<boolean> {
  if (!processExists(pid)) return false
  const stat = hasProc ? await tryRead(`/proc/${pid}/stat`) : undefined
  // The state follows the program's name, which stands in brackets and may itself hold brackets.
  return stat === undefined || !/\) [ZX] /.test(stat.slice(stat.lastIndexOf(')')))
}

export async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  if (!processExists(pid)) return false
  if (!hasProc) {
    return (await commandOf(pid)).includes(`/postgres -D ${data} `)
  }
  const parts = ((await tryRead(`/proc/${pid}/cmdline`)) ?? '').split('\0')
  // The postmaster keeps the command line that it was started with; its children write "postgres: …" over theirs.
  if (basename(parts[0] ?? '') !== 'postgres') return false
  const folder = await folderOf(pid)
  return folder === undefined ? parts.includes(data) : folder === data
}

/** Backends whose postmaster is gone. They can do nothing useful, but as long as they live no server may start. */
export async function orphansOf(data: string): Promise<number[]> {
  if (!hasProc) return []
  const orphans: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const pid = Number.parseInt(name, 10)
    if ((await folderOf(pid)) !== data) continue
    const title = (await tryRead(`/proc/${pid}/cmdline`)) ?? ''
    const parent = /^PPid:\s+(\d+)$/m.exec((await tryRead(`/proc/${pid}/status`)) ?? '')?.[1]
    if (!title.startsWith('postgres:') || parent === undefined) continue
    if ((await folderOf(Number.parseInt(parent, 10))) !== data) orphans.push(pid)
  }
  return orphans
}

/** False when there is no such process. A process that we may not signal exists nevertheless. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function folderOf(pid: number): Promise<string | undefined> {
  return await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
}

async function tryRead(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined)
}

async function commandOf(pid: number): Promise<string> {
  const asked = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(() => undefined)
  return `${asked?.stdout.trim() ?? ''} `
}
