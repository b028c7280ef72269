// Measures acceptance, a page of the log and the search for due deliveries while a million deliveries wait for one dead receiver.

import { defineScenario, type Rig } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'
import { countDeliveries, loadDeliveries, startReceiver, subscribe, type BenchReceiver } from '#bench/webhooks.ts'
import { inLane } from '#platform/db/db.ts'
import { firstUuid } from '#platform/ids.ts'
import { findWaiting } from '#webhooks/delivery/claims.ts'

const backlog = 1_000_000
const claims = 100
const claimMsMost = 5
let receiver: BenchReceiver | undefined
let lane: number

export const scenario = defineScenario({
  title: `${backlog.toLocaleString('en')} deliveries wait for one dead receiver; \`followed\` is what the healthy one got`,
  connections: [64],
  async prepare(rig, say) {
    receiver = await startReceiver()
    await receiver.behave({ '/dead': 'refuse' })
    const waiting = await createTenant(rig, 'Waiting')
    lane = waiting.tenant.lane
    const dead = await subscribe(rig, waiting.tenant, receiver.url('/dead'), ['transfer.success'])
    await loadDeliveries(rig, waiting.tenant, [dead], backlog, say)
    const { key, tenant } = await createTenant(rig)
    await subscribe(rig, tenant, receiver.url('/hook'), ['transfer.success'])
    return { key, waitingKey: waiting.key }
  },
  request: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`),
  variants: {
    log: ({ waitingKey }) => ({
      method: 'GET',
      path: '/staging/v1/webhooks/events?status=pending&limit=20',
      key: waitingKey,
    }),
  },
  progress: countDeliveries,
  async verify(rig: Rig) {
    await receiver?.stop()
    const after = { tenantId: firstUuid, subscriptionId: firstUuid }
    const startedAt = performance.now()
    for (let index = 0; index < claims; index++) await findWaiting(inLane(rig.ctx.db, lane), after, 500)
    const ms = (performance.now() - startedAt) / claims
    console.error(
      `finding due deliveries takes ${ms.toFixed(2)} ms beside ${backlog.toLocaleString('en')} waiting rows`,
    )
    if (ms > claimMsMost) throw new Error(`finding due deliveries takes ${ms.toFixed(1)} ms, more than ${claimMsMost}`)
  },
  targets: [
    { figure: 'service', of: 'echo', atLeast: 0.1 },
    { figure: 'service', megabytesMost: 300 },
  ],
})
