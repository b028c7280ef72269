// The processor time of PostgreSQL, all of its processes together: those that run, as /proc shows them, and those that have
// ended, which the kernel counts for the postmaster that waited for them. Autovacuum and the checkpointer are work, too.

import { readFile, readdir } from 'node:fs/promises'
import { asOwner } from './owner.ts'

/** Microseconds since the server's start. Undefined: this system has no /proc to read it from. */
export type DatabaseUsage = () => Promise<number | undefined>

export async function watchDatabase(ownerUrl: string): Promise<DatabaseUsage> {
  const backend = await asOwner(ownerUrl, async (owner) => {
    const { rows } = await owner.query('select pg_backend_pid() as pid')
    return timesOf((rows as { pid: number }[])[0]?.pid)
  })
  const postmaster = backend?.parent
  return async () => {
    if (postmaster === undefined) return undefined
    const names = (await readdir('/proc')).map(Number).filter((pid) => Number.isInteger(pid))
    const all = await Promise.all(names.map(async (pid) => ({ pid, times: await timesOf(pid) })))
    return all.reduce((sum, { pid, times }) => {
      if (pid === postmaster) return sum + (times?.ownMicros ?? 0) + (times?.endedMicros ?? 0)
      return times?.parent === postmaster ? sum + times.ownMicros : sum
    }, 0)
  }
}

/** A tick of /proc, the same on every Linux. */
const tickMicros = 10_000

type Times = { parent: number; ownMicros: number; endedMicros: number }

/** Undefined: the process has ended, or there is no /proc. */
async function timesOf(pid: number | undefined): Promise<Times | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // Behind the name, which may hold anything but ends with the last bracket: state, parent, … (see proc(5)).
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = (...places: number[]): number => places.reduce((sum, place) => sum + (fields[place] ?? 0), 0)
  return { parent: ticks(1), ownMicros: ticks(11, 12) * tickMicros, endedMicros: ticks(13, 14) * tickMicros }
}
