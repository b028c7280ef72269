// Unfinished payments of staging, each with a link to its page, where it can be ended by hand.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { collectionsQuery, momoTransfersQuery, transfersQuery } from '#api/payments.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'

type Open = { id: string; kind: string; reference: string; status: string; amount: number; createdAt: string }

const shown = { page: 1, limit: 20 }

const columns: Column<Open>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  { id: 'kind', head: 'Kind', cell: ({ kind }) => kind },
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
]

export function OpenPayments() {
  const place = usePlace()
  const transfers = useQuery(transfersQuery(place, { status: 'queued', ...shown }))
  const momoTransfers = useQuery(momoTransfersQuery(place, { status: 'queued', ...shown }))
  const pending = useQuery(collectionsQuery(place, { status: 'PENDING', ...shown }))
  const coded = useQuery(collectionsQuery(place, { status: 'OTP_REQUIRED', ...shown }))
  const all = [transfers, momoTransfers, pending, coded]
  const isHere = all.every(({ data }) => data !== undefined)
  const rows: Open[] = [
    ...named('Bank transfer', transfers.data?.data.transfers),
    ...named('Mobile-money transfer', momoTransfers.data?.data.transfers),
    ...named('Collection', pending.data?.data.collections),
    ...named('Collection', coded.data?.data.collections),
  ]
  return (
    <DataTable
      label="Payments that have not ended"
      columns={columns}
      rows={isHere ? rows : undefined}
      failure={all.find(({ error }) => error !== null)?.error}
      onRetry={() => all.forEach(({ refetch }) => void refetch())}
      keyOf={({ id }) => id}
      linkOf={({ reference }) => paths.payment(place, reference)}
      empty={
        <p>
          Everything has ended. A{' '}
          <Link to={paths.newPayout(place)} search={{ account: '9990000009' }}>
            payout to 999 000 0009
          </Link>{' '}
          waits until a person ends it.
        </p>
      }
    />
  )
}

function named(kind: string, rows: readonly Omit<Open, 'kind'>[] = []): Open[] {
  return rows.map((row) => ({ ...row, kind }))
}
