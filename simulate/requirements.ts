// Before a run starts anything, checks that the machine has what the switches need, and that no two switches exclude
// each other.

import { grounds, type SwitchName } from './switches.ts'

export type Machine = {
  /** The programs that `patroni` needs and this machine lacks. */
  missingTools: string[]
  hasPgBouncer: boolean
  /** The address of a Citus cluster, and the program that kills one of its workers. */
  citus: { url: string | undefined; killer: string | undefined }
}

/** Returns why this machine cannot run a world with these switches, or undefined if it can. */
export function reasonAgainst(on: ReadonlySet<SwitchName>, machine: Machine): string | undefined {
  const under = grounds.filter((name) => on.has(name))
  if (under.length > 1) return `--with ${under.join(',')}: a world stands on one of them.`
  if (on.has('pooler') && !machine.hasPgBouncer) return '--with pooler: there is no pgbouncer on this machine.'
  if (on.has('patroni') && machine.missingTools.length > 0)
    return `--with patroni: this machine lacks ${machine.missingTools.join(', ')}.`
  if (on.has('citus') && machine.citus.url === undefined)
    return '--with citus: set CITUS_DATABASE_URL to a database of the coordinator, as an administrator; see simulate/README.md.'
  if (on.has('citus') && on.has('kill-postgres') && machine.citus.killer === undefined)
    return '--with citus: set CITUS_KILL_WORKER to a program that kills a worker and starts it again, or say --without kill-postgres; see simulate/README.md.'
  return undefined
}
