// A page of payments: from the API's list, or, where a filter asks for what no index knows, looked through.

import { useQuery } from '@tanstack/react-query'
import { searchQuery, type PaymentNoun } from '#api/payments.ts'
import { usePlace } from '#shell/place.ts'
import type { DataTableProps } from '#table/data-table.tsx'
import type { Filters } from '#table/filters.ts'

type Shown<Row> = Pick<DataTableProps<Row>, 'rows' | 'pages' | 'further' | 'failure' | 'onRetry'>

/** `list` is the API's, which need not be asked where a filter is deep. */
export function usePayments<Row>(noun: PaymentNoun, state: Filters, list: Shown<Row>): Shown<Row> {
  const { isDeep } = state
  const searched = useQuery({ ...searchQuery<Row>(usePlace(), noun, state.query), enabled: isDeep })
  if (!isDeep) return list
  const { data, error, refetch } = searched
  return { rows: data?.payments, failure: error, onRetry: () => void refetch(), further: data }
}
