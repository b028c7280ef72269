// Bank transfers.

import { useQuery } from '@tanstack/react-query'
import { transfersQuery } from '#api/payments.ts'
import type { Transfer } from '#api/schema.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { exportColumns } from '#table/export-columns.ts'
import { FilterBar } from '#table/filter-bar.tsx'
import { useFilters, type Filter } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { ListTools } from '#shell/list-tools.tsx'
import { AccountNumber } from '#ui/values.tsx'
import { FirstTransfer } from './first-transfer.tsx'

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    choices: [
      { value: 'queued', label: 'Queued' },
      { value: 'SUCCESS', label: 'Succeeded' },
      { value: 'FAILED', label: 'Failed' },
      { value: 'REVERSED', label: 'Returned' },
    ],
  },
  { kind: 'days' },
]

const columns: Column<Transfer>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  { id: 'to', head: 'To', cell: ({ accountName }) => accountName },
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  moneyColumn('fee', 'Fee', ({ fee }) => fee),
  { id: 'bank', head: 'Bank', cell: ({ bankName }) => bankName },
  {
    id: 'accountNumber',
    head: 'Account number',
    cell: ({ accountNumber }) => <AccountNumber number={accountNumber} />,
    isHiddenAtFirst: true,
  },
  { id: 'narration', head: 'Narration', cell: ({ narration }) => narration ?? '–', isHiddenAtFirst: true },
  { id: 'failure', head: 'Why it failed', cell: ({ failureMessage }) => failureMessage ?? '–', isHiddenAtFirst: true },
  { id: 'sessionId', head: 'Session', cell: ({ sessionId }) => sessionId ?? '–', isHiddenAtFirst: true },
  timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
  timeColumn('completedAt', 'Ended', ({ completedAt }) => completedAt, { isHiddenAtFirst: true }),
]

const exported = {
  noun: 'transfers',
  columns: exportColumns(
    'id reference status amount fee totalDebit currency bankSlug bankName ' +
      'accountNumber accountName sessionId failureReason narration metadata createdAt updatedAt completedAt',
  ),
}

export function Transfers() {
  const place = usePlace()
  const state = useFilters(filters)
  const list = listed(useQuery(transfersQuery(place, state.query)), ({ transfers }) => transfers)
  return (
    <>
      <FilterBar filters={filters} state={state}>
        <ListTools noun="transfers" columns={columns} state={state} exported={exported} />
      </FilterBar>
      <DataTable
        label="Bank transfers"
        columns={columns}
        {...list}
        filters={state}
        keyOf={({ id }) => id}
        linkOf={({ reference }) => paths.payment(place, reference)}
        empty={<FirstTransfer />}
      />
    </>
  )
}
