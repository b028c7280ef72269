// Reads the first page of a million deposits, and pages from deep in the list, which must cost the same.

import { loadDeposits } from '#bench/deposits.ts'
import { defineScenario, type BenchRequest } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'

const deposits = 1_000_000
const limit = 20
const pages = deposits / limit

function page(key: string, number: number): BenchRequest {
  return { method: 'GET', path: `/staging/v1/deposits?page=${number}&limit=${limit}`, key }
}

export const scenario = defineScenario({
  title: 'GET /v1/deposits over 1 000 000 deposits: the first page, and the last 2 000 up to the 50 000th',
  connections: [16],
  async prepare(rig, say) {
    const { key, tenant } = await createTenant(rig)
    await loadDeposits(rig, tenant, { deposits, accounts: 1_000 }, say)
    return { key }
  },
  request: ({ key }) => page(key, 1),
  variants: { deep: ({ key }, sequence) => page(key, pages - (sequence % 2_000)) },
  // A deep page costs at most 1.2 × the first.
  targets: [{ figure: 'deep', of: 'service', atLeast: 1 / 1.2 }],
})
