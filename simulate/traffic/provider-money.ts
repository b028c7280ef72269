// Money that people pay into accounts at Paystack and Monnify: the right amount, too little, too much, too late, twice. Its notice
// comes early, late, repeatedly, with an untrue amount or unsigned. Without a notice the service learns of it from the lists.

import { present } from '#platform/assert.ts'
import type { Account, ProviderMoney } from '#simulate/model.ts'
import { refundsOf, type PaidIn } from '#simulate/rails/provider-lists.ts'
import type { Providers } from '#simulate/rails/providers.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type World } from '#simulate/world.ts'
import { postNotice, type SignedNotice } from './provider-notices.ts'

type Telling = 'told' | 'early' | 'late' | 'never'
const tellings: readonly Telling[] = ['told', 'told', 'told', 'early', 'late', 'never']

export async function payAtProvider(world: World, chance: Chance): Promise<void> {
  const { model } = world
  const providers = present(world.providers, 'a world with providers')
  const accounts = chance
    .pick(model.tenants)
    .accounts.filter(({ accountNumber }) => placeOf(providers, accountNumber) !== undefined)
  if (accounts.length === 0) return
  const account = chance.pick(accounts)
  const [telling, amount] = [chance.pick(tellings), amountFor(account, chance)]
  const times = account.waitsFor !== undefined && chance.happens(0.3) ? 2 : 1
  await Promise.all(Array.from({ length: times }, () => pay(world, chance, account, { telling, amount })))
}

/** A payment is at least this large, so that the provider can send it back. */
const leastKobo = 20_000

function amountFor({ waitsFor }: Account, chance: Chance): number {
  const wanted = waitsFor?.amount ?? chance.between(leastKobo, 2_000_000)
  const other = chance.happens(0.3) ? chance.between(-20_000, 20_000) : 0
  return Math.max(leastKobo, wanted + other)
}

async function pay(
  world: World,
  chance: Chance,
  account: Account,
  { telling, amount }: { telling: Telling; amount: number },
): Promise<void> {
  const { model, time } = world
  const providers = present(world.providers, 'a world with providers')
  const place = placeOf(providers, account.accountNumber)
  if (place === undefined) return
  const charge = place.kind === 'charge' ? place : undefined
  // Paystack accepts the amount of a charge once and in time, and sends everything else back by itself.
  const isOver = charge !== undefined && (isPaid(world, charge.reference) || time.now() >= charge.expiresAtMs)
  if (isOver) return
  const money: ProviderMoney = {
    ...namesOf(place, model.paid.length + 1),
    amount: charge?.amount ?? amount,
    accountNumber: charge === undefined ? account.accountNumber : undefined,
    paidAtMs: time.now(),
    isTold: telling === 'told',
  }
  model.paid.push(money)
  const notice = noticeOf(providers, money, chance.happens(0.2) ? 1 : 0)
  // An early notice: the provider's own API does not show the money yet.
  if (telling === 'early') await postNotice(world, anyMember(world, chance), notice)
  arrive(providers, money, place)
  if (telling === 'told') await tellOften(world, chance, notice)
}

function isPaid({ model }: World, ofCharge: string): boolean {
  return model.paid.some(({ reference }) => reference === ofCharge)
}

function namesOf(place: Place, number: number): Pick<PaidIn, 'provider' | 'id' | 'reference'> {
  switch (place.kind) {
    case 'charge':
      return { provider: 'paystack', id: String(800_000 + number), reference: place.reference }
    case 'dedicated':
      return { provider: 'paystack', id: String(800_000 + number), reference: `T${number}` }
    case 'reservation':
    case 'invoice':
      return { provider: 'monnify', id: `MNFY|${number}`, reference: `MNFY|${number}` }
  }
}

async function tellOften(world: World, chance: Chance, notice: SignedNotice): Promise<void> {
  const copies = chance.pick([1, 1, 2, 3])
  await Promise.all(
    Array.from({ length: copies }, () =>
      postNotice(world, anyMember(world, chance), notice, { signed: chance.happens(0.9) }),
    ),
  )
}

