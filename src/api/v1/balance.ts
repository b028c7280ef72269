// The endpoints for the balance, its statement and the fee of a transfer, and their fields in responses.

import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import {
  archivedError,
  currencyField,
  fromParameter,
  koboData,
  limitParameter,
  noParams,
  noQuery,
  pageParameter,
  record,
  signedKoboData,
  timeData,
  toParameter,
  validationError,
  wholeKobo,
  coded,
} from '#api/server/fields.ts'
import type { AccountBalance, Ledger } from '#ledger/ledger.ts'
import type { Payments } from '#payments/service.ts'
import { isoTime } from '#platform/clock.ts'
import { encodeBase32 } from '#platform/ids.ts'
import { toWire, amountMax, add, toMoney } from '#platform/money.ts'
import { listEndpoint } from './payments.ts'

const balance = record('Balance', {
  currency: z.string(),
  available: koboData.describe('The amount that can be spent now.'),
  reserved: koboData.describe('The amount that unfinished payments reserve.'),
  ledger: koboData.describe('Available and reserved together.'),
})

export function balanceGet(ledger: Ledger): Endpoint {
  return endpoint({
    operationId: 'getBalance',
    method: 'GET',
    path: '/v1/balance',
    scope: 'read',
    tag: 'Balance',
    summary: 'The balance of each currency',
    description:
      'The amount that can be spent, the amount that unfinished payments reserve, and both together: in naira and in every ' +
      'other currency that was ever switched on. Staging opens with ₦1,000,000,000.00, and with 1,000,000,000 units of each ' +
      'other currency.',
    params: noParams,
    query: noQuery,
    data: z.object({ balances: z.array(balance) }),
    handle: async ({ caller }) => {
      const balances = await ledger.balances(caller.tenant)
      return { data: { balances: balances.map(balanceData) } }
    },
  })
}

function balanceData({ currency, available, reserved, ledger }: AccountBalance) {
  return { currency, available: toWire(available), reserved: toWire(reserved), ledger: toWire(ledger) }
}

const entrySchema = record('LedgerEntry', {
  id: z.string().describe('mov_…'),
  type: z
    .string()
    .describe(
      'The kind of movement: opening, funding, hold, release, reversal, fee_refund, deposit, deposit_fee, adjustment.',
    ),
  reference: z
    .string()
    .describe('The reference of the payment or deposit. For an adjustment, the id of its review item: exc_… or brk_….'),
  amount: signedKoboData.describe('Negative if the entry lowers the available balance.'),
  balanceAfter: koboData.describe('The available balance after the entry.'),
  currency: z.string(),
  createdAt: timeData,
})

export function balanceLedger(ledger: Ledger): Endpoint {
  return listEndpoint({
    operationId: 'listLedgerEntries',
    path: '/v1/balance/ledger',
    tag: 'Balance',
    summary: 'Every movement of the available balance, the latest first',
    description:
      'The statement of the available balance: `amount` is signed, and `balanceAfter` is the balance after the entry. Entries ' +
      'of archived months count in `total` but are not shown: a page or time range that needs one is refused, and the error ' +
      'says since when entries are available.',
    query: z.object({
      page: pageParameter,
      limit: limitParameter,
      from: fromParameter,
      to: toParameter,
      currency: currencyField,
    }),
    name: 'entries',
    item: entrySchema,
    list: async (tenant, { to, currency, ...question }) => {
      const found = await ledger.entries(tenant, currency, { ...question, before: to })
      if (found.kind === 'archived') throw archivedError(found)
      const items = found.entries.map((entry) => ({
        id: `mov_${encodeBase32(entry.id)}`,
        type: entry.type,
        reference: entry.reference,
        amount: toWire(entry.amount),
        balanceAfter: toWire(entry.balanceAfter),
        currency: entry.currency,
        createdAt: isoTime(entry.createdAt),
      }))
      return { items, total: found.total }
    },
  })
}

export const amountParameter = z
  .string('must be a string')
  .regex(/^[1-9]\d{0,15}$/, wholeKobo)
  .transform((digits) => toMoney(BigInt(digits)))
  .refine(
    (amount) => amount <= amountMax,
    coded(`must be at most ${amountMax}`, 'above_maximum', { max: toWire(amountMax) }),
  )
  .meta({
    wire: {
      type: 'integer',
      minimum: 1,
      maximum: toWire(amountMax),
      description: 'Amount in the minor unit of `currency`.',
    },
  })

export function feesGet(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'getFee',
    method: 'GET',
    path: '/v1/fees',
    scope: 'any',
    tag: 'Balance',
    summary: 'The fee of a transfer',
    description: 'The fee, which is charged in addition to the amount, and both together.',
    query: z.object({
      type: z.enum(['transfer'], 'must be transfer'),
      amount: amountParameter,
      currency: currencyField,
    }),
    data: record('Fee', { amount: koboData, fee: koboData, totalDebit: koboData }),
    handle: ({ query: { amount, currency } }) => {
      const fee = payments.feeFor(amount, currency)
      const total = add(amount, fee)
      if (total > amountMax) {
        const message = `amount must be at most ${amountMax - fee}, so that amount and fee together are at most ${amountMax}`
        const params = { max: toWire(toMoney(amountMax - fee)) }
        throw validationError([{ field: 'amount', message, code: 'above_maximum', params }])
      }
      return Promise.resolve({ data: { amount: toWire(amount), fee: toWire(fee), totalDebit: toWire(total) } })
    },
  })
}
