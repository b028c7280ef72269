// Virtual accounts: numbers into which customers pay.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountsQuery } from '#api/accounts.ts'
import type { VirtualAccount } from '#api/schema.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { ListTools } from '#shell/list-tools.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { exportColumns } from '#table/export-columns.ts'
import { FilterBar } from '#table/filter-bar.tsx'
import { useFilters, type Filter } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { Button } from '#ui/button.tsx'
import { PageHead } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { OpenAccount } from './open-account.tsx'

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'type',
    label: 'Type',
    choices: [
      { value: 'static', label: 'Static' },
      { value: 'dynamic', label: 'Dynamic' },
    ],
  },
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    choices: [
      { value: 'ACTIVE', label: 'Active' },
      { value: 'COMPLETED', label: 'Paid' },
      { value: 'EXPIRED', label: 'Expired' },
      { value: 'CLOSED', label: 'Closed' },
    ],
  },
  { kind: 'text', name: 'customerReference', label: 'Customer' },
]

const columns: Column<VirtualAccount>[] = [
  { id: 'number', head: 'Number', cell: ({ accountNumber }) => groupAccountNumber(accountNumber), isOnPhone: true },
  textColumn('name', 'Name', ({ accountName }) => accountName),
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  { id: 'type', head: 'Type', cell: ({ type }) => (type === 'static' ? 'Static' : 'Dynamic') },
  textColumn('customer', 'For', ({ customer, reference }) => customer?.reference ?? reference),
  { id: 'bank', head: 'Bank', cell: ({ bankName }) => bankName, isHiddenAtFirst: true },
  timeColumn('expiresAt', 'Expires', ({ expiresAt }) => expiresAt),
  timeColumn('createdAt', 'Opened', ({ createdAt }) => createdAt),
]

const exported = {
  noun: 'virtual-accounts',
  columns: exportColumns(
    'id type reference accountNumber accountName bankName bankSlug ' +
      'currency status amount amountPolicy expiresAt metadata createdAt updatedAt',
  ),
}

export function AccountsPage() {
  const place = usePlace()
  const state = useFilters(filters)
  const list = listed(useQuery(accountsQuery(place, state.query)), ({ virtualAccounts }) => virtualAccounts)
  const refusal = useRefusal('customers.change')
  const [isOpening, setOpening] = useState(false)
  const open = (
    <Button tone="primary" disabledReason={refusal} onClick={() => setOpening(true)}>
      Open account
    </Button>
  )
  return (
    <>
      <PageHead title="Virtual accounts" actions={open} />
      <FilterBar filters={filters} state={state}>
        <ListTools noun="virtual-accounts" columns={columns} state={state} exported={{ ...exported, filters }} />
      </FilterBar>
      <DataTable
        label="Virtual accounts"
        columns={columns}
        {...list}
        filters={state}
        keyOf={({ id }) => id}
        linkOf={({ accountNumber }) => paths.account(place, accountNumber)}
        empty={
          <EmptyState
            title="No virtual account yet"
            says="A static account belongs to a customer and receives any number of payments. A dynamic account waits for one payment and then closes."
          >
            {open}
          </EmptyState>
        }
      />
      {isOpening ? <OpenAccount onClose={() => setOpening(false)} /> : null}
    </>
  )
}
