// Validates one deposit out of a million, as a shop does before it ships an order.

import { loadDeposits, loadedReference } from '#bench/deposits.ts'
import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'

const deposits = 1_000_000
/** A prime, so that successive references lie far apart. */
const stride = 7_919

export const scenario = defineScenario({
  title: 'GET /v1/deposits/validate/{reference} over 1 000 000 deposits',
  connections: [256],
  async prepare(rig, say) {
    const { key, tenant } = await createTenant(rig)
    await loadDeposits(rig, tenant, { deposits, accounts: 1_000 }, say)
    return { key }
  },
  request: ({ key }, sequence) => ({
    method: 'GET',
    path: `/staging/v1/deposits/validate/${loadedReference(((sequence * stride) % deposits) + 1)}`,
    key,
  }),
  targets: [{ figure: 'service', of: 'echo', atLeast: 0.6 }],
})
