// The whole way to the business: accepted, settled after a second, and delivered to its receiver, signed.

import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'
import { countDeliveries, startReceiver, subscribe, type BenchReceiver } from '#bench/webhooks.ts'

let receiver: BenchReceiver | undefined

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
  progress: countDeliveries,
  verify: () => receiver?.stop() ?? Promise.resolve(),
  secondsLeast: 60,
  targets: [
    { figure: 'followed', of: 'echo', atLeast: 0.1 },
    { figure: 'followed', secondsWaitingMost: 2 },
    { figure: 'service', p99MsMost: 250 },
    { figure: 'service', megabytesMost: 300 },
  ],
})
