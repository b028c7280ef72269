// The last ten payments of all kinds, with a link to all of them.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { collectionsQuery, momoTransfersQuery, transfersQuery } from '#api/payments.ts'
import type { MomoCollection, MomoTransfer, Transfer } from '#api/schema.ts'
import { payeeNumberOf } from '#shell/momo-payee.ts'
import { useShown } from '#shell/live-provider.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Section } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'

const shownMost = 10
/** The first steps on the home page read transfers with the same parameters, so that both share one query. */
export const lastOnes = { page: 1, limit: shownMost }

type LastPayment = Pick<Transfer, 'reference' | 'amount' | 'currency' | 'createdAt'> & {
  status: string
  kind: string
  who: string
}

const columns: Column<LastPayment>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  { id: 'kind', head: 'Kind', cell: ({ kind }) => kind },
  textColumn('who', 'To or from', ({ who }) => who),
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  timeColumn('created', 'Created', ({ createdAt }) => createdAt),
]

const transferRow = (payment: Transfer): LastPayment => ({
  ...payment,
  kind: 'Bank transfer',
  who: `${payment.accountName}, ${payment.bankName}`,
})
const momoRow = (payment: MomoTransfer): LastPayment => ({
  ...payment,
  kind: payment.phoneNumber === null ? 'Business payout' : 'Wallet payout',
  who: payment.accountName ?? payeeNumberOf(payment),
})
const collectionRow = (payment: MomoCollection): LastPayment => ({
  ...payment,
  kind: 'Collection',
  who: payment.phoneNumber,
})

export function LastPayments() {
  const place = usePlace()
  const transfers = useQuery(transfersQuery(place, lastOnes))
  const momoTransfers = useQuery(momoTransfersQuery(place, lastOnes))
  const collections = useQuery(collectionsQuery(place, lastOnes))
  const queries = [transfers, momoTransfers, collections]
  const isThere = queries.every(({ data }) => data !== undefined)
  const all = [
    ...(transfers.data?.data.transfers ?? []).map(transferRow),
    ...(momoTransfers.data?.data.transfers ?? []).map(momoRow),
    ...(collections.data?.data.collections ?? []).map(collectionRow),
  ]
  const rows = all.toSorted((left, right) => right.createdAt.localeCompare(left.createdAt)).slice(0, shownMost)
  useShown(rows.map(({ reference }) => reference))
  return (
    <Section title="Last payments" actions={<Link to={paths.payments(place)}>All payments</Link>}>
      <DataTable
        label="Last payments"
        columns={columns}
        rows={isThere ? rows : undefined}
        failure={queries.find(({ error }) => error !== null)?.error ?? null}
        onRetry={() => void Promise.all(queries.map(({ refetch }) => refetch()))}
        keyOf={({ reference }) => reference}
        linkOf={({ reference }) => paths.payment(place, reference)}
        empty={<EmptyState title="No payment yet" says="The last ten payments are listed here." />}
      />
    </Section>
  )
}
