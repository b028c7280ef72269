// What can be exported, and the columns of each: a table as wide as the record that the API shows.

import { z } from 'zod'
import type { Context, Tenant } from '#base/context.ts'
import { toWire } from '#base/money.ts'
import type { TimeRange } from '#base/ordinal.ts'
import { accountStatuses, accountTypes } from '#customers/account.ts'
import { walkAccounts, walkCustomers } from '#customers/list.ts'
import { accountData, customerData } from '#customers/wire.ts'
import { depositStatuses } from '#deposits/deposit.ts'
import { walkDeposits } from '#deposits/read.ts'
import { depositData } from '#deposits/wire.ts'
import { archivedError } from '#http/archived.ts'
import type { Permission } from '#http/dashboard/permissions.ts'
import type { Rooms } from '#http/routes.ts'
import { walkStatement } from '#ledger/statement.ts'
import { walkPayments } from '#payments/search.ts'
import { paymentData } from '#payments/wire.ts'
import { paymentFilterOf, paymentFilterParameters, paymentNouns, type PaymentNoun } from './payment-filters.ts'

/** `naira`: an amount in kobo, told in naira. `time`: told twice, in UTC and in the zone. */
export type ColumnKind = 'text' | 'naira' | 'number' | 'time'

export type Filters = TimeRange & {
  [Name in keyof typeof paymentFilterParameters]?: z.output<(typeof paymentFilterParameters)[Name]>
} & {
  type?: string | undefined
  accountNumber?: string | undefined
  customerReference?: string | undefined
}

/** A record as the API shows it; of what is not in the columns nothing is told. */
export type ExportRow = Record<string, unknown>

export type ExportNoun = {
  columns: Record<string, ColumnKind>
  /** The words that `status` can be. */
  statuses: readonly string[]
  /** Beside the right to export. */
  permission: Permission
  /** How many rows there are at most. */
  count(rooms: Rooms, tenant: Tenant, filters: Filters): Promise<number>
  walk(ctx: Pick<Context, 'db'>, tenant: Tenant, filters: Filters): AsyncGenerator<ExportRow[]>
}

const first = { page: 1, limit: 1 }
const named = { id: 'text', reference: 'text', status: 'text' } as const
const dated = { createdAt: 'time', updatedAt: 'time' } as const
const moved = { amount: 'naira', fee: 'naira', totalDebit: 'naira', currency: 'text' } as const

const payments = (noun: PaymentNoun, columns: ExportNoun['columns']): ExportNoun => ({
  columns: {
    ...named,
    ...columns,
    failureReason: 'text',
    narration: 'text',
    metadata: 'text',
    ...dated,
    completedAt: 'time',
  },
  statuses: paymentNouns[noun].statuses,
  permission: 'payments.see',
  count: async (rooms, tenant, { from, before, ...asked }) => {
    const { status } = paymentFilterOf(noun, asked)
    return (await rooms.payments.list(tenant, paymentNouns[noun].kind, { ...first, from, before, status })).total
  },
  walk: (ctx, tenant, { from, before, ...asked }) => {
    const filter = paymentFilterOf(noun, asked)
    return mapped(walkPayments(ctx, tenant, paymentNouns[noun].kind, { from, before, filter }), () => true, paymentData)
  },
})

