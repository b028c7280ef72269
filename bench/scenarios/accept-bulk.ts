// Accepts transfers in bulks of a hundred and of a thousand, compared with the same transfers one by one. All rates and times
// are for one transfer.

import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { bulkRequest, transferRequest } from '#bench/transfer.ts'

export const scenario = defineScenario({
  title: 'POST /v1/transfers/bulk with 100 items, and with 1 000; single: one by one on 256 connections; per transfer',
  connections: [16],
  prepare: (rig) => createTenant(rig),
  request: ({ key }, sequence) => bulkRequest(key, `BULK-${sequence}`, 100),
  variants: {
    thousand: ({ key }, sequence) => bulkRequest(key, `BULK-${sequence}`, 1_000),
    single: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`),
  },
  countsAs: { echo: 100, service: 100, thousand: 1_000 },
  variantConnections: { single: 256 },
  service: { roles: ['api'] },
  targets: [
    { figure: 'service', of: 'single', atLeast: 2 },
    { figure: 'thousand', of: 'single', atLeast: 2 },
    { figure: 'thousand', megabytesMost: 500 },
  ],
})
