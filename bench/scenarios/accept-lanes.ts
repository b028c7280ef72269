// A thousand businesses on sixteen lanes, with a thousand callers at once: batches are small, and many run at the same
// time. Compare it with `accept-many`, where the same businesses share one lane.

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
    // New businesses are spread over the lanes that exist when they are created.
    await asOwner(rig.ownerUrl, (owner) => owner.query('update installation set lanes = $1', [lanes]))
    const keys: string[] = []
    for (let index = 0; index < businesses; index++) keys.push((await createTenant(rig, `Bench ${index}`)).key)
    return { keys }
  },
  request: ({ keys }, sequence) => transferRequest(keys[sequence % keys.length] ?? '', `BENCH-${sequence}`),
  service: { roles: ['api'], settings: { LANES: String(lanes) } },
  targets: [{ figure: 'service', megabytesMost: 400 }],
})
