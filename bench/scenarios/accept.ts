// Accepts bank transfers of one business, each with a reference of its own. The process has no worker role, so the accepted
// transfers wait.

import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'

export const scenario = defineScenario({
  title: 'POST /v1/transfers/initiate, one busy business, accepting alone',
  connections: [1, 64, 256],
  prepare: (rig) => createTenant(rig),
  request: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`),
  service: { roles: ['api'] },
  naive: true,
  targets: [
    { figure: 'service', of: 'echo', atLeast: 0.6, at: 256 },
    { figure: 'service', of: 'naive', atLeast: 8, at: 256 },
    { figure: 'service', p99MsMost: 100, at: 256 },
    { figure: 'service', megabytesMost: 300 },
  ],
})
