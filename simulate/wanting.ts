// What a world wants of the machine, and what cannot be together in one; told before anything is started.

import { grounds, type SwitchName } from './switches.ts'

export type Machine = {
  /** Of the programs that `patroni` needs. */
  missingTools: string[]
  hasPgBouncer: boolean
  /** A Citus, and the program that kills a worker of it. */
  citus: { url: string | undefined; killer: string | undefined }
}

/** Why a world with these switches cannot be made here. */
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
