// Creates, tests and deletes subscriptions, rotates their secrets, and requests retries of failed deliveries.

import type { ModelTenant, Subscription } from '#simulate/model.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type Member, type World } from '#simulate/world.ts'
import { ask, isUnclear, post } from './ask.ts'

export const allEvents = [
  'transfer.success',
  'transfer.failed',
  'transfer.reversed',
  'deposit.success',
  'customer.deposit.success',
  'momo.transfer.success',
  'momo.transfer.failed',
  'momo.collection.success',
  'momo.collection.failed',
]

/** Subscribes before the first fault, so that it is certain which events the subscription must receive. */
export async function subscribe({ receivers }: World, { instance }: Member, tenant: ModelTenant): Promise<void> {
  const path = `/${tenant.name.replace(' ', '-')}/${tenant.subscriptions.length + 1}`
  const body = { url: receivers.url(path), events: allEvents }
  const answer = await instance.call(tenant.key, '/v1/webhooks', { method: 'POST', body })
  if (answer.status !== 200) throw new Error(`${tenant.name} could not subscribe: ${JSON.stringify(answer.body)}`)
  const { id, secret } = answer.body.data as { id: string; secret: string }
  tenant.subscriptions.push({ path, id, secrets: [secret] })
}

/** Creates a subscription and deletes it again. Its receiver is always healthy, and no check expects a delivery at it. */
export async function subscribeAndDelete(world: World, chance: Chance): Promise<void> {
  const { model, receivers } = world
  const tenant = chance.pick(model.tenants)
  const body = { url: receivers.url('/passing'), events: [chance.pick(allEvents)] }
  const heard = await post(model, anyMember(world, chance).instance, tenant, '/v1/webhooks', body)
  if (isUnclear(heard) || heard.status !== 200) return
  const { id } = heard.body.data as { id: string }
  await post(model, anyMember(world, chance).instance, tenant, `/v1/webhooks/${id}/test`, {})
  await ask(model, anyMember(world, chance).instance, tenant, `/v1/webhooks/${id}`, { method: 'DELETE' })
}

export async function rotateSecret(world: World, chance: Chance): Promise<void> {
  const { model } = world
  // A tenant that was added during the traffic has no subscription.
  const tenant = chance.pick(model.tenants.filter(({ subscriptions }) => subscriptions.length > 0))
  const subscription: Subscription = chance.pick(tenant.subscriptions)
  const path = `/v1/webhooks/${subscription.id}/rotate-secret`
  const heard = await post(model, anyMember(world, chance).instance, tenant, path, { expireOldInHours: 24 })
  // If the answer is lost, so is the new secret: from now on, signatures of this subscription cannot be checked.
  if (isUnclear(heard)) subscription.secrets.push(unknownSecret)
  else if (heard.status === 200) subscription.secrets.push((heard.body.data as { secret: string }).secret)
}

export const unknownSecret = 'unknown'

export async function retryFailedDeliveries(world: World, chance: Chance): Promise<void> {
  const { model } = world
  const tenant = chance.pick(model.tenants)
  const { instance } = anyMember(world, chance)
  const heard = await ask(model, instance, tenant, '/v1/webhooks/events?status=failed&limit=5')
  if (isUnclear(heard) || heard.status !== 200) return
  const { events } = heard.body.data as { events: { id: string }[] }
  for (const { id } of events) await post(model, instance, tenant, `/v1/webhooks/events/${id}/retry`, { force: true })
}
