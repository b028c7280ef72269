// The customers of this business.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { customersQuery, searchCustomersQuery } from '#api/customers.ts'
import type { Customer } from '#api/schema.ts'
import { ListTools } from '#shell/list-tools.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { exportColumns } from '#table/export-columns.ts'
import { FilterBar } from '#table/filter-bar.tsx'
import { useFilters, type Filter } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { Button } from '#ui/button.tsx'
import { PageHead } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { NewCustomer } from './new-customer.tsx'

const filters: Filter[] = [
  { kind: 'text', name: 'search', label: 'Search', placeholder: 'Name, phone, account number, e-mail' },
]

const columns: Column<Customer>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  textColumn('name', 'Name', ({ firstName, lastName }) => `${firstName} ${lastName}`, { isOnPhone: true }),
  statusColumn(({ status }) => status),
  textColumn('email', 'E-mail', ({ email }) => email),
  { id: 'phone', head: 'Phone', cell: ({ phoneNumber }) => phoneNumber ?? '–' },
  { id: 'bvn', head: 'BVN', cell: ({ bvnVerified }) => (bvnVerified ? 'Given' : 'Not given'), isHiddenAtFirst: true },
  timeColumn('createdAt', 'Since', ({ createdAt }) => createdAt),
]

const exported = {
  noun: 'customers',
  columns: exportColumns('id reference firstName lastName email phoneNumber status metadata createdAt updatedAt'),
}

export function CustomersPage() {
  const place = usePlace()
  const state = useFilters(filters)
  const search = state.search['search']
  const { search: _search, ...query } = state.query
  const all = listed(
    useQuery({ ...customersQuery(place, query), enabled: search === undefined }),
    (page) => page.customers,
  )
  const found = useQuery({ ...searchCustomersQuery(place, search ?? ''), enabled: search !== undefined })
  const list =
    search === undefined
      ? all
      : { rows: found.data, failure: found.error, onRetry: () => void found.refetch(), pages: undefined }
  const refusal = useRefusal('customers.change')
  const [isMaking, setMaking] = useState(false)
  const create = (
    <Button tone="primary" disabledReason={refusal} onClick={() => setMaking(true)}>
      Create customer
    </Button>
  )
  return (
    <>
      <PageHead title="Customers" actions={create} />
      <FilterBar filters={filters} state={state}>
        <ListTools noun="customers" columns={columns} state={state} {...(search === undefined ? { exported } : {})} />
      </FilterBar>
      <DataTable
        label="Customers"
        columns={columns}
        {...list}
        filters={state}
        keyOf={({ id }) => id}
        linkOf={({ reference }) => paths.customer(place, reference)}
        empty={
          <EmptyState
            title="No customer yet"
            says="A customer is a person or company that pays you more than once. Each can have an account number of their own, so that their money names them."
          >
            {create}
          </EmptyState>
        }
      />
      {isMaking ? <NewCustomer onClose={() => setMaking(false)} /> : null}
    </>
  )
}
