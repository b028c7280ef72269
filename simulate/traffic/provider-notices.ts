// Sends notices of Paystack and Monnify about transfers. A notice reaches any instance early, late, twice or out of
// order, and now and then it is untrue or unsigned. The service must not believe a notice: it may only take it as a
// reason to ask the provider.

import { present } from '#platform/assert.ts'
import { createClient } from '#tests/support/client.ts'
import { digestOf } from '#rail-notices/notice.ts'
import type { Ending } from '#simulate/rails/fate.ts'
import type { ProviderName, Providers, ProviderTransfer } from '#simulate/rails/providers.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type Member, type World } from '#simulate/world.ts'

const words = ['success', 'success', 'failed', 'reversed'] as const
type Word = (typeof words)[number]

/** The states that a transfer reaches. No provider confirms another state, so an untrue notice stays open for days. */
const truths: Record<Ending, readonly Word[]> = {
  succeeds: ['success'],
  contradicts: ['success'],
  fails: ['failed'],
  returns: ['success', 'reversed'],
  waits: [],
}

const events: Record<Word, string> = {
  success: 'SUCCESSFUL_DISBURSEMENT',
  failed: 'FAILED_DISBURSEMENT',
  reversed: 'REVERSED_DISBURSEMENT',
}

export async function tellOfTransfer(world: World, chance: Chance): Promise<void> {
  const arrivals = world.providers?.transfers() ?? []
  if (arrivals.length === 0) return
  const [arrival, word] = [chance.pick(arrivals), chance.pick(words)]
  const ends = world.fates.payouts.get(arrival.payee)?.ends ?? 'succeeds'
  if (!truths[ends].includes(word))
    world.model.lies.add(digestOf(noticeOf(world, arrival, word).rawBody).toString('hex'))
  const copies = chance.pick([1, 1, 2, 3])
  await Promise.all(
    Array.from({ length: copies }, () =>
      postNotice(world, anyMember(world, chance), noticeOf(world, arrival, word), { signed: chance.happens(0.9) }),
    ),
  )
}

/**
 * Sends a notice of each returned payout. Returns true if the service accepted all of them; otherwise the caller sends
 * them again.
 */
export async function tellOfReturns(world: World, member: Member): Promise<boolean> {
  const { model, providers } = world
  const returned = new Set(model.payouts.filter(({ fate }) => fate.ends === 'returns').map(({ payee }) => payee))
  const arrivals = (providers?.transfers() ?? []).filter(({ payee }) => returned.has(payee))
  const taken = await Promise.all(
    arrivals.map((arrival) => postNotice(world, member, noticeOf(world, arrival, 'reversed'))),
  )
  return taken.every((isTaken) => isTaken)
}

export type SignedNotice = { rail: ProviderName | 'pawapay'; headers: Record<string, string>; rawBody: Buffer }

/**
 * `signed` false: the signature is that of another body. `isForged`: the signature was made with another key. `isLate`:
 * returns true if the signature may have expired by now.
 */
type Signing = { signed?: boolean; isForged?: boolean; isLate?: () => boolean }

/**
 * Sends a notice. Returns true if the service accepted it. An instance whose RAILS_FILE lacks this rail answers 404.
 */
export async function postNotice(
  { model }: World,
  member: Member,
  { rail, headers, rawBody }: SignedNotice,
  { signed = true, isForged = false, isLate = () => false }: Signing = {},
): Promise<boolean> {
  const client = createClient(member.instance.address)
  const body = signed ? rawBody : Buffer.from(`${rawBody.toString()} `)
  const options = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body }
  const status = await client.call(addressOf(member, rail), options).then(
    (answer) => answer.status,
    () => 0,
  )
  client.close()
  const expected = [signed && !isForged ? 200 : 401, 404, 503, 429, 0, ...(isLate() ? [401] : [])]
  if (!expected.includes(status)) model.wrong.add(`a notice of ${rail} was answered ${status}`)
  return status === 200
}

/** Returns the path to which a rail's notices are sent. If the rail was renamed, the path has the new name. */
export function addressOf({ instance }: Member, rail: SignedNotice['rail']): string {
  return `/staging/rails/${instance.roads.named === 'anew' ? `${rail}-ng` : rail}/notices`
}

function noticeOf(
  { providers }: World,
  { rail, railReference: reference }: ProviderTransfer,
  word: Word,
): SignedNotice {
  const { paystack, monnify }: Providers = present(providers, 'what a provider has arrived over its adapter')
  return rail === 'paystack'
    ? { rail, ...paystack.sign(JSON.stringify({ event: `transfer.${word}`, data: { reference } })) }
    : { rail, ...monnify.sign(JSON.stringify({ eventType: events[word], eventData: { reference } })) }
}
