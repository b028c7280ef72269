// Virtual accounts (numbers to pay into) and openings (accounts being opened), with their states; pure. docs/states.md draws
// the states. Also customers and accounts as the API shows them. `expireAccounts` (queries.ts) ends an account at its
// `expiresAt`. deposits/deposit.ts decides whether an account takes a payment.

import type { OfTenant } from '#platform/context.ts'
import { minuteMs } from '#platform/durations.ts'
import { type Uuid, formatId } from '#platform/ids.ts'
import { type Currency, type Money, toWire } from '#platform/money.ts'
import type { NewAccount } from '#rails/ports.ts'
import { isoTime } from '#platform/clock.ts'
import type { Customer } from './customers.ts'

export const accountTypes = ['static', 'dynamic'] as const
export type AccountType = (typeof accountTypes)[number]

export const accountStatuses = ['ACTIVE', 'COMPLETED', 'EXPIRED', 'CLOSED'] as const
export type AccountStatus = (typeof accountStatuses)[number]

export const amountPolicies = ['exact', 'any'] as const
export type AmountPolicy = (typeof amountPolicies)[number]

export type VirtualAccount = OfTenant & {
  id: Uuid
  type: AccountType
  /** For a static account, its customer's reference; for a dynamic one, the business's own, if given. */
  reference: string | null
  accountNumber: string
  accountName: string
  bankName: string
  bankSlug: string
  /**
   * The rail that opened the account, and its handle for closing. Empty and null if the account was opened by a version
   * that stored neither.
   */
  rail: string
  handle: string | null
  currency: Currency
  status: AccountStatus
  narration: string | null
  metadata: string | null
  order: { amount: Money; policy: AmountPolicy; expiresAt: Date } | null
  customer: { id: Uuid; reference: string } | null
  /** When the business first requested the account. The rail may have given its number to an earlier account before. */
  openedAt: Date
  createdAt: Date
  updatedAt: Date
}

/**
 * An opening: an account that a business requested, stored before its rail is asked for a number. After a crash the
 * row shows that there may be a number: a repeated request continues the opening, and an abandoned one is released.
 */
export type Provisioning = Pick<
  VirtualAccount,
  | 'lane'
  | 'tenantId'
  | 'id'
  | 'type'
  | 'reference'
  | 'accountName'
  | 'narration'
  | 'metadata'
  | 'order'
  | 'customer'
  | 'rail'
  | 'createdAt'
> & {
  /** Null leaves the choice to the rail, as for every dynamic account. */
  bankSlug: string | null
  /** Set when the opening was abandoned: it can no longer become an account. */
  givenUpAt: Date | null
  dueAt: Date
}

export type NewProvisioning = Omit<Provisioning, 'lane' | 'tenantId' | 'givenUpAt' | 'dueAt'>

export type OpeningOutcome =
  | { kind: 'opened'; account: VirtualAccount }
  | { kind: 'exists' }
  | { kind: 'unknown-customer' }
  | { kind: 'erased-customer' }
  | { kind: 'unknown-bank' }
  | DeclinedAccount

export type DeclinedAccount = Exclude<NewAccount, { kind: 'created' | 'unavailable' }>

/**
 * An opening is abandoned this long after its last request. That is longer than any rail call can take, so no process
 * is still waiting for the number, and long enough for a client that retries after a restart of the service.
 */
const resumableMs = 10 * minuteMs

/** Until this time the opening belongs to the request that continues it. */
export function resumableUntil(nowMs: number): Date {
  return new Date(nowMs + resumableMs)
}

/** A dynamic account that has expired before it is opened is useless. */
export function isResumable({ givenUpAt, order }: Provisioning, nowMs: number): boolean {
  return givenUpAt === null && (order === null || order.expiresAt.getTime() > nowMs)
}

/** The caller found the opening by its uniqueness claim (queries.ts), so the claim is not compared. */
export function haveSameTerms(opening: Provisioning, wanted: NewProvisioning): boolean {
  return (
    opening.accountName === wanted.accountName &&
    opening.narration === wanted.narration &&
    opening.metadata === wanted.metadata &&
    opening.order?.amount === wanted.order?.amount &&
    opening.order?.policy === wanted.order?.policy &&
    lifetimeMsOf(opening) === lifetimeMsOf(wanted)
  )
}

function lifetimeMsOf({ order, createdAt }: NewProvisioning): number | undefined {
  return order === null ? undefined : order.expiresAt.getTime() - createdAt.getTime()
}

export function givenUp(opening: Provisioning, nowMs: number): Provisioning {
  const now = new Date(nowMs)
  return { ...opening, givenUpAt: opening.givenUpAt ?? now, dueAt: now }
}

export function customerData(customer: Customer) {
  return {
    id: formatId('customer', customer.id),
    reference: customer.reference,
    firstName: customer.firstName,
    lastName: customer.lastName,
    email: customer.email,
    phoneNumber: customer.phoneNumber,
    status: customer.status,
    bvnVerified: false,
    metadata: metadataOf(customer.metadata),
    createdAt: isoTime(customer.createdAt),
    updatedAt: isoTime(customer.updatedAt),
  }
}

export function accountData(account: VirtualAccount) {
  const { order, customer } = account
  return {
    id: formatId('virtualAccount', account.id),
    type: account.type,
    reference: account.reference,
    accountNumber: account.accountNumber,
    accountName: account.accountName,
    bankName: account.bankName,
    bankSlug: account.bankSlug,
    currency: account.currency,
    status: account.status,
    amount: order === null ? null : toWire(order.amount),
    amountPolicy: order === null ? null : order.policy,
    expiresAt: order === null ? null : isoTime(order.expiresAt),
    customer: customer === null ? null : { id: formatId('customer', customer.id), reference: customer.reference },
    metadata: metadataOf(account.metadata),
    createdAt: isoTime(account.createdAt),
    updatedAt: isoTime(account.updatedAt),
  }
}

export function accountMention({ id, type, reference, accountNumber }: VirtualAccount) {
  return { id: formatId('virtualAccount', id), type, reference, accountNumber }
}

export function customerMention({ id, reference, firstName, lastName, email }: Customer) {
  return { id: formatId('customer', id), reference, firstName, lastName, email }
}

function metadataOf(text: string | null): Record<string, string> | null {
  return text === null ? null : (JSON.parse(text) as Record<string, string>)
}
