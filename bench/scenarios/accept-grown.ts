// Accepts transfers with five million in the table, to compare with `accept` on an empty one: the cost must not grow with the
// table. The variant `random` has references in no order, like those of most businesses, so each is inserted elsewhere in the
// index.

import { defineScenario } from '#bench/scenario.ts'
import { createTenant, loadTransfers } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'

const transfers = 5_000_000

export const scenario = defineScenario({
  title: 'POST /v1/transfers/initiate with 5 000 000 transfers in the table; must reach 0.9 × `accept`',
  connections: [256],
  async prepare(rig, say) {
    const { key, tenant } = await createTenant(rig)
    await loadTransfers(rig, tenant, transfers, say)
    return { key }
  },
  request: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`),
  variants: { random: ({ key }, sequence) => transferRequest(key, scrambled(sequence)) },
  service: { roles: ['api'] },
  targets: [
    { figure: 'service', of: 'echo', atLeast: 0.54 },
    { figure: 'service', megabytesMost: 300 },
  ],
})

/** Returns a different value for each sequence below 2^32, in no order. */
function scrambled(sequence: number): string {
  return `${(Math.imul(sequence, 2_654_435_761) >>> 0).toString(36)}-R`
}
