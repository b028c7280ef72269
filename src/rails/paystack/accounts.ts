// Accounts to pay into at Paystack: for one payment (charges.ts), and of customers ("dedicated virtual accounts"). A customer there is its email, and all of our businesses
// share one Paystack account: so the email is ours, made of our reference, or two businesses that know the same person would
// share a customer, and the second account would pay the first business.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import { toWire } from '#platform/money.ts'
import { isAccountNumber } from '#rails/formats.ts'
import { detailOf } from '#rails/outcome.ts'
import type { NewAccount, StaticAccountOrder, VirtualAccounts, DynamicAccountOrder } from '#rails/ports.ts'
import { attemptReferenceOf } from '#rails/reference.ts'
import { customerData, dedicatedAccounts, dedicatedData, providersData, type Dedicated, chargeData } from './answers.ts'
import type { Call } from './call.ts'

type AccountsOptions = {
  call: Call
  clock: Clock
  emailDomain: string
  /** Of an account whose business chose none, as Paystack calls it. */
  bankSlug: string
}

export function createVirtualAccounts(options: AccountsOptions): VirtualAccounts {
  const { call, bankSlug } = options
  return {
    defaultBankSlug: bankSlug,
    offered: () => askOffered(call),
    createStatic: (order) => openAccount(options, order),
    createDynamic: (order) => createCharge(options, order, attemptReferenceOf(order)),
    async close({ handle }) {
      // Of a charge, or of a version that did not note it.
      if (handle === null)
        return { kind: 'unavailable', detail: 'dedicated-account: only what has an id there is closed' }
      const path = `/dedicated_account/${encodeURIComponent(handle)}`
      const said = await call({ endpoint: 'dedicated-account', method: 'DELETE', path })
      if (said.kind === 'success') return { kind: 'closed' }
      const isGone = said.kind === 'refusal' && (said.status === 404 || /already|not found/i.test(said.message))
      return isGone ? { kind: 'closed' } : { kind: 'unavailable', detail: detailOf('dedicated-account', said) }
    },
  }
}

type Unavailable = Extract<NewAccount, { kind: 'unavailable' }>
type Incomplete = Extract<NewAccount, { kind: 'incomplete-customer' }>
type Customer = { kind: 'customer'; id: string; code: string }

async function openAccount(options: AccountsOptions, order: StaticAccountOrder): Promise<NewAccount> {
  const { call, bankSlug } = options
  const slug = order.bank?.slug ?? bankSlug
  const offered = slug === bankSlug ? 'yes' : await offers(call, slug)
  if (offered !== 'yes') return offered
  const customer = await customerFor(options, order)
  if (customer.kind !== 'customer') return customer
  // A try whose answer was lost may have opened it already.
  const path = `/dedicated_account?customer=${customer.id}&active=true`
  const listed = await call({ endpoint: 'dedicated-account', method: 'GET', path })
  if (listed.kind !== 'success') return unavailable(detailOf('dedicated-account', listed))
  const open = dedicatedAccounts.safeParse(listed.data).data
  if (open === undefined) return unavailable('dedicated-account: an answer without a list')
  const known = open.find((one) => isOf(one, customer, slug))
  if (known !== undefined) return accountOf(known)
  const said = await call({
    endpoint: 'dedicated-account',
    method: 'POST',
    path: '/dedicated_account',
    body: { customer: customer.code, preferred_bank: slug },
  })
  if (said.kind !== 'success') return unavailable(detailOf('dedicated-account', said))
  const made = dedicatedData.safeParse(said.data).data
  return made !== undefined && isOf(made, customer, slug)
    ? accountOf(made)
    : unavailable('dedicated-account: an answer about another account, or one that is not assigned')
}

/** Whether Paystack holds accounts at a bank that a business named. */
async function offers(call: Call, slug: string): Promise<'yes' | Unavailable | { kind: 'unsupported-bank' }> {
  const offered = await askOffered(call)
  if (offered.kind === 'unavailable') return offered
  return offered.banks.includes(slug) ? 'yes' : { kind: 'unsupported-bank' }
}

async function askOffered(call: Call): Promise<{ kind: 'offered'; banks: string[] } | Unavailable> {
  const path = '/dedicated_account/available_providers'
  const said = await call({ endpoint: 'dedicated-account', method: 'GET', path })
  if (said.kind !== 'success') return unavailable(detailOf('dedicated-account', said))
  const providers = providersData.safeParse(said.data).data
  if (providers === undefined) return unavailable('dedicated-account: an answer that cannot be read')
  return { kind: 'offered', banks: providers.map((one) => one.provider_slug) }
}

async function customerFor(
  { call, emailDomain }: AccountsOptions,
  order: StaticAccountOrder,
): Promise<Customer | Unavailable | Incomplete> {
  const email = `${attemptReferenceOf(order)}@${emailDomain}`
  const { firstName, lastName, phoneNumber: phone } = order.customer
  const find = () => call({ endpoint: 'customer', method: 'GET', path: `/customer/${encodeURIComponent(email)}` })
  const body = { email, first_name: firstName, last_name: lastName, phone }
  // A try whose answer was lost may have made it when the customer was still complete.
  const made =
    phone === null ? undefined : await call({ endpoint: 'customer', method: 'POST', path: '/customer', body })
  // Whether one that it has is shown again or refused is not documented.
  const said = made === undefined || made.kind === 'refusal' ? await find() : made
  if (phone === null && said.kind === 'refusal' && said.status === 404)
    return { kind: 'incomplete-customer', missing: ['phoneNumber'] }
  if (said.kind !== 'success') return unavailable(detailOf('customer', said))
  const data = customerData.safeParse(said.data).data
  return data?.email.toLowerCase() === email.toLowerCase()
    ? { kind: 'customer', id: data.id, code: data.customer_code }
    : unavailable('customer: an answer about another customer')
}

function isOf({ customer, bank, active, assigned, account_number }: Dedicated, of: Customer, slug: string): boolean {
  const isOurs = customer.customer_code === of.code && bank.slug === slug
  return isOurs && active && assigned && isAccountNumber(account_number)
}

function accountOf({ id, account_number, account_name, bank }: Dedicated): NewAccount {
  return {
    kind: 'created',
    accountNumber: account_number,
    accountName: account_name,
    bankName: bank.name,
    bankSlug: bank.slug,
    handle: id,
  }
}

function unavailable(detail: string): Unavailable {
  return { kind: 'unavailable', detail }
}

// Accounts for one payment at Paystack: a charge by bank transfer. Paystack takes exactly the amount, sends any other back by
// itself, and knows the payment by our reference alone. A charge cannot be closed: it lapses.

type ChargesOptions = { call: Call; clock: Clock; emailDomain: string }

/** A shorter life is made this long, a longer one is cut to eight hours; the answer says which. */
const lifeMsMin = 15 * minuteMs

/** Paystack charges no less, in kobo. */
const amountMin = 100_00n

async function createCharge(
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
