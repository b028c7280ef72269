// Starts the kind of database that the switches choose, and finds which programs for it this machine has.

import { missingTools } from '#tests/ha/cluster.ts'
import { hasPgBouncer } from '#tests/support/pgbouncer.ts'
import { citusKiller, citusUrl } from '#tests/support/citus.ts'
import type { SwitchName } from '#simulate/switches.ts'
import type { Machine } from '#simulate/requirements.ts'
import { startCitus } from './citus.ts'
import type { Cluster } from './database.ts'
import { startEmbedded } from './embedded.ts'
import { startPatroni } from './patroni.ts'

export const machine: Machine = { missingTools, hasPgBouncer, citus: { url: citusUrl, killer: citusKiller } }

export function startDatabase(on: Set<SwitchName>): Promise<Cluster> {
  if (on.has('patroni')) return startPatroni()
  if (on.has('citus')) return startCitus()
  return startEmbedded()
}
