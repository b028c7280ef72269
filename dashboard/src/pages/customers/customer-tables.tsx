// The latest accounts and deposits of a customer, each with a link to all of them.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { accountsQuery } from '#api/accounts.ts'
import { depositsQuery } from '#api/deposits.ts'
import type { Deposit, VirtualAccount } from '#api/schema.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { listed } from '#table/listed.ts'

const shown = { page: 1, limit: 10 }

const accountColumns: Column<VirtualAccount>[] = [
  { id: 'number', head: 'Number', cell: ({ accountNumber }) => groupAccountNumber(accountNumber), isOnPhone: true },
  textColumn('bank', 'Bank', ({ bankName }) => bankName),
  statusColumn(({ status }) => status),
  timeColumn('createdAt', 'Opened', ({ createdAt }) => createdAt),
]

export function CustomerAccounts({ reference }: { reference: string }) {
  const place = usePlace()
  const query = { customerReference: reference, ...shown }
  const list = listed(useQuery(accountsQuery(place, query)), ({ virtualAccounts }) => virtualAccounts)
  return (
    <>
      <DataTable
        label="Virtual accounts of this customer"
        columns={accountColumns}
        {...list}
        keyOf={({ id }) => id}
        linkOf={({ accountNumber }) => paths.account(place, accountNumber)}
        empty={<p>No account yet. Open a static one under Virtual accounts.</p>}
      />
      {list.pages?.hasNext === true ? (
        <Link to={paths.accounts(place)} search={{ customerReference: reference }}>
          All {list.pages.total} accounts
        </Link>
      ) : null}
    </>
  )
}

const depositColumns: Column<Deposit>[] = [
  timeColumn('createdAt', 'Received', ({ createdAt }) => createdAt, { isOnPhone: true }),
  textColumn('sender', 'Sender', ({ senderAccountName }) => senderAccountName),
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  textColumn('reference', 'Reference', ({ reference }) => reference, { isOnLarge: true }),
]

export function CustomerDeposits({ reference }: { reference: string }) {
  const place = usePlace()
  const query = { customerReference: reference, ...shown }
  const list = listed(useQuery(depositsQuery(place, query)), ({ deposits }) => deposits)
  return (
    <>
      <DataTable
        label="Deposits of this customer"
        columns={depositColumns}
        {...list}
        keyOf={({ id }) => id}
        linkOf={({ reference: deposit }) => paths.deposit(place, deposit)}
        empty={<p>No deposit yet.</p>}
      />
      {list.pages?.hasNext === true ? (
        <Link to={paths.deposits(place)} search={{ customerReference: reference }}>
          All {list.pages.total} deposits
        </Link>
      ) : null}
    </>
  )
}
