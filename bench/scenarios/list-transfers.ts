// Reads the first page of a million transfers, and pages from deep in the list, which must cost the same.

import { defineScenario, type BenchRequest } from '#bench/scenario.ts'
import { createTenant, loadTransfers } from '#bench/tenant.ts'

const transfers = 1_000_000
const pages = transfers / 20

function page(key: string, number: number): BenchRequest {
  return { method: 'GET', path: `/staging/v1/transfers?page=${number}`, key }
}

export const scenario = defineScenario({
  title: 'GET /v1/transfers over 1 000 000 transfers: the first page, and pages around the 49 000th',
  connections: [16],
  async prepare(rig, say) {
    const { key, tenant } = await createTenant(rig)
    await loadTransfers(rig, tenant, transfers, say)
    return { key }
  },
  request: ({ key }) => page(key, 1),
  // A worker would spend the minutes of the measurement on adding the loaded transfers to the search index.
  service: { roles: ['api'] },
  variants: { deep: ({ key }, sequence) => page(key, pages - 2_000 + (sequence % 2_000)) },
  // A deep page costs at most 1.2 × the first.
  targets: [{ figure: 'deep', of: 'service', atLeast: 1 / 1.2 }],
})
