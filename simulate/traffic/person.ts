// A person who operates the service and is always right: checks the far side (the bank or the provider) first and then
// tells the service what is true. The person acts at any moment, also when the service must refuse, and through two
// instances at once.

import { depositReference } from '#deposits/deposit.ts'
import type { Uuid } from '#platform/ids.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { Payout } from '#simulate/model.ts'
import type { Chance } from '#simulate/seed.ts'
import { createDesk, nameOf, type Desk } from '#simulate/desk.ts'
import { strangeProvider } from '#simulate/notices.ts'
import { refundsOf } from '#simulate/rails/provider-lists.ts'
import { anyMember, type World } from '#simulate/world.ts'

const deskOf = (world: World, chance: Chance): Desk => createDesk(anyMember(world, chance).instance)

/** Returns what is certain about a payout. `never`: no far side has it, and no submission is on the way. */
function truthOf(
  { sides, providers, time }: World,
  { payee, fate }: Payout,
): 'success' | 'failed' | 'never' | undefined {
  const all = [sides.first, sides.other]
  const arrivals = [...all.flatMap((side) => [...side.arrivals.values()]), ...(providers?.arrivals() ?? [])]
  const arrival = arrivals.find((one) => one.payee === payee)
  if (arrival === undefined)
    return all.some(({ sentTo }) => time.now() - (sentTo.get(payee) ?? -Infinity) < absenceGraceMs)
      ? undefined
      : 'never'
  if (time.now() < arrival.atMs + fate.knowsAfterMs) return undefined
  if (fate.ends === 'succeeds') return 'success'
  return fate.ends === 'fails' ? 'failed' : undefined
}

export async function settleByHand(world: World, chance: Chance): Promise<void> {
  const asked = world.model.payouts.filter(({ standing }) => standing === 'acknowledged').slice(-recentMax)
  if (asked.length === 0) return
  const payout = chance.pick(asked)
  const truth = truthOf(world, payout)
  if (truth === undefined) return
  const before = payout.endedByHand
  const turn = (turns.get(payout) ?? 0) + 1
  turns.set(payout, turn)
  // Set before the command, because a tester may see the failed payout before this command returns.
  if (truth === 'never') payout.endedByHand ??= 'perhaps'
  const heard = await deskOf(world, chance).settle(
    payout.tenant.tenant,
    payout.reference,
    truth === 'never' ? 'failed' : truth,
  )
  if (truth === 'never' && heard === 'settled') payout.endedByHand = 'surely'
  // Removes the mark, because this command did not end the payout. But if another command about this payout has begun
  // since, the mark stays: that command may have ended the payout, and this one was only told that it had ended.
  else if (heard !== 'unclear' && before === undefined && turns.get(payout) === turn) delete payout.endedByHand
  if (truth === 'success' && heard === 'impossible')
    world.model.wrong.add(`${payout.reference} succeeded, and a person who says so hears that it ended otherwise`)
}

const recentMax = 12

/** The number of commands about each payout so far. */
const turns = new WeakMap<Payout, number>()

/** Records the return of a payout that succeeded: its money came back to the company's bank, which no API reports. */
export async function returnByHand(world: World, chance: Chance): Promise<void> {
  // With providers, their lists would show the payout as paid, and differ from our books for ever.
  if (world.providers !== undefined) return
  const paid = world.model.payouts.filter(
    ({ standing, fate }) => standing === 'acknowledged' && fate.ends === 'succeeds',
  )
  if (paid.length === 0) return
  const payout = chance.pick(paid)
  if (truthOf(world, payout) !== 'success') return
  const copies = chance.happens(0.3) ? 2 : 1
  const heard = await Promise.all(
    Array.from({ length: copies }, () =>
      deskOf(world, chance).settle(payout.tenant.tenant, payout.reference, 'returned'),
    ),
  )
  if (heard.includes('settled')) payout.returnedByHand = 'surely'
  else if (heard.includes('unclear')) payout.returnedByHand ??= 'perhaps'
  if (heard.filter((word) => word === 'settled').length > 1)
    world.model.wrong.add(`${payout.reference} was returned twice`)
}

/** Pauses the payouts of one business, or of all, and resumes them a little later. */
export async function pauseAndResume(world: World, chance: Chance): Promise<void> {
  const desk = deskOf(world, chance)
  const { businessId } = chance.pick(world.model.tenants)
  const whose = chance.happens(0.5) ? {} : { businessId }
  world.model.pauses += 1
  await desk.pause(whose)
  await letTimePass(world, chance)
  await resumeFor(world, chance, whose)
}

async function letTimePass({ time }: World, chance: Chance): Promise<void> {
  time.advance(chance.pick([0, 1_000, 4_000]))
  await Promise.resolve()
}

/** Resumes payouts, and tries again if the outcome is unclear. */
async function resumeFor(world: World, chance: Chance, whose: Parameters<Desk['resume']>[0]): Promise<void> {
  for (let attempt = 1; attempt <= triesMax; attempt += 1)
    if ((await deskOf(world, chance).resume(whose)) === 'done') return
}

const triesMax = 5

