// Reads one transfer out of a million by its reference.

import { defineScenario } from '#bench/scenario.ts'
import { createTenant, loadTransfers } from '#bench/tenant.ts'

const transfers = 1_000_000
/** A prime, so that successive references lie far apart. */
const stride = 7_919

export const scenario = defineScenario({
  title: 'GET /v1/transfers/{reference} over 1 000 000 transfers',
  connections: [256],
  async prepare(rig, say) {
    const { key, tenant } = await createTenant(rig)
    await loadTransfers(rig, tenant, transfers, say)
    return { key }
  },
  request: ({ key }, sequence) => ({
    method: 'GET',
    path: `/staging/v1/transfers/LOADED-${((sequence * stride) % transfers) + 1}`,
    key,
  }),
  targets: [{ figure: 'service', of: 'echo', atLeast: 0.6 }],
})