/** Sends a late notice, or repeats one. If there was no notice before, none is sent in half of the calls. */
export async function tellOfMoneyAgain(world: World, chance: Chance): Promise<void> {
  const { paid } = world.model
  const providers = present(world.providers, 'a world with providers')
  if (paid.length === 0) return
  const money = chance.pick(paid)
  if (!money.isTold && chance.happens(0.5)) return
  money.isTold = true
  await tellOften(world, chance, noticeOf(providers, money, 0))
}

/** Sends a notice that a refund succeeded or failed, true or not. The service must ask the provider which is true. */
export async function tellOfRefund(world: World, chance: Chance): Promise<void> {
  const providers = present(world.providers, 'a world with providers')
  const { paystack, monnify } = providers
  const refunds = refundsOf(paystack, monnify)
  if (refunds.length === 0) return
  const { provider, transaction } = chance.pick(refunds)
  const reference = world.model.paid.find(({ id }) => id === transaction)?.reference
  const isDone = chance.happens(0.8)
  const notice =
    provider === 'paystack'
      ? { event: isDone ? 'refund.processed' : 'refund.failed', data: { transaction_reference: reference } }
      : { eventType: isDone ? 'SUCCESSFUL_REFUND' : 'FAILED_REFUND', eventData: { transactionReference: reference } }
  await tellOften(world, chance, { rail: provider, ...providers[provider].sign(JSON.stringify(notice)) })
}

type Place =
  | { kind: 'dedicated' }
  | { kind: 'charge'; reference: string; amount: number; expiresAtMs: number }
  | { kind: 'reservation' | 'invoice'; reference: string }

/** Undefined: neither provider has the account. */
function placeOf({ paystack, monnify }: Providers, accountNumber: string): Place | undefined {
  const charge = paystack.charges.made().find(({ number }) => number === accountNumber)
  if (charge !== undefined) return { kind: 'charge', ...charge }
  if (paystack.accounts.open().includes(accountNumber)) return { kind: 'dedicated' }
  const held = monnify.accounts.find(accountNumber)
  return held === undefined
    ? undefined
    : { kind: held.isInvoice ? 'invoice' : 'reservation', reference: held.reference }
}

function arrive({ paystack, monnify, lists }: Providers, money: PaidIn, place: Place): void {
  const { id, reference, amount, accountNumber, paidAtMs } = money
  if (money.provider === 'paystack')
    paystack.pay({ id, reference, amount, paidAtMs, ...(accountNumber === undefined ? {} : { accountNumber }) })
  else
    monnify.pay({
      reference,
      naira: `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`,
      paidOn: new Date(paidAtMs + lagosMs).toISOString().slice(0, 23).replace('T', ' '),
      ...('reference' in place ? { reservation: place.reference } : {}),
      productType: place.kind === 'invoice' ? 'INVOICE' : 'RESERVED_ACCOUNT',
    })
  lists.add(money)
}

const lagosMs = 3_600_000

/** `more`: the notice names the amount plus this much, which is untrue. */
function noticeOf({ paystack, monnify }: Providers, money: PaidIn, more: number): SignedNotice {
  const { provider, reference, accountNumber } = money
  const amount = money.amount + more
  if (provider === 'paystack') {
    const channel = accountNumber === undefined ? 'bank_transfer' : 'dedicated_nuban'
    return {
      rail: provider,
      ...paystack.sign(JSON.stringify({ event: 'charge.success', data: { reference, channel, amount } })),
    }
  }
  const eventData = {
    transactionReference: reference,
    paymentMethod: 'ACCOUNT_TRANSFER',
    amountPaid: amount / 100,
    destinationAccountInformation: { accountNumber },
  }
  return { rail: provider, ...monnify.sign(JSON.stringify({ eventType: 'SUCCESSFUL_TRANSACTION', eventData })) }
}
