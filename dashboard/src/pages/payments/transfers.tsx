// Bank transfers.

import { useQuery } from '@tanstack/react-query'
import { transfersQuery } from '#api/payments.ts'
import type { Transfer } from '#api/schema.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { exportColumns } from '#table/export-columns.ts'
import { useFilters } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { AccountNumber } from '#ui/values.tsx'
import { FirstTransfer } from './first-transfer.tsx'
import { PaymentList } from './payment-list.tsx'
import { transferFilters } from './transfer-filters.ts'
import { useBankFilters } from './use-deep-filters.ts'

const columns: Column<Transfer>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  textColumn('to', 'To', ({ accountName }) => accountName),
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  moneyColumn('fee', 'Fee', ({ fee }) => fee),
  textColumn('bank', 'Bank', ({ bankName }) => bankName),
  {
    id: 'accountNumber',
    head: 'Account number',
    cell: ({ accountNumber }) => <AccountNumber number={accountNumber} />,
    isHiddenAtFirst: true,
  },
  textColumn('narration', 'Narration', ({ narration }) => narration, { isHiddenAtFirst: true }),
  textColumn('failure', 'Why it failed', ({ failureMessage }) => failureMessage, { isHiddenAtFirst: true }),
  { id: 'sessionId', head: 'Session', cell: ({ sessionId }) => sessionId ?? '–', isHiddenAtFirst: true },
  timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
  timeColumn('completedAt', 'Ended', ({ completedAt }) => completedAt, { isHiddenAtFirst: true }),
]

const exported = exportColumns(
  'id reference status amount fee totalDebit currency bankSlug bankName ' +
    'accountNumber accountName sessionId failureReason narration metadata createdAt updatedAt completedAt',
)

export function Transfers() {
  const all = [...transferFilters, ...useBankFilters()]
  const state = useFilters(all)
  const usual = useQuery({ ...transfersQuery(usePlace(), state.query), enabled: !state.isDeep })
  return (
    <PaymentList
      noun="transfers"
      label="Bank transfers"
      filters={all}
      state={state}
      columns={columns}
      exported={exported}
      list={listed(usual, ({ transfers }) => transfers)}
      empty={<FirstTransfer />}
    />
  )
}
