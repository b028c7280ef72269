// Payouts to banks and to phones: new ones, repeated ones, two equal ones at once, and those that a person completes.

import { isDeepStrictEqual } from 'node:util'
import type { Instance } from '#simulate/instance.ts'
import type { ModelTenant, Payout } from '#simulate/model.ts'
import { drawFate, drawRefusedRepeat, drawUntruth } from '#simulate/rails/fate.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type World } from '#simulate/world.ts'
import { isUnclear, post, type CallerAnswer } from './ask.ts'

export const hugeAmount = Number.MAX_SAFE_INTEGER

/** Amounts for each step of the fee, and two large ones that can use up a balance. */
const amounts = [100, 50_000, 499_999, 500_001, 7_500_000, 7_500_000_000, 30_000_000_000]

export function planPayout(
  world: World,
  chance: Chance,
  tenant: ModelTenant,
  kind: Payout['kind'] = chance.happens(0.7) ? 'bank_transfer' : 'momo_transfer',
): Payout {
  const { model, fates, isOn } = world
  const number = model.payouts.length + 1
  const payee =
    kind === 'bank_transfer' ? String(1_000_000_000 + number) : `+23480300${String(number).padStart(5, '0')}`
  const amount = isOn('huge-amounts') && chance.happens(0.03) ? hugeAmount : chance.pick(amounts) + chance.below(50)
  const refusedRepeat =
    kind === 'bank_transfer' ? drawRefusedRepeat(chance.fork(`how payout ${number} is repeated`), isOn) : undefined
  const untruth = refusedRepeat ?? drawUntruth(chance.fork(`what is untrue of payout ${number}`), isOn)
  const fate = { ...drawFate(chance, isOn('hanging-rail')), ...(untruth === undefined ? {} : { untruth }) }
  fates.payouts.set(payee, fate)
  world.providers?.plan(payee, fate)
  const payout: Payout = { tenant, standing: 'unclear', kind, reference: `PAYOUT-${number}`, amount, payee, fate }
  model.payouts.push(payout)
  return payout
}

export async function sendPayout(world: World, { instance }: { instance: Instance }, payout: Payout): Promise<void> {
  const path = payout.kind === 'bank_transfer' ? '/v1/transfers/initiate' : '/v1/momo/transfer'
  const wasAccepted = payout.standing === 'acknowledged'
  note(world, payout, wasAccepted, await post(world.model, instance, payout.tenant, path, requestOf(payout)))
}

export function requestOf({ kind, reference, amount, payee, abroad }: Payout): Record<string, unknown> {
  const to =
    kind === 'bank_transfer'
      ? { bankSlug: 'guaranty-trust-bank', accountNumber: payee, accountName: 'ADA OBI' }
      : { phoneNumber: payee, operator: 'mtn-momo', ...abroad }
  return { reference, amount, ...to }
}

function note(world: World, payout: Payout, wasAccepted: boolean, heard: CallerAnswer): void {
  if (isUnclear(heard)) return noteLost(payout)
  const { status, body, headers } = heard
  if (status === 200) noteAccepted(world.model.wrong, payout, body.data, headers['idempotent-replayed'] === 'true')
  else noteRefused(world, payout, wasAccepted, body.error?.code)
}

/**
 * Records that an answer was lost. A refused payout becomes unclear again: the lost request may have been accepted,
 * because the balance may be enough now.
 */
export function noteLost(payout: Payout): void {
  payout.lost = true
  if (payout.standing === 'refused') payout.standing = 'unclear'
}

/**
 * Records a refusal. After a lost answer a refusal is final only in the quiet, when no earlier request is under way.
 * `wasAccepted`: the payout was acknowledged before this request began. Of two requests at once, the first may be refused
 * and the second accepted, because the balance rose in between, and the caller may hear of the acceptance first.
 */
export function noteRefused(
  { model: { wrong, pauses }, quiet }: World,
  payout: Payout,
  wasAccepted: boolean,
  code: string | undefined,
): void {
  const { reference, standing, lost } = payout
  const isPaused = code === 'PAYOUTS_PAUSED' && pauses > 0 && !quiet
  if (code !== 'INSUFFICIENT_BALANCE' && !isPaused) wrong.add(`${reference} was refused with ${code}`)
  else if (wasAccepted) wrong.add(`${reference} was accepted first and refused then`)
  else if (standing !== 'acknowledged' && (lost !== true || quiet)) payout.standing = 'refused'
}

