import { z } from 'zod'
import { encodeBase32 } from '#base/ids.ts'
import { toWire } from '#base/money.ts'
import { archivedError } from '#http/archived.ts'
import type { Endpoint } from '#http/endpoint.ts'
import {
  fromParameter,
  koboData,
  limitParameter,
  pageParameter,
  record,
  signedKoboData,
  timeData,
  toParameter,
} from '#http/fields.ts'
import type { Ledger } from '#ledger/ledger.ts'
import { listEndpoint } from './read-endpoints.ts'

const entrySchema = record('LedgerEntry', {
  id: z.string().describe('mov_…'),
  type: z
    .string()
    .describe(
      'What moved it: opening, funding, hold, release, reversal, fee_refund, deposit, deposit_fee, adjustment.',
    ),
  reference: z.string().describe('Of the payment or deposit; of an adjustment, exc_… or brk_….'),
  amount: signedKoboData.describe('In kobo; negative when money left the available balance.'),
  balanceAfter: koboData.describe('The available balance after it.'),
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
      'The statement of the available balance: `amount` is signed, and `balanceAfter` is the balance that it left. Entries of ' +
      'months that have been archived are counted and not shown: a page or a time among them is refused, naming since when ' +
      'there are entries.',
    query: z.object({ page: pageParameter, limit: limitParameter, from: fromParameter, to: toParameter }),
    name: 'entries',
    item: entrySchema,
    list: async (tenant, { to, ...question }) => {
      const found = await ledger.entries(tenant, 'NGN', { ...question, before: to })
      if (found.kind === 'archived') throw archivedError(found)
      const items = found.entries.map((entry) => ({
        id: `mov_${encodeBase32(entry.id)}`,
        type: entry.type,
        reference: entry.reference,
        amount: toWire(entry.amount),
        balanceAfter: toWire(entry.balanceAfter),
        currency: entry.currency,
        createdAt: entry.createdAt.toISOString(),
      }))
      return { items, total: found.total }
    },
  })
}
