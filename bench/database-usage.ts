// Measures PostgreSQL: the processor time of all its processes, autovacuum and checkpointer included, and the bytes of
// its write-ahead log. The times of running processes are in /proc. When a process ends, the kernel adds its times to
// those of its parent, the postmaster.

import { readFile, readdir } from 'node:fs/promises'
import { asOwner } from './owner.ts'

/** Both are counted from the server's start. `micros` is undefined on a system without /proc. */
export type DatabaseUsed = { micros: number | undefined; walBytes: number }
export type DatabaseUsage = () => Promise<DatabaseUsed>

export async function watchDatabase(ownerUrl: string): Promise<DatabaseUsage> {
  const backend = await asOwner(ownerUrl, async (owner) => {
    const { rows } = await owner.query('select pg_backend_pid() as pid')
    return timesOf((rows as { pid: number }[])[0]?.pid)
  })
  const postmaster = backend?.parent

  async function readMicros(): Promise<number | undefined> {
    if (postmaster === undefined) return undefined
    const names = (await readdir('/proc')).map(Number).filter((pid) => Number.isInteger(pid))
    const all = await Promise.all(names.map(async (pid) => ({ pid, times: await timesOf(pid) })))
    return all.reduce((sum, { pid, times }) => {
      if (pid === postmaster) return sum + (times?.ownMicros ?? 0) + (times?.endedMicros ?? 0)
      return times?.parent === postmaster ? sum + times.ownMicros : sum
    }, 0)
  }

  return async () => ({ micros: await readMicros(), walBytes: await readWalBytes(ownerUrl) })
}

async function readWalBytes(ownerUrl: string): Promise<number> {
  return asOwner(ownerUrl, async (owner) => {
    const { rows } = await owner.query(`select (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as bytes`)
    return Number((rows as { bytes: string }[])[0]?.bytes)
  })
}

/** A tick of /proc, the same on every Linux. */
const tickMicros = 10_000

type Times = { parent: number; ownMicros: number; endedMicros: number }

/** Reads the times of a process. Undefined if it has ended, or if there is no /proc. */
async function timesOf(pid: number | undefined): Promise<Times | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // Reads the fields after the last bracket: state, parent, … (see proc(5)). The brackets hold the name of the process,
  // which may contain brackets too.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = (...places: number[]): number => places.reduce((sum, place) => sum + (fields[place] ?? 0), 0)
  return { parent: ticks(1), ownMicros: ticks(11, 12) * tickMicros, endedMicros: ticks(13, 14) * tickMicros }
}
