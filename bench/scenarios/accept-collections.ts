// Accepts collections instead of transfers. They reserve no money, so a batch is one insert. As in `accept`, no worker runs.

import { collectRequest } from '#bench/momo.ts'
import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'

export const scenario = defineScenario({
  title: 'POST /v1/momo/collection, one busy business, accepting alone',
  connections: [256],
  prepare: (rig) => createTenant(rig),
  request: ({ key }, sequence) => collectRequest(key, `BENCH-${sequence}`),
  service: { roles: ['api'] },
  targets: [
    { figure: 'service', of: 'echo', atLeast: 0.6 },
    { figure: 'service', megabytesMost: 300 },
  ],
})
