// The last ten bank transfers, with the way to all of them.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ask, under } from '#api/client.ts'
import type { Transfer } from '#api/schema.ts'
import { useShown } from '#shell/live-provider.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Section } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'

const columns: Column<Transfer>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  textColumn('to', 'To', ({ accountName, bankName }) => `${accountName}, ${bankName}`),
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  timeColumn('created', 'Created', ({ createdAt }) => createdAt),
]

export function LastPayments() {
  const place = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [place.businessId, place.environment, 'transfers', 'last'],
    queryFn: async () =>
      (await ask<{ transfers: Transfer[] }>(under(place, 'v1/transfers'), { query: { limit: 10 } })).data.transfers,
  })
  useShown((data ?? []).map(({ reference }) => reference))
  return (
    <Section title="Last bank transfers" actions={<Link to={paths.payments(place)}>All payments</Link>}>
      <DataTable
        label="Last bank transfers"
        columns={columns}
        rows={data}
        failure={error}
        onRetry={() => void refetch()}
        keyOf={({ reference }) => reference}
        linkOf={({ reference }) => paths.payment(place, reference)}
        empty={<EmptyState title="No transfer yet" says="The last ten bank transfers are listed here." />}
      />
    </Section>
  )
}
