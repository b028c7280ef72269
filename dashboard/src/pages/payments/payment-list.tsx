// The payments of one kind, from the API's list, or by a search for filters that have no index.

import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { searchQuery, type PaymentNoun } from '#api/payments.ts'
import { FilteredList } from '#shell/filtered-list.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import type { DataTableProps } from '#table/data-table.tsx'
import type { Filters } from '#table/filters.ts'

type Shown<Row> = Pick<DataTableProps<Row>, 'rows' | 'pages' | 'further' | 'failure' | 'onRetry'>

type PaymentListProps<Row extends { id: string }> = Pick<
  ComponentProps<typeof FilteredList<Row>>,
  'label' | 'filters' | 'state' | 'columns' | 'exported' | 'empty'
> & {
  noun: PaymentNoun
  /** The API's list, which is not read while a deep filter is set. */
  list: Shown<Row>
}

export function PaymentList<Row extends { id: string; reference: string }>({ list, ...look }: PaymentListProps<Row>) {
  const place = usePlace()
  const shown = useShownPayments(look.noun, look.state, list)
  return (
    <FilteredList
      {...look}
      {...shown}
      linkOf={({ reference }) => paths.payment(place, reference)}
      referenceOf={({ reference }) => reference}
    />
  )
}

function useShownPayments<Row>(noun: PaymentNoun, state: Filters, list: Shown<Row>): Shown<Row> {
  const { isDeep } = state
  const searched = useQuery({ ...searchQuery<Row>(usePlace(), noun, state.query), enabled: isDeep })
  if (!isDeep) return list
  const { data, error, refetch } = searched
  return { rows: data?.payments, failure: error, onRetry: () => void refetch(), further: data }
}
