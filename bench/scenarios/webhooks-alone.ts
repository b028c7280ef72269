// Sends a backlog of deliveries to nineteen healthy receivers as fast as possible. The load generator must send
// something, so each of its two connections tests a webhook whose receiver takes four seconds. That leaves the
// processors to the deliveries.

import { formatId } from '#platform/ids.ts'
import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { countDeliveries, loadDeliveries, startReceiver, subscribe, type BenchReceiver } from '#bench/webhooks.ts'

let receiver: BenchReceiver | undefined
const backlog = 600_000

export const scenario = defineScenario({
  title: `Deliveries alone, of ${backlog.toLocaleString('en')} that wait; \`followed\` is what was delivered`,
  connections: [2],
  async prepare(rig, say) {
    receiver = await startReceiver()
    await receiver.behave({ '/slow': 4_000 })
    const { key, tenant } = await createTenant(rig)
    const { url } = receiver
    const ids = await Promise.all(
      Array.from({ length: 19 }, (_, index) => subscribe(rig, tenant, url(`/${index}`), ['transfer.success'])),
    )
    const slow = await subscribe(rig, tenant, url('/slow'), ['transfer.failed'])
    await loadDeliveries(rig, tenant, ids, backlog, say)
    return { key, slow: formatId('webhook', slow) }
  },
  request: ({ key, slow }) => ({ method: 'POST', path: `/staging/v1/webhooks/${slow}/test`, key, body: {} }),
  progress: countDeliveries,
  verify: () => receiver?.stop() ?? Promise.resolve(),
  targets: [{ figure: 'followed', of: 'echo', atLeast: 0.3 }],
})