export const exportNouns: Record<string, ExportNoun> = {
  transfers: payments('transfers', {
    ...moved,
    bankSlug: 'text',
    bankName: 'text',
    accountNumber: 'text',
    accountName: 'text',
    sessionId: 'text',
  }),
  'momo-transfers': payments('momo-transfers', {
    ...moved,
    phoneNumber: 'text',
    operator: 'text',
    accountName: 'text',
    operatorReference: 'text',
  }),
  collections: payments('collections', {
    amount: 'naira',
    fee: 'naira',
    currency: 'text',
    phoneNumber: 'text',
    operator: 'text',
    operatorReference: 'text',
    depositReference: 'text',
  }),
  deposits: {
    columns: {
      ...named,
      amount: 'naira',
      fee: 'naira',
      currency: 'text',
      ...all('senderAccountName', 'senderAccountNumber', 'senderBankName', 'recipientAccountName'),
      ...all('recipientAccountNumber', 'recipientBankName', 'narration'),
      ...dated,
    },
    statuses: depositStatuses,
    permission: 'payments.see',
    count: async (rooms, tenant, { status, ...question }) =>
      (await rooms.deposits.list(tenant, { ...first, ...question, status: status as (typeof depositStatuses)[number] }))
        .total,
    walk: (ctx, tenant, { status, accountNumber, customerReference, ...time }) =>
      mapped(
        walkDeposits(ctx, tenant, time),
        (one) =>
          (status === undefined || one.status === status) &&
          (accountNumber === undefined || one.accountNumber === accountNumber) &&
          (customerReference === undefined || one.customerReference === customerReference),
        depositData,
      ),
  },
  customers: {
    columns: {
      id: 'text',
      reference: 'text',
      ...all('firstName', 'lastName', 'email', 'phoneNumber', 'status'),
      metadata: 'text',
      ...dated,
    },
    statuses: [],
    permission: 'payments.see',
    count: async (rooms, tenant) => (await rooms.customers.list(tenant, first)).total,
    walk: (ctx, tenant) => mapped(walkCustomers(ctx, tenant), () => true, customerData),
  },
  'virtual-accounts': {
    columns: {
      ...all('id', 'type', 'reference', 'accountNumber', 'accountName', 'bankName', 'bankSlug', 'currency', 'status'),
      amount: 'naira',
      amountPolicy: 'text',
      expiresAt: 'time',
      metadata: 'text',
      ...dated,
    },
    statuses: accountStatuses,
    permission: 'payments.see',
    count: async (rooms, tenant, { status, type, customerReference }) =>
      (
        await rooms.accounts.list(tenant, {
          ...first,
          customerReference,
          status: status as (typeof accountStatuses)[number],
          type: type as (typeof accountTypes)[number],
        })
      ).total,
    walk: (ctx, tenant, { status, type, customerReference }) =>
      mapped(
        walkAccounts(ctx, tenant),
        (one) =>
          (status === undefined || one.status === status) &&
          (type === undefined || one.type === type) &&
          (customerReference === undefined || one.customer?.reference === customerReference),
        accountData,
      ),
  },
  statement: {
    columns: {
      number: 'number',
      createdAt: 'time',
      what: 'text',
      reference: 'text',
      in: 'naira',
      out: 'naira',
      balanceAfter: 'naira',
    },
    statuses: [],
    permission: 'balance.see',
    count: async (rooms, tenant, time) => {
      const counted = await rooms.ledger.countWhole(tenant, 'NGN', time)
      if (counted.kind === 'archived') throw archivedError(counted)
      return counted.count
    },
    walk: (ctx, tenant, time) =>
      mapped(
        walkStatement(ctx, tenant, 'NGN', time),
        () => true,
        (entry) => ({
          number: Number(entry.number),
          createdAt: entry.createdAt.toISOString(),
          what: entry.type,
          reference: entry.reference,
          in: toWire(entry.in),
          out: toWire(entry.out),
          balanceAfter: toWire(entry.balanceAfter),
        }),
      ),
  },
}

export const exportFilters = z.object({
  ...paymentFilterParameters,
  type: z.enum(accountTypes, `must be one of ${accountTypes.join(', ')}`).optional(),
  accountNumber: z.string('must be given once').optional(),
  customerReference: z.string('must be given once').optional(),
})

async function* mapped<T>(
  pages: AsyncGenerator<T[]>,
  isWanted: (one: T) => boolean,
  show: (one: T) => ExportRow,
): AsyncGenerator<ExportRow[]> {
  for await (const page of pages) yield page.filter(isWanted).map(show)
}

function all(...names: string[]): Record<string, 'text'> {
  return Object.fromEntries(names.map((name) => [name, 'text']))
}
