// Measures the whole way of a transfer: it is accepted, settled after a second, and its signed event is delivered to
// the receiver of the business.

import { defineScenario, type Progress, type Rig } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { countTransfers, transferRequest } from '#bench/transfer.ts'
import { countDeliveries, startReceiver, subscribe, type BenchReceiver } from '#bench/webhooks.ts'

let receiver: BenchReceiver | undefined

/** A transfer without an outcome has no delivery yet, so it is counted as waiting too. */
async function countToDelivery(rig: Rig): Promise<Progress> {
  const [transfers, deliveries] = [await countTransfers(rig), await countDeliveries(rig)]
  return { done: deliveries.done, waiting: transfers.waiting + deliveries.waiting }
}

export const scenario = defineScenario({
  title: 'Accepted → settled → delivered for 60 s; `followed` is what was delivered meanwhile',
  connections: [256],
  async prepare(rig) {
    receiver = await startReceiver()
    const made = await createTenant(rig)
    await subscribe(rig, made.tenant, receiver.url('/hook'), ['transfer.success', 'transfer.failed'])
    return made
  },
  request: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`),
  progress: countToDelivery,
  verify: () => receiver?.stop() ?? Promise.resolve(),
  secondsLeast: 60,
  targets: [
    { figure: 'followed', of: 'echo', atLeast: 0.1 },
    { figure: 'followed', secondsWaitingMost: 2 },
    { figure: 'service', p99MsMost: 250 },
    { figure: 'service', megabytesMost: 300 },
  ],
})
