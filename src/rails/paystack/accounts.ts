// Virtual accounts at Paystack: charges for one payment, and customers' accounts ("dedicated virtual accounts").
// Paystack identifies a customer by email, and all our businesses share one Paystack account. So the email is made of
// our reference: otherwise two businesses that know the same person would share a customer, and the second account
// would pay the first business.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import { toWire } from '#platform/money.ts'
import { isAccountNumber, attemptReferenceOf } from '#rails/formats.ts'
import { detailOf } from '#rails/outcome.ts'
import type { NewAccount, StaticAccountOrder, VirtualAccounts, DynamicAccountOrder } from '#rails/ports.ts'
import {
  customerData,
  dedicatedAccounts,
  dedicatedData,
  providersData,
  type DedicatedAccount,
  chargeData,
} from './answers.ts'
import type { PaystackCall } from './call.ts'

type PaystackAccountsOptions = {
  call: PaystackCall
  clock: Clock
  emailDomain: string
  bankSlug: string
}

export function createVirtualAccounts(options: PaystackAccountsOptions): VirtualAccounts {
  const { call, bankSlug } = options
  return {
    defaultBankSlug: bankSlug,
    offered: () => askOffered(call),
    createStatic: (order) => openAccount(options, order),
    createDynamic: (order) => createCharge(options, order, attemptReferenceOf(order)),
    async close({ handle }) {
      // Charges have no handle, and earlier versions of this service stored none for accounts.
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

/**
 * While an account is opened, each call after the first waits this long for our rate limit. Three such waits together
 * stay below the time limit of the whole operation (time-limits.ts).
 */
const patienceMs = 4_000

type Unavailable = Extract<NewAccount, { kind: 'unavailable' }>
type Incomplete = Extract<NewAccount, { kind: 'incomplete-customer' }>
type PaystackCustomer = { kind: 'customer'; id: string; code: string }

async function openAccount(options: PaystackAccountsOptions, order: StaticAccountOrder): Promise<NewAccount> {
  const { call, bankSlug } = options
  const slug = order.bank?.slug ?? bankSlug
  const offered = slug === bankSlug ? 'yes' : await offers(call, slug)
  if (offered !== 'yes') return offered
  const customer = await customerFor(options, order)
  if (customer.kind !== 'customer') return customer
  // An earlier attempt whose response was lost may have opened the account already.
  const path = `/dedicated_account?customer=${customer.id}&active=true`
  const listed = await call({ endpoint: 'dedicated-account', method: 'GET', path, patienceMs })
  if (listed.kind !== 'success') return unavailable(detailOf('dedicated-account', listed))
  const open = dedicatedAccounts.safeParse(listed.data).data
  if (open === undefined) return unavailable('dedicated-account: an answer without a list')
  const known = open.find((one) => isOf(one, customer, slug))
  if (known !== undefined) return accountOf(known)
  const said = await call({
    endpoint: 'dedicated-account',
    method: 'POST',
    path: '/dedicated_account',
    patienceMs,
    body: { customer: customer.code, preferred_bank: slug },
  })
  if (said.kind !== 'success') return unavailable(detailOf('dedicated-account', said))
  const made = dedicatedData.safeParse(said.data).data
  return made !== undefined && isOf(made, customer, slug)
    ? accountOf(made)
    : unavailable('dedicated-account: an answer about another account, or one that is not assigned')
}

async function offers(call: PaystackCall, slug: string): Promise<'yes' | Unavailable | { kind: 'unsupported-bank' }> {
  const offered = await askOffered(call)
  if (offered.kind === 'unavailable') return offered
  return offered.banks.includes(slug) ? 'yes' : { kind: 'unsupported-bank' }
}

async function askOffered(call: PaystackCall): Promise<{ kind: 'offered'; banks: string[] } | Unavailable> {
  const path = '/dedicated_account/available_providers'
  const said = await call({ endpoint: 'dedicated-account', method: 'GET', path })
  if (said.kind !== 'success') return unavailable(detailOf('dedicated-account', said))
  const providers = providersData.safeParse(said.data).data
  if (providers === undefined) return unavailable('dedicated-account: an answer that cannot be read')
  return { kind: 'offered', banks: providers.map((one) => one.provider_slug) }
}

async function customerFor(
  { call, emailDomain }: PaystackAccountsOptions,
  order: StaticAccountOrder,
): Promise<PaystackCustomer | Unavailable | Incomplete> {
  const email = `${attemptReferenceOf(order)}@${emailDomain}`
  const { firstName, lastName, phoneNumber: phone } = order.customer
  const path = `/customer/${encodeURIComponent(email)}`
  const find = () => call({ endpoint: 'customer', method: 'GET', path, ...(phone === null ? {} : { patienceMs }) })
  const body = { email, first_name: firstName, last_name: lastName, phone }
  // An earlier attempt whose response was lost may have created the customer while its data was still complete.
  const made =
    phone === null ? undefined : await call({ endpoint: 'customer', method: 'POST', path: '/customer', body })
  // Paystack does not document whether it returns or refuses an existing customer.
  const said = made === undefined || made.kind === 'refusal' ? await find() : made
  const isMissing = said.kind === 'refusal' && said.status === 404
  if (isMissing && made === undefined) return { kind: 'incomplete-customer', missing: ['phoneNumber'] }
  if (said.kind !== 'success')
    return unavailable(detailOf('customer', isMissing && made?.kind === 'refusal' ? made : said))
  const data = customerData.safeParse(said.data).data
  return data?.email.toLowerCase() === email.toLowerCase()
    ? { kind: 'customer', id: data.id, code: data.customer_code }
    : unavailable('customer: an answer about another customer')
}

function isOf(
  { customer, bank, active, assigned, account_number }: DedicatedAccount,
  of: PaystackCustomer,
  slug: string,
): boolean {
  const isOurs = customer.customer_code === of.code && bank.slug === slug
  return isOurs && active && assigned && isAccountNumber(account_number)
}

function accountOf({ id, account_number, account_name, bank }: DedicatedAccount): NewAccount {
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

type ChargesOptions = { call: PaystackCall; clock: Clock; emailDomain: string }

/**
 * Paystack extends a shorter lifetime to this, and cuts a longer one to eight hours; its response has the actual end.
 */
const lifeMsMin = 15 * minuteMs

/** Paystack's minimum for a charge, in kobo. */
const amountMin = 100_00n

/**
 * Creates a charge by bank transfer. Paystack accepts exactly the amount, returns any other by itself, and identifies
 * the payment only by our reference. A charge cannot be closed; it lapses.
 */
async function createCharge(
  { call, clock, emailDomain }: ChargesOptions,
  order: DynamicAccountOrder,
  reference: string,
): Promise<NewAccount> {
  if (order.policy === 'any') return { kind: 'unsupported', what: 'any-amount' }
  if (order.amount < amountMin) return { kind: 'unsupported', what: 'small-amount' }
  const overdueMs = clock.now() - order.expiresAtMs
  // An account that this order opened before has lapsed, and it is too late for another.
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

function isKnown(said: Awaited<ReturnType<PaystackCall>>): boolean {
  if (said.kind !== 'refusal') return false
  return said.code === 'duplicate_reference' || /duplicate transaction reference/i.test(said.message)
}

/**
 * Paystack does not document whether it shows the account of a charge again. If it does not, the order waits until
 * the charge has lapsed.
 */
function readAgain(call: PaystackCall, reference: string): ReturnType<PaystackCall> {
  return call({ endpoint: 'charge', method: 'GET', path: `/charge/${encodeURIComponent(reference)}`, patienceMs })
}

function accountIn(said: Awaited<ReturnType<PaystackCall>>, reference: string): NewAccount {
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
