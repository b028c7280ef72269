// Virtual accounts at Monnify: reserved accounts, which belong to a customer, and invoices, which expect one payment.
// Both have our reference, by which Monnify shows them again, so a lost response loses nothing.

import type { Clock } from '#platform/clock.ts'
import { isAccountNumber, plainName, nairaOf, attemptReferenceOf } from '#rails/formats.ts'
import { detailOf } from '#rails/outcome.ts'
import type { NewAccount, StaticAccountOrder, VirtualAccounts, DynamicAccountOrder } from '#rails/ports.ts'
import { jsonNumber } from '#rails/provider.ts'
import type { RailBank } from '#rails/rail.ts'
import { reservedBody, invoiceBody, lagosTextOf, timeIn } from './answers.ts'
import type { MonnifyCall, MonnifyAnswer } from './call.ts'
import { bankCodeOf } from './directory.ts'

type MonnifyAccountsOptions = {
  call: MonnifyCall
  clock: Clock
  contractCode: string
  /**
   * Domain of the email addresses that identify customers at Monnify, so that no two of our accounts share a customer
   * there.
   */
  emailDomain: string
}

type Reservation = { order: StaticAccountOrder; reference: string; bank: RailBank; bankCode: string }

const usualBank: RailBank = {
  slug: 'moniepoint-mfb-ng',
  name: 'Moniepoint Microfinance Bank',
  code: '50515',
  nipCode: '090405',
  cbnCode: '50515',
}

const reserved = '/api/v2/bank-transfer/reserved-accounts'
const closings: Record<string, string> = {
  reserved: '/api/v1/bank-transfer/reserved-accounts/reference',
  invoice: '/api/v1/invoice',
}

export function createVirtualAccounts(options: MonnifyAccountsOptions): VirtualAccounts {
  return {
    defaultBankSlug: usualBank.slug,
    createStatic(order) {
      const bank = order.bank ?? usualBank
      const bankCode = bankCodeOf(bank)
      if (bankCode === null) return Promise.resolve({ kind: 'unsupported-bank' })
      const reservation = { order, reference: attemptReferenceOf(order), bank, bankCode }
      // An earlier attempt whose response was lost may have opened the account while the customer's data was still
      // complete.
      return order.customer.bvn === null
        ? findOr(options, reservation, { kind: 'incomplete-customer', missing: ['bvn'] })
        : reserve(options, reservation)
    },
    createDynamic: (order) => createInvoice(options, order, attemptReferenceOf(order)),
    async close({ handle, railReference }) {
      const [kind = '', reference = ''] = (handle ?? `reserved ${railReference}`).split(' ')
      const tail = kind === 'invoice' ? '/cancel' : ''
      const path = `${closings[kind] ?? ''}/${reference}${tail}`
      const said = await options.call({
        endpoint: kind === 'invoice' ? 'invoice' : 'reserved-account',
        method: 'DELETE',
        path,
      })
      if (said.kind === 'success') return { kind: 'closed' }
      if (said.kind === 'refusal' && isMissing(said)) return { kind: 'closed' }
      return { kind: 'unavailable', detail: detailOf(kind, said) }
    },
  }
}

function isMissing({ status, message }: Extract<MonnifyAnswer, { kind: 'refusal' }>): boolean {
  return status === 404 || /cannot find|not found|already (cancelled|deleted|expired|paid)/i.test(message)
}

async function reserve(options: MonnifyAccountsOptions, reservation: Reservation): Promise<NewAccount> {
  const { call, contractCode, emailDomain } = options
  const { order, reference, bankCode } = reservation
  const { firstName, lastName, bvn } = order.customer
  const said = await call({
    endpoint: 'reserved-account',
    method: 'POST',
    path: reserved,
    body: {
      accountReference: reference,
      accountName: plainName(order.accountName),
      currencyCode: 'NGN',
      contractCode,
      customerEmail: `${reference}@${emailDomain}`,
      customerName: plainName(`${firstName} ${lastName}`),
      bvn,
      getAllAvailableBanks: false,
      preferredBanks: [bankCode],
    },
  })
  if (said.kind === 'unknown') return { kind: 'unavailable', detail: said.detail }
  if (said.kind === 'success') return accountIn(said.body, reservation)
  // Monnify opens only one account per person, which an earlier attempt of this order may have opened.
  if (said.code === 'R42' || /cannot reserve more than/i.test(said.message))
    return findOr(options, reservation, { kind: 'unsupported', what: 'second-account' })
  const detail = detailOf('reserved-account', said)
  return /same reference|already exists/i.test(said.message)
    ? findOr(options, reservation, { kind: 'unavailable', detail })
    : { kind: 'unavailable', detail }
}

