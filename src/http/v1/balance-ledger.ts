import { z } from 'zod'
import { encodeBase32 } from '#base/ids.ts'
import { toWire } from '#base/money.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import {
  fromParameter,
  koboData,
  limitParameter,
  noParams,
  pageParameter,
  record,
  signedKoboData,
  timeData,
  toParameter,
} from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import type { Ledger } from '#ledger/ledger.ts'

const entrySchema = record('LedgerEntry', {
  id: z.string().describe('mov_…'),
  type: z
    .string()
    .describe('What moved it: opening, funding, hold, release, reversal, fee_refund, deposit, deposit_fee.'),
  reference: z.string(),
  amount: signedKoboData.describe('In kobo; negative when money left the available balance.'),
  balanceAfter: koboData.describe('The available balance after it.'),
  currency: z.string(),
  createdAt: timeData,
})

export function balanceLedger(ledger: Ledger): Endpoint {
  return endpoint({
    operationId: 'listLedgerEntries',
    method: 'GET',
    path: '/v1/balance/ledger',
    scope: 'read',
    tag: 'Balance',
    summary: 'Every movement of the available balance, the latest first',
    description:
      'The statement of the available balance: `amount` is signed, and `balanceAfter` is the balance that it left.',
    params: noParams,
    query: z.object({ page: pageParameter, limit: limitParameter, from: fromParameter, to: toParameter }),
    data: z.object({ entries: z.array(entrySchema) }),
    paginated: true,
    handle: async ({ caller, query: { page, limit, from, to } }) => {
      const found = await ledger.entries(caller.tenant, 'NGN', { page, limit, from, before: to })
      const entries = found.entries.map((entry) => ({
        id: `mov_${encodeBase32(entry.id)}`,
        type: entry.type,
        reference: entry.reference,
        amount: toWire(entry.amount),
        balanceAfter: toWire(entry.balanceAfter),
        currency: entry.currency,
        createdAt: entry.createdAt.toISOString(),
      }))
      return { data: { entries }, pagination: paginationOf(page, limit, found.total) }
    },
  })
}
