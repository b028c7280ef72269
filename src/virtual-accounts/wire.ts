// Customers and virtual accounts as the API shows them.

import { isoTime } from '#platform/clock.ts'
import { formatId } from '#platform/ids.ts'
import { toWire } from '#platform/money.ts'
import type { VirtualAccount } from './account.ts'
import type { Customer } from './customers.ts'

export function customerData(customer: Customer) {
  return {
    id: formatId('customer', customer.id),
    reference: customer.reference,
    firstName: customer.firstName,
    lastName: customer.lastName,
    email: customer.email,
    phoneNumber: customer.phoneNumber,
    status: customer.status,
    // The BVN is stored but not verified yet.
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

/** The account's fields in the events of deposits. */
export function accountMention({ id, type, reference, accountNumber }: VirtualAccount) {
  return { id: formatId('virtualAccount', id), type, reference, accountNumber }
}

export function customerMention({ id, reference, firstName, lastName, email }: Customer) {
  return { id: formatId('customer', id), reference, firstName, lastName, email }
}

function metadataOf(text: string | null): Record<string, string> | null {
  return text === null ? null : (JSON.parse(text) as Record<string, string>)
}
