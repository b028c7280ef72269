// Three kinds of traffic of pawaPay: callbacks about payments, calls to it that fail, and changes of our wallets there.
// Callbacks reach any instance early, late, twice or out of order, and now and then they are untrue or have a forged
// signature. The service must ask pawaPay each time.

import { digestOf } from '#rail-notices/notice.ts'
import { present } from '#platform/assert.ts'
import { adjustWallet } from '#reconciliation/wallets.ts'
import type { Pawapay } from '#simulate/rails/pawapay.ts'
import { heldAtFirst } from '#simulate/rails/wallets.ts'
import type { FakePayment } from '#tests/support/fakes/pawapay.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type Member, type World } from '#simulate/world.ts'
import { addressOf, postNotice } from './provider-notices.ts'
import { spoilCallOf } from './provider-trouble.ts'

/** The states that a callback may name, also past, future and untrue ones. */
const words = ['as it is', 'as it is', 'as it is', 'PROCESSING', 'COMPLETED', 'FAILED'] as const

export async function tellOfWallet(world: World, chance: Chance): Promise<void> {
  const pawapay = pawapayOf(world)
  const payments = pawapay.fake.payments()
  if (payments.length === 0) return
  const [payment, word] = [chance.pick(payments), chance.pick(words)]
  const says = word === 'as it is' ? pawapay.fake.stateOf(payment.id) : word
  const body = JSON.stringify({ [`${payment.kind}Id`]: payment.id, status: says })
  if (!isTrue(world, payment, says)) world.model.lies.add(digestOf(Buffer.from(body)).toString('hex'))
  const copies = chance.pick([1, 1, 2, 3])
  await Promise.all(
    Array.from({ length: copies }, () =>
      postCallback(world, anyMember(world, chance), { body, ...drawSignature(chance) }),
    ),
  )
}

/** Returns whether pawaPay reports this state at some time. Only `COMPLETED` and `FAILED` can be untrue. */
function isTrue({ fates }: World, { kind, phoneNumber }: FakePayment, says: string): boolean {
  if (says !== 'COMPLETED' && says !== 'FAILED') return true
  const payee = `+${phoneNumber}`
  const ends = kind === 'payout' ? fates.payouts.get(payee)?.ends : fates.collections.get(payee)?.ends
  if (ends === 'waits') return false
  return (ends === 'succeeds' || ends === 'agrees') === (says === 'COMPLETED')
}

/** Draws the encoding of a signature: pawaPay's examples use DER, the RFC uses r‖s. Some are forged or for another body. */
function drawSignature(chance: Chance) {
  const encoding = chance.pick(['der', 'ieee-p1363'] as const)
  return { encoding, signed: chance.happens(0.9), isForged: chance.happens(0.05) }
}

/**
 * A signature is valid for two minutes. The service refuses an older one. After PostgreSQL's clock was set back, it may
 * refuse any.
 */
const signedForMs = 120_000

async function postCallback(
  world: World,
  member: Member,
  { body, encoding, signed, isForged }: { body: string } & ReturnType<typeof drawSignature>,
): Promise<void> {
  const { time } = world
  const { host: authority } = new URL(member.instance.address)
  const path = addressOf(member, 'pawapay')
  const signedAtMs = time.now()
  const callback = pawapayOf(world).fake.sign(body, { method: 'POST', authority, path }, { encoding, isForged })
  const isLate = (): boolean => time.database.isStepped() || time.now() - signedAtMs >= signedForMs
  await postNotice(world, member, { rail: 'pawapay', ...callback }, { signed, isForged, isLate })
}

function pawapayOf({ providers }: World): Pawapay {
  return present(providers?.pawapay, 'a world with pawaPay')
}

const calls = [
  /^GET \/v2\/payouts\//,
  /^GET \/v2\/deposits\//,
  /^GET \/v2\/(public-key\/http|active-conf|wallet-balances)$/,
  /^POST \/v2\/statements$/,
  /^GET \/v2\/statements\//,
  /^GET \/files\//,
]

export function spoilCallOfWallets(world: World, chance: Chance): Promise<void> {
  const { fake } = pawapayOf(world)
  fake.statements.slowness = chance.below(3)
  spoilCallOf(fake, calls, chance)
  return Promise.resolve()
}

/** Tops a wallet up or withdraws from it, as a person does. Only the statement reports it. */
export function moveWallet(world: World, chance: Chance): Promise<void> {
  const { wallets } = pawapayOf(world)
  const amount = BigInt(chance.between(1, 5_000_000))
  wallets.move(chance.pick(wallets.all), chance.happens(0.5) ? amount : -amount)
  return Promise.resolve()
}

/** Books what each wallet held at first, as an operator must: pawaPay does not list that amount. */
export async function openBooks(world: World, { instance }: Member): Promise<void> {
  for (const { currency, country } of pawapayOf(world).wallets.all) {
    const name = { environment: 'staging', rail: 'pawapay', currency, country } as const
    await adjustWallet(instance.app.ctx, name, { amount: heldAtFirst, note: 'held at first' })
  }
}
