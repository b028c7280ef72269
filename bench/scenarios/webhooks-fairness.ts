// Measures how long sixty healthy receivers wait for their deliveries, first while all hundred receivers are healthy, then while
// thirty of the others hang until the attempt times out, and ten answer 500.

import type pg from 'pg'
import { eventNames } from '#events/catalogue.ts'
import { asOwner } from '#bench/owner.ts'
import { defineScenario, type Rig } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { countDeliveries, startReceiver, subscribe, type Behaviours, type BenchReceiver } from '#bench/webhooks.ts'

const [businesses, receiversEach] = [5, 20]
const count = businesses * receiversEach
/** Of ten successive receivers three hang and one answers 500. */
const behaviourOf = (index: number): 'ok' | 'hang' | 'refuse' =>
  index % 10 < 3 ? 'hang' : index % 10 === 3 ? 'refuse' : 'ok'
/** The warm-up and one more round. */
const healthyRounds = 2
const ratioMost = 1.5
/**
 * Deliveries of the first seconds after receivers begin to hang do not count, because the service is still learning
 * which ones hang.
 */
const settleSeconds = 5

let receiver: BenchReceiver | undefined
let mixedSince: Date | undefined
let rounds = 0

export const scenario = defineScenario({
  title: `${count} receivers: all healthy in the first round, then 30 that hang and 10 that refuse`,
  connections: [3],
  async prepare(rig) {
    receiver = await startReceiver()
    const keys: string[] = []
    for (let business = 0; business < businesses; business++) {
      const { key, tenant } = await createTenant(rig, `Bench ${business}`)
      keys.push(key)
      for (let index = business * receiversEach; index < (business + 1) * receiversEach; index++) {
        // Each subscription names one event, so that a request makes two or three deliveries and the machine has spare
        // capacity.
        const event = eventNames[index % eventNames.length] ?? 'transfer.success'
        await subscribe(rig, tenant, receiver.url(`/${index}`), [event])
      }
    }
    return { keys }
  },
  /** Called before and after every round of the service. Before the third one, receivers begin to hang and refuse. */
  async progress(rig) {
    rounds += 1 / 2
    if (rounds === healthyRounds + 1 / 2) {
      const behaviours: Behaviours = {}
      for (let index = 0; index < count; index++) behaviours[`/${index}`] = behaviourOf(index)
      await receiver?.behave(behaviours)
      mixedSince = new Date()
    }
    return countDeliveries(rig)
  },
  request: ({ keys }, sequence) => ({
    method: 'POST',
    path: '/staging/v1/sandbox/webhooks/trigger',
    key: keys[sequence % businesses] ?? '',
    body: { event: eventNames[sequence % eventNames.length] },
  }),
  async verify({ ownerUrl }: Rig) {
    await receiver?.stop()
    if (mixedSince === undefined) throw new Error('use at least two rounds: the others are compared with the first')
    const since = mixedSince
    const [before, after] = await asOwner(ownerUrl, (owner) =>
      Promise.all([p99Of(owner, since, false), p99Of(owner, since, true)]),
    )
    console.error(
      `p99 from event to delivery of the 60: ${before} ms while all are healthy, ${after} ms beside the others`,
    )
    if (after > before * ratioMost)
      throw new Error(`p99 grew from ${before} ms to ${after} ms, more than ${ratioMost} times`)
  },
  targets: [{ figure: 'service', megabytesMost: 300 }],
})

/** Returns the 99th percentile of the delivery times to the receivers that are always healthy, in milliseconds. */
async function p99Of(owner: pg.Client, since: Date, beside: boolean): Promise<number> {
  const answer = await owner.query(
    `select percentile_cont(0.99) within group (order by extract(epoch from coalesce(d.delivered_at, now()) - d.created_at)) * 1000 as p99
       from webhook_delivery d join webhook_subscription s on s.id = d.subscription_id
      where (split_part(s.url, '/', 4)::integer % 10) > 3
        and case when $1 then d.created_at > $2::timestamptz + make_interval(secs => $3) else d.created_at < $2 end`,
    [beside, since, settleSeconds],
  )
  return Math.round((answer.rows as { p99: number }[])[0]?.p99 ?? Infinity)
}