/** Resumes everything at the end of the traffic. */
export async function resumeAll(world: World): Promise<void> {
  const [member] = world.members
  if (member === undefined || world.model.pauses === 0) return
  const desk = createDesk(member.instance)
  const businesses = world.model.tenants.map(({ businessId }) => ({ businessId }))
  for (const whose of [{}, ...businesses])
    if ((await desk.resume(whose)) !== 'done') world.model.wrong.add('payouts could not be resumed')
}

/**
 * Adjusts the balance for a payout that its provider first reported as paid and then as failed. The business gets its money
 * back once, also if two commands run at the same time.
 */
export async function adjustForContradictions(world: World, chance: Chance): Promise<void> {
  const desk = deskOf(world, chance)
  const open = (await desk.open())?.filter(({ kind }) => kind === 'payment-contradicted') ?? []
  if (open.length === 0) return
  const item = chance.pick(open)
  const payout = world.model.payouts.find(({ reference }) => reference === item.reference)
  if (payout?.fate.ends !== 'contradicts') return
  const adjustment = {
    tenant: payout.tenant,
    amount: payout.amount,
    because: nameOf(item),
    standing: 'unclear' as const,
  }
  const copies = chance.happens(0.3) ? 2 : 1
  const heard = await Promise.all(
    Array.from({ length: copies }, () =>
      deskOf(world, chance).adjust(payout.tenant.tenant, payout.amount, adjustment.because),
    ),
  )
  const done = heard.filter((word) => word === 'adjusted').length
  if (done > 1) world.model.wrong.add(`${payout.reference} was corrected twice because of one item`)
  if (done > 0) world.model.adjustments.push({ ...adjustment, standing: 'acknowledged' })
  else if (heard.includes('unclear')) world.model.adjustments.push(adjustment)
}

/** Closes a review item without any other action. The service must not raise it again. */
export async function closeSomething(world: World, chance: Chance): Promise<void> {
  const desk = deskOf(world, chance)
  const open = (await desk.open()) ?? []
  // Leaves out two kinds that need an adjustment or an adoption.
  const seen = open.filter(({ kind }) => kind !== 'payment-contradicted' && kind !== 'notice-unowned')
  if (seen.length > 0) await desk.close(chance.pick(seen).id)
}

/** Reports money for a number that belongs to no account, and assigns it to an account as a person does. */
export async function adoptOrphan(world: World, chance: Chance): Promise<void> {
  const { model, time } = world
  const tenant = chance.pick(model.tenants)
  const account = tenant.accounts.find(({ waitsFor }) => waitsFor === undefined)
  if (account === undefined) return
  const number = model.orphans.length + 1
  const orphan = { tenant, providerId: `ORPHAN-${number}`, amount: chance.between(1_000, 900_000), isAdopted: false }
  model.orphans.push(orphan)
  const nowhere = String(9_900_000_000 + number)
  const { notices } = anyMember(world, chance)
  const { providerId, amount } = orphan
  const told = { provider: strangeProvider, providerId, amount, accountNumber: nowhere, paidAtMs: time.now() }
  const heard = await notices.tell({ ...told, status: 'SUCCESSFUL' })
  if (heard === 'unclear') return
  if (heard !== 'kept') model.wrong.add(`${providerId} had no owner, and was ${heard}`)
  const copies = chance.happens(0.4) ? 2 : 1
  const words = await Promise.all(
    Array.from({ length: copies }, () => deskOf(world, chance).adopt(providerId, account.accountNumber)),
  )
  const strange = words.filter((word) => !['adopted', 'unchanged', 'unclear', 'no-notice'].includes(word))
  if (strange.length > 0) model.wrong.add(`adopting ${providerId} was answered ${strange.join(' and ')}`)
  orphan.isAdopted = words.includes('adopted')
  if (chance.happens(0.5)) await notices.tell({ ...told, status: 'SUCCESSFUL' })
}

export async function resumeSomeRail(world: World, chance: Chance): Promise<void> {
  const ofProviders = ['paystack', 'monnify', ...(world.isOn('pawapay') ? ['pawapay'] : [])]
  const names = world.providers === undefined ? ['bank A', 'bank B'] : ofProviders
  await deskOf(world, chance).resumeRail(chance.pick(names))
}

type OpenRefund = { depositId: Uuid; provider: string; providerId: string }

const openRefunds = `
  select r.deposit_id as "depositId", d.provider, d.provider_id as "providerId"
    from deposit_refund r join deposit d on d.lane = r.lane and d.tenant_id = r.tenant_id and d.id = r.deposit_id
   where r.status <> 'REFUNDED' order by d.provider_id`

/**
 * Resolves a refund: as refunded if the provider has sent the money back. Otherwise asks for another attempt, which the
 * service may refuse.
 */
export async function resolveSomeRefund(world: World, chance: Chance): Promise<void> {
  const { providers, database, model } = world
  if (providers === undefined) return
  const open = await database.ask<OpenRefund>(openRefunds).catch(() => [])
  if (open.length === 0) return
  const { depositId, provider, providerId } = chance.pick(open)
  const isSentBack = refundsOf(providers.paystack, providers.monnify).some(
    (one) => one.provider === provider && one.transaction === providerId,
  )
  const heard = await deskOf(world, chance).resolveRefund(
    depositReference(depositId),
    isSentBack ? 'refunded' : 'retry',
  )
  if (!['resolved', 'not-open', 'under-way', 'unclear'].includes(heard))
    model.wrong.add(`resolving the refund of ${providerId} was answered ${heard}`)
}
