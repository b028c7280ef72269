// Accounts for one payment at Paystack: a charge by bank transfer. Paystack takes exactly the amount, sends any other back by
// itself, and knows the payment by our reference alone. A charge cannot be closed: it lapses.

import type { Clock } from '#base/clock.ts'
import { minuteMs } from '#base/durations.ts'
import { toWire } from '#base/money.ts'
import { isAccountNumber } from '#rails/account-number.ts'
import { detailOf } from '#rails/outcome.ts'
import type { DynamicAccountOrder, NewAccount } from '#rails/rail-accounts.ts'
import { chargeData } from './answers.ts'
import type { Call } from './call.ts'

type ChargesOptions = { call: Call; clock: Clock; emailDomain: string }

/** A shorter life is made this long, a longer one is cut to eight hours; the answer says which. */
const lifeMsMin = 15 * minuteMs

/** Paystack charges no less, in kobo. */
const amountMin = 100_00n

export async function createCharge(
  { call, clock, emailDomain }: ChargesOptions,
  order: DynamicAccountOrder,
  reference: string,
): Promise<NewAccount> {
  if (order.policy === 'any') return { kind: 'unsupported', what: 'any-amount' }
  if (order.amount < amountMin) return { kind: 'unsupported', what: 'small-amount' }
  const overdueMs = clock.now() - order.expiresAtMs
  // Whatever was opened for it before has lapsed, and it is too late for another.
  if (overdueMs >= lifeMsMin) return { kind: 'unsupported', what: 'lifetime' }
  if (overdueMs >= 0)
    return { kind: 'unavailable', detail: 'charge: what was opened for this order may not have lapsed' }
  const said = await call({
    endpoint: 'charge',
    method: 'POST',
    path: '/charge',
    body: {
      email: `${reference}@${emailDomain}`,
      amount: toWire(order.amount),
      reference,
      bank_transfer: { account_expires_at: new Date(order.expiresAtMs).toISOString() },
    },
  })
  return isKnown(said) ? accountIn(await readAgain(call, reference), reference) : accountIn(said, reference)
}

function isKnown(said: Awaited<ReturnType<Call>>): boolean {
  if (said.kind !== 'refusal') return false
  return said.code === 'duplicate_reference' || /duplicate transaction reference/i.test(said.message)
}

/** Whether Paystack shows the account of a charge again is not documented: if it does not, the order waits until it lapsed. */
function readAgain(call: Call, reference: string): ReturnType<Call> {
  return call({ endpoint: 'charge', method: 'GET', path: `/charge/${encodeURIComponent(reference)}` })
}

function accountIn(said: Awaited<ReturnType<Call>>, reference: string): NewAccount {
  if (said.kind !== 'success') return { kind: 'unavailable', detail: detailOf('charge', said) }
  const found = chargeData.safeParse(said.data).data
  const isOurs = found?.reference === reference && found.status === 'pending_bank_transfer'
  if (!isOurs || !isAccountNumber(found.account_number))
    return { kind: 'unavailable', detail: 'charge: an answer about another charge, or without its account' }
  return {
    kind: 'created',
    accountNumber: found.account_number,
    accountName: found.account_name,
    bankName: found.bank.name,
    bankSlug: found.bank.slug,
    handle: null,
    expiresAtMs: Date.parse(found.account_expires_at),
  }
}
