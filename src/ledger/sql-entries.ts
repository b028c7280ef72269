// The SQL behind the statement of a balance: the movements of `available`, numbered per currency.

import type { Uuid } from '#base/ids.ts'
import type { Kobo } from '#base/money.ts'
import { numberedList } from '#base/numbered-list.ts'

export type EntryRow = {
  id: Uuid
  currency: string
  credit: string
  amount: Kobo
  type: string
  reference: string
  balanceAfter: Kobo
  createdAt: Date
}

export const entryList = numberedList<EntryRow>({
  name: 'ledger.entries',
  table: 'ledger_movement',
  number: 'entry',
  indexed: 'entry is not null',
  list: 'currency',
  columns: `r.id, r.currency, r.credit, r.amount, r.kind as "type", r.reference, r.balance_after as "balanceAfter",
    r.created_at as "createdAt"`,
})
