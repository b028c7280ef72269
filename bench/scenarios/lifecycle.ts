// The whole lifecycle for a minute: accepted, submitted to the simulator, asked about after a second, settled, event
// written.

import { asOwner } from '#bench/owner.ts'
import { defineScenario, type Progress, type Rig } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'

function countTransfers({ ownerUrl }: Rig): Promise<Progress> {
  return asOwner(ownerUrl, async (owner) => {
    const answer = await owner.query(
      `select count(*) filter (where status = 'SUCCESS')::float8 as done,
              count(*) filter (where status = 'queued')::float8 as waiting from payment`,
    )
    const [row] = answer.rows as Progress[]
    return row ?? { done: 0, waiting: 0 }
  })
}

export const scenario = defineScenario({
  title: 'Accepted → settled for 60 s; `followed` is what was settled meanwhile',
  connections: [256],
  prepare: (rig) => createTenant(rig),
  request: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`),
  progress: countTransfers,
  secondsLeast: 60,
  targets: [
    { figure: 'followed', of: 'echo', atLeast: 0.2 },
    // The outcome comes after a second, so the work left over must not be more than was in progress.
    { figure: 'followed', secondsWaitingMost: 2 },
    { figure: 'service', p99MsMost: 250 },
    { figure: 'service', megabytesMost: 300 },
  ],
})
