// The whole lifecycle for a minute: accepted, submitted to the simulator, asked about after a second, settled, event
// written.

import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { countTransfers, transferRequest } from '#bench/transfer.ts'

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
