// The latest deposits into an account.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { depositsQuery } from '#api/deposits.ts'
import type { Deposit } from '#api/schema.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { listed } from '#table/listed.ts'

const columns: Column<Deposit>[] = [
  timeColumn('createdAt', 'Received', ({ createdAt }) => createdAt, { isOnPhone: true }),
  textColumn('sender', 'Sender', ({ senderAccountName }) => senderAccountName),
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  textColumn('reference', 'Reference', ({ reference }) => reference, { isOnLarge: true }),
]

export function AccountDeposits({ accountNumber }: { accountNumber: string }) {
  const place = usePlace()
  const list = listed(useQuery(depositsQuery(place, { accountNumber, page: 1, limit: 10 })), ({ deposits }) => deposits)
  return (
    <>
      <DataTable
        label="Deposits into this account"
        columns={columns}
        {...list}
        keyOf={({ id }) => id}
        linkOf={({ reference }) => paths.deposit(place, reference)}
        empty={<p>No deposit yet.</p>}
      />
      {list.pages?.hasNext === true ? (
        <Link to={paths.deposits(place)} search={{ accountNumber }}>
          All {list.pages.total} deposits
        </Link>
      ) : null}
    </>
  )
}
