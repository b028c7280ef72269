// What the doctor says of the machines behind the primary: a payment that was answered is lost with the machine that it is
// on, unless another one has it on disk. So a standby that follows when it finds the time is refused for production.

import type pg from 'pg'
import { present } from '#base/assert.ts'
import { finding, type Finding } from './finding.ts'

export type Replication = {
  /** synchronous_standby_names: whom a commit waits for. */
  names: string
  /** synchronous_commit: until when. */
  commit: string
  standbys: number
  /** How many of them a commit waits for; null when this login may not know. */
  synchronous: number | null
}

// A base backup that is just being made is no standby. The state of another login's sessions is null, but for members of
// pg_read_all_stats.
export const readReplication = `select current_setting('synchronous_standby_names') as names,
         current_setting('synchronous_commit') as commit,
         count(*)::int as standbys,
         case when count(*) = count(sync_state) then count(*) filter (where sync_state in ('sync', 'quorum'))::int end
           as synchronous
    from pg_stat_replication where state is distinct from 'backup'`

export async function replicationFinding(client: pg.Client, production: boolean): Promise<Finding> {
  const { rows } = await client.query<Replication>(readReplication)
  const { state, message } = judgeReplication(present(rows[0], 'PostgreSQL tells its standbys'))
  return finding('replication', state === 'failed' && !production ? 'warning' : state, message)
}

const page = 'See docs/runbooks/scale.md'

export function judgeReplication({ names, commit, standbys, synchronous }: Replication): Omit<Finding, 'check'> {
  if (names === '' && standbys === 0) {
    const alone =
      'one machine: while it is away nobody is paid, and with its disk go all payments since the last backup'
    return { state: 'warning', message: `${alone}. ${page}` }
  }
  if (names === '') {
    const lost = `${standbys} standbys follow asynchronously: with the primary go payments that were answered`
    const remedy = "Set synchronous_standby_names = 'ANY 1 (*)', or synchronous_mode: true where Patroni runs"
    return { state: 'failed', message: `${lost}. ${remedy}. ${page}` }
  }
  if (commit !== 'on' && commit !== 'remote_apply') {
    const lost = `synchronous_commit = ${commit} answers payments that no standby has on its disk`
    return { state: 'failed', message: `${lost}. Set synchronous_commit = on` }
  }
  if (standbys === 0 || synchronous === 0) {
    const waits = `no standby of synchronous_standby_names = '${names}' is there: every payment waits for one`
    return { state: 'failed', message: `${waits}. Start a standby. ${page}` }
  }
  return { state: 'ok', message: 'a payment is on the disk of a second machine before it is answered' }
}
