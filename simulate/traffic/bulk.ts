// Sends bulks of transfers. Each has new transfers, one of them twice, and an earlier transfer. Now and then the whole
// request is sent twice, as by a caller that got no answer.

import type { Answer } from '#tests/support/client.ts'
import type { ModelTenant, Payout } from '#simulate/model.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type World } from '#simulate/world.ts'
import { isUnclear, post } from './ask.ts'
import { noteAccepted, noteLost, noteRefused, planPayout, requestOf } from './payouts.ts'

type Result = {
  reference: string
  outcome: 'accepted' | 'replayed' | 'refused'
  transfer: unknown
  error: { code: string } | null
}

const sizes = [2, 3, 5, 12]

export async function newBulk(world: World, chance: Chance): Promise<void> {
  const tenant = chance.pick(world.model.tenants)
  const fresh = Array.from({ length: chance.pick(sizes) }, () => planPayout(world, chance, tenant, 'bank_transfer'))
  const before = world.model.payouts.filter((one) => one.tenant === tenant && one.kind === 'bank_transfer')
  const payouts = [...fresh, chance.pick(fresh), chance.pick(before)]
  const copies = chance.happens(0.3) ? 2 : 1
  await Promise.all(Array.from({ length: copies }, () => send(world, chance, tenant, payouts)))
}

async function send(world: World, chance: Chance, tenant: ModelTenant, payouts: Payout[]): Promise<void> {
  const { model } = world
  const body = { transfers: payouts.map(requestOf) }
  const accepted = new Set(payouts.filter(({ standing }) => standing === 'acknowledged'))
  const heard = await post(model, anyMember(world, chance).instance, tenant, '/v1/transfers/bulk', body)
  if (isUnclear(heard)) payouts.forEach(noteLost)
  else if (heard.status === 403) notePaused(world, payouts, accepted, heard)
  else note(world, payouts, accepted, heard)
}

/**
 * A pause refuses the whole request: nothing of it is stored, and earlier payouts stay accepted. A bulk of payouts that were
 * all accepted before is only replayed, so a pause must not refuse it.
 */
function notePaused(world: World, payouts: Payout[], accepted: Set<Payout>, { body }: Answer): void {
  if (accepted.size === payouts.length)
    world.model.wrong.add('a bulk of payouts that had all been accepted was refused, in place of replayed')
  for (const payout of payouts) if (!accepted.has(payout)) noteRefused(world, payout, false, body.error?.code)
}

function note(world: World, payouts: Payout[], accepted: Set<Payout>, { status, body, text }: Answer): void {
  const { wrong } = world.model
  if (status !== 200) return void wrong.add(`a bulk of ${payouts.length} was answered ${status} ${text}`)
  const { results } = body.data as { results: Result[] }
  if (results.length !== payouts.length)
    return void wrong.add(`a bulk of ${payouts.length} was told of ${results.length}`)
  for (const [index, payout] of payouts.entries()) {
    const result = results[index]
    if (result?.reference !== payout.reference) wrong.add(`${payout.reference} is not in its place of the bulk`)
    else if (result.outcome === 'refused') noteRefused(world, payout, accepted.has(payout), result.error?.code)
    else noteAccepted(wrong, payout, result.transfer, result.outcome === 'replayed')
  }
}
