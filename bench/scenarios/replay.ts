// Repeats earlier requests, as clients do after a timeout. The service writes nothing.

import { defineScenario } from '#bench/scenario.ts'
import { createTenant, loadTransfers } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'

const transfers = 10_000

export const scenario = defineScenario({
  title: 'POST /v1/transfers/initiate with references that exist',
  connections: [256],
  async prepare(rig, say) {
    const { key, tenant } = await createTenant(rig)
    await loadTransfers(rig, tenant, transfers, say)
    return { key }
  },
  request: ({ key }, sequence) => transferRequest(key, `LOADED-${(sequence % transfers) + 1}`),
  targets: [{ figure: 'service', of: 'echo', atLeast: 0.6 }],
})
