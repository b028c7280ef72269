// Reads the balance of one business: key look-up, rate limit and a batched read (db/loader.ts), without a lock or a
// write.

import { defineScenario, type BenchRequest } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'

let request: BenchRequest | undefined

export const scenario = defineScenario({
  title: 'GET /v1/balance with a key',
  connections: [64, 256],
  prepare: (rig) => createTenant(rig),
  request: ({ key }) => (request ??= { method: 'GET', path: '/staging/v1/balance', key }),
  naive: true,
  targets: [{ figure: 'service', of: 'echo', atLeast: 0.6 }],
})
