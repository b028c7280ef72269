// The whole lifecycle for a minute: a transfer is accepted, submitted to the simulator, asked about after a second and settled,
// and its event is written.

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
    // The simulator has the outcome after a second, so more than two seconds of work left means that the workers fall behind.
    { figure: 'followed', secondsWaitingMost: 2 },
    { figure: 'service', p99MsMost: 250 },
    { figure: 'service', megabytesMost: 300 },
  ],
})
