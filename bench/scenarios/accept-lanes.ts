// Accepts transfers of a thousand businesses on sixteen lanes from a thousand callers, so that batches are small and many run at
// the same time. In `accept-many` the businesses share one lane, with 256 callers.

import { asOwner } from '#bench/owner.ts'
import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'

const businesses = 1_000
const lanes = 16

export const scenario = defineScenario({
  title: 'POST /v1/transfers/initiate, 1 000 businesses on 16 lanes, 1 000 callers, accepting alone',
  connections: [1_000],
  async prepare(rig) {
    // The lanes must exist first, because each business is put on one of them when it is created.
    await asOwner(rig.ownerUrl, (owner) => owner.query('update installation set lanes = $1', [lanes]))
    const keys: string[] = []
    for (let index = 0; index < businesses; index++) keys.push((await createTenant(rig, `Bench ${index}`)).key)
    return { keys }
  },
  request: ({ keys }, sequence) => transferRequest(keys[sequence % keys.length] ?? '', `BENCH-${sequence}`),
  service: { roles: ['api'], settings: { LANES: String(lanes) } },
  targets: [{ figure: 'service', megabytesMost: 400 }],
})
