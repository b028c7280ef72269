// A list with its filters and tools, used by every page whose rows can be exported.

import type { ReactNode } from 'react'
import type { Column } from '#table/columns.tsx'
import { DataTable, type DataTableProps } from '#table/data-table.tsx'
import type { ExportColumn } from '#table/export-columns.ts'
import { FilterBar } from '#table/filter-bar.tsx'
import type { Filter, Filters } from '#table/filters.ts'
import { ListTools } from './list-tools.tsx'
import { useShown } from './live-provider.tsx'

type FilteredListProps<Row> = Pick<
  DataTableProps<Row>,
  'label' | 'rows' | 'pages' | 'further' | 'failure' | 'onRetry' | 'linkOf'
> & {
  noun: string
  filters: readonly Filter[]
  state: Filters
  columns: readonly Column<Row>[]
  exported: readonly ExportColumn[]
  empty: ReactNode
  /** The key by which the live stream names a row, for lists that update by themselves. */
  referenceOf?: (row: Row) => string
}

export function FilteredList<Row extends { id: string }>(props: FilteredListProps<Row>) {
  const { noun, filters, state, columns, exported, referenceOf, ...table } = props
  useShown(referenceOf === undefined ? [] : (table.rows ?? []).map(referenceOf))
  return (
    <>
      <FilterBar filters={filters} state={state}>
        <ListTools noun={noun} columns={columns} state={state} exported={{ noun, columns: exported, filters }} />
      </FilterBar>
      <DataTable {...table} columns={columns} filters={state} keyOf={({ id }) => id} />
    </>
  )
}