export function noteAccepted(wrong: Set<string>, payout: Payout, answered: unknown, replayed: boolean): void {
  const { reference, amount } = payout
  const fee = feeOf(payout)
  const data = answered as { amount?: number; fee?: number; totalDebit?: number; status?: string } | undefined
  const expected = { amount, fee, totalDebit: amount + fee, status: 'queued' }
  for (const [field, value] of Object.entries(expected)) {
    const told = data?.[field as keyof typeof expected]
    if (told !== value) wrong.add(`${reference} was answered with ${field} ${told} in place of ${value}`)
  }
  if (payout.first !== undefined && !isDeepStrictEqual(payout.first, data))
    wrong.add(`${reference} was answered differently the second time`)
  if (!replayed) {
    if (payout.acceptedAnew === true) wrong.add(`${reference} was accepted twice`)
    payout.acceptedAnew = true
  }
  payout.first ??= data
  payout.standing = 'acknowledged'
}

/** The fee abroad is 1 %. */
export function feeOf({ amount, abroad }: Payout): number {
  if (abroad !== undefined) return Math.floor(amount / 100)
  if (amount <= 500_000) return 1_000
  return amount <= 5_000_000 ? 2_500 : 5_000
}

export async function newPayout(world: World, chance: Chance): Promise<void> {
  await sendNew(world, chance, planPayout(world, chance, chance.pick(world.model.tenants)))
}

export async function sendNew(world: World, chance: Chance, payout: Payout): Promise<void> {
  const copies = chance.happens(0.1) ? 2 : 1
  await Promise.all(Array.from({ length: copies }, () => sendPayout(world, anyMember(world, chance), payout)))
}

/** Repeats a payout: mostly one whose status is unclear, sometimes any other. */
export async function samePayoutAgain(world: World, chance: Chance): Promise<void> {
  const { payouts } = world.model
  const unclear = payouts.filter(({ standing }) => standing === 'unclear')
  const some = unclear.length > 0 && chance.happens(0.7) ? unclear : payouts
  if (some.length > 0) await sendPayout(world, anyMember(world, chance), chance.pick(some))
}

export async function completePayout(world: World, chance: Chance): Promise<void> {
  const waiting = world.model.payouts.filter(
    ({ standing, fate, completedAs }) =>
      standing === 'acknowledged' && fate.ends === 'waits' && completedAs === undefined,
  )
  if (waiting.length > 0)
    await completeByHand(world, anyMember(world, chance), chance.pick(waiting), chance.happens(0.5))
}

/** Completes a payout by hand. Every attempt sends the first decision, so a lost answer leaves no doubt about the status. */
export async function completeByHand(
  world: World,
  { instance }: { instance: Instance },
  payout: Payout,
  succeeds: boolean,
): Promise<boolean> {
  const { model, providers } = world
  if (providers !== undefined && !hasArrived(world, payout)) return false
  payout.completedAs ??= succeeds ? 'SUCCESS' : 'FAILED'
  const kind = payout.kind === 'bank_transfer' ? 'transfers' : 'momo/transfer'
  const path = `/v1/sandbox/${kind}/${payout.reference}/complete`
  const heard = await post(model, instance, payout.tenant, path, { status: payout.completedAs })
  if (isUnclear(heard)) return false
  // A person may have settled the payout as failed before, because it had not reached its bank.
  if (heard.status === 409 && payout.endedByHand !== undefined) return true
  if (heard.status !== 200) model.wrong.add(`completing ${payout.reference} was answered ${heard.status} ${heard.text}`)
  // A person asks the provider before completing a payout, so the provider must now report the same status.
  providers?.decide(payout.payee, payout.completedAs === 'SUCCESS' ? 'succeeds' : 'fails')
  return true
}

/** Returns whether the payout reached its far side. To complete one that did not would make the provider's lists untrue. */
function hasArrived({ providers, sides }: World, { payee }: Payout): boolean {
  const atBanks = [sides.first, sides.other].flatMap(({ arrivals }) => [...arrivals.values()])
  return [...atBanks, ...(providers?.arrivals() ?? [])].some((arrival) => arrival.payee === payee)
}
