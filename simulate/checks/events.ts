// Checks that each outcome has one event, and that each subscriber answered 200 to it once in the end. Every attempt must have
// the same id and bytes, and a signature with one of the subscriber's secrets.

import { createHmac } from 'node:crypto'
import type { Delivered } from '#tests/support/receiver.ts'
import type { ModelTenant, Subscription } from '#simulate/model.ts'
import { unknownSecret } from '#simulate/traffic/webhooks.ts'
import type { World } from '#simulate/world.ts'

/** The events that must exist, derived from how payments and deposits ended. */
const expectedEvents = `
  select tenant_id, reference, unnest(case kind when 'bank_transfer' then case status
           when 'SUCCESS' then array['transfer.success'] when 'FAILED' then array['transfer.failed']
           when 'REVERSED' then array['transfer.success', 'transfer.reversed'] end
         when 'momo_transfer' then case status
           when 'SUCCESS' then array['momo.transfer.success'] when 'FAILED' then array['momo.transfer.failed']
           when 'REVERSED' then array['momo.transfer.success'] end
         else array_remove(array[
           case when status = 'FAILED' or expired_at is not null then 'momo.collection.failed' end,
           case when status = 'SUCCESS' then 'momo.collection.success' end], null)
         end) as name
    from payment
  union all
  select d.tenant_id, null, case a.type when 'static' then 'customer.deposit.success' else 'deposit.success' end
    from deposit d join virtual_account a using (lane, tenant_id, account_number) where d.status = 'SUCCESSFUL'`

type EventRow = { tenant_id: string; reference: string | null; name: string }

export async function checkEvents({ model, database, receivers }: World): Promise<void> {
  const expected = await database.ask<EventRow>(expectedEvents)
  const found = await database.ask<EventRow>('select tenant_id, reference, name from event where not sample')
  for (const tenant of model.tenants) {
    const own = (rows: EventRow[]): string[] =>
      rows
        .filter(({ tenant_id }) => tenant_id === tenant.tenant.id)
        .map(textOf)
        .toSorted()
    const wanted = own(expected)
    compare(model.wrong, `events of ${tenant.name}`, wanted, own(found))
    for (const subscription of tenant.subscriptions)
      checkTold(model.wrong, tenant, subscription, wanted, receivers.at(subscription.path))
  }
}

/** The service chooses the reference of a deposit, so events of deposits are compared by their names alone. */
function textOf({ name, reference }: Pick<EventRow, 'name' | 'reference'>): string {
  return name.includes('deposit') || reference === null ? name : `${name} ${reference}`
}

function checkTold(
  wrong: Set<string>,
  tenant: ModelTenant,
  { path, secrets }: Subscription,
  wanted: string[],
  came: Delivered[],
): void {
  const byId = Map.groupBy(came, ({ event }) => event.id)
  const told: string[] = []
  for (const [id, deliveries] of byId) {
    const [first] = deliveries
    if (first === undefined || first.event.event === 'webhook.test') continue
    // An answer other than 200 does not count: the service must send the event again.
    if (deliveries.some(({ behaviour }) => behaviour === 200))
      told.push(textOf({ name: first.event.event, reference: first.event.reference }))
    if (deliveries.some(({ body }) => body !== first.body)) wrong.add(`${id} was told in other words the second time`)
    if (deliveries.some((one) => !isSigned(one, secrets)))
      wrong.add(`${id} came to ${path} without a signature of ours`)
  }
  compare(wrong, `what ${path} of ${tenant.name} was told`, wanted, told.toSorted())
}

function isSigned({ headers, body }: Delivered, secrets: string[]): boolean {
  if (secrets.includes(unknownSecret)) return true
  const header = String(headers['x-webhook-signature'])
  const time = /t=(\d+)/.exec(header)?.[1] ?? ''
  const made = secrets.map((secret) => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
  return [...header.matchAll(/v1=([0-9a-f]+)/g)].some(([, signature = '']) => made.includes(signature))
}

const toldMax = 4

function compare(wrong: Set<string>, what: string, wanted: string[], found: string[]): void {
  const missing = without(wanted, found)
  const more = without(found, wanted)
  for (const one of missing.slice(0, toldMax)) wrong.add(`${what}: ${one} is missing (of ${missing.length})`)
  for (const one of more.slice(0, toldMax)) wrong.add(`${what}: ${one} is too much (of ${more.length})`)
}

function without(all: string[], taken: string[]): string[] {
  const left = new Map<string, number>()
  for (const one of taken) left.set(one, (left.get(one) ?? 0) + 1)
  return all.filter((one) => {
    const count = left.get(one) ?? 0
    left.set(one, count - 1)
    return count <= 0
  })
}