/** The account that the order opened before; `otherwise` if Monnify reports that there is none. */
async function findOr(
  { call }: MonnifyAccountsOptions,
  reservation: Reservation,
  otherwise: NewAccount,
): Promise<NewAccount> {
  const path = `${reserved}/${reservation.reference}`
  const said = await call({ endpoint: 'reserved-account', method: 'GET', path })
  if (said.kind === 'success') return accountIn(said.body, reservation)
  return said.kind === 'refusal' && isMissing(said)
    ? otherwise
    : { kind: 'unavailable', detail: detailOf('reserved-account', said) }
}

/** Reads the account at the requested bank, because a reservation may have accounts at several banks. */
function accountIn(body: unknown, { order, reference, bank, bankCode }: Reservation): NewAccount {
  const found = reservedBody.safeParse(body).data
  const account = found?.accounts.find((one) => one.bankCode === bankCode)
  if (found?.accountReference !== reference || account === undefined || !isAccountNumber(account.accountNumber))
    return { kind: 'unavailable', detail: 'reserved-account: an answer about another account, or without its number' }
  return {
    kind: 'created',
    accountNumber: account.accountNumber,
    accountName: account.accountName ?? order.accountName,
    bankName: account.bankName ?? bank.name,
    bankSlug: bank.slug,
    handle: `reserved ${reference}`,
  }
}

/** Monnify's minimum for an invoice, in kobo. */
const amountMin = 20_00n

/**
 * Creates an invoice: a Monnify account that expects one payment until a time that we set. Monnify accepts any
 * amount, so the deposits module decides whether a different amount is accepted.
 */
async function createInvoice(
  options: MonnifyAccountsOptions,
  order: DynamicAccountOrder,
  reference: string,
): Promise<NewAccount> {
  const { call, clock, contractCode, emailDomain } = options
  if (order.amount < amountMin) return { kind: 'unsupported', what: 'small-amount' }
  // Monnify does not create an invoice after its expiry. An earlier attempt may have created this one in time.
  if (order.expiresAtMs <= clock.now())
    return findInvoice(options, order, reference, { kind: 'unsupported', what: 'lifetime' })
  const said = await call({
    endpoint: 'invoice',
    method: 'POST',
    path: '/api/v1/invoice/create',
    body: {
      amount: jsonNumber(nairaOf(order.amount)),
      invoiceReference: reference,
      description: 'Payment',
      currencyCode: 'NGN',
      contractCode,
      customerEmail: `${reference}@${emailDomain}`,
      customerName: plainName(order.accountName),
      expiryDate: lagosTextOf(order.expiresAtMs),
      paymentMethods: ['ACCOUNT_TRANSFER'],
    },
  })
  if (said.kind === 'success') return invoiceAccountIn(said.body, order, reference)
  const detail = detailOf('invoice', said)
  return said.kind === 'refusal' && /already exists/i.test(said.message)
    ? findInvoice(options, order, reference, { kind: 'unavailable', detail })
    : { kind: 'unavailable', detail }
}

async function findInvoice(
  { call }: MonnifyAccountsOptions,
  order: DynamicAccountOrder,
  reference: string,
  otherwise: NewAccount,
): Promise<NewAccount> {
  const said = await call({ endpoint: 'invoice', method: 'GET', path: `/api/v1/invoice/${reference}/details` })
  if (said.kind === 'success') return invoiceAccountIn(said.body, order, reference)
  return said.kind === 'refusal' && isMissing(said)
    ? otherwise
    : { kind: 'unavailable', detail: detailOf('invoice', said) }
}

function invoiceAccountIn(body: unknown, order: DynamicAccountOrder, reference: string): NewAccount {
  const found = invoiceBody.safeParse(body).data
  const isOurs = found?.invoiceReference === reference && found.amount === order.amount
  if (!isOurs || !isAccountNumber(found.accountNumber))
    return { kind: 'unavailable', detail: 'invoice: an answer about another invoice, or without its account' }
  const expiresAtMs = timeIn(found.expiryDate ?? '')
  return {
    kind: 'created',
    accountNumber: found.accountNumber,
    accountName: found.accountName,
    bankName: found.bankName,
    bankSlug: slugOf(found.bankCode ?? '', found.bankName),
    handle: `invoice ${reference}`,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  }
}

/** Our slugs of the banks at which Monnify opens accounts, by Monnify's codes. */
const slugs: ReadonlyMap<string, string> = new Map(
  Object.entries({ '50515': 'moniepoint-mfb-ng', '035': 'wema-bank', '232': 'sterling-bank' }),
)

/** The slug is only shown, so it may be derived from the name of a bank that is new at Monnify. */
function slugOf(bankCode: string, bankName: string): string {
  return slugs.get(bankCode) ?? bankName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
