// A table whose rows are links and whose head stays visible. Without rows it says why: they load, they failed to load, there are
// none, none matches, or the page does not exist.

import { Link } from '@tanstack/react-router'
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { countOf } from '#format/ids.ts'
import { Button } from '#ui/button.tsx'
import { isFree } from '#ui/keys.ts'
import { EmptyState, ErrorState, Skeleton, type Failure } from '#ui/states.tsx'
import { pickColumns, type Column } from './columns.tsx'
import type { Filters } from './filters.ts'
import { FurtherFoot, FurtherSum, NothingSoFar, type Further } from './further.tsx'
import { Pager, type Pages } from './pager.tsx'
import { useHeldRows } from './held-rows.ts'
import { useRowKeys } from './row-keys.ts'
import { SelectionBar, useSelection, type Selection } from './selection.tsx'
import styles from './table.module.css'

export type DataTableProps<Row> = {
  /** The name of the rows for screen readers: "Bank transfers". */
  label: string
  columns: readonly Column<Row>[]
  /** Undefined while they load. */
  rows: readonly Row[] | undefined
  keyOf: (row: Row) => string
  linkOf?: (row: Row) => string
  /** The actions on selected rows, beside copying their references. */
  actionsOf?: (rows: readonly Row[]) => ReactNode
  failure?: Failure | null | undefined
  onRetry?: () => void
  empty: ReactNode
  filters?: Filters
  pages?: Pages | undefined
  /** Replaces `pages` in a list that the server searches without an index. */
  further?: Further | undefined
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, failure, onRetry, empty, filters, pages, further } = props
  const shown = pickColumns(columns, filters?.search['columns'])
  const copyByHand = useRowKeys()
  const held = useHeldRows(rows, props.keyOf, JSON.stringify(filters?.search ?? ''))
  const among = props.linkOf === undefined ? [] : (held.rows ?? []).map(props.linkOf)
  const selection = useSelection(held.rows, props.keyOf)
  if (rows === undefined && failure !== null && failure !== undefined) {
    return <ErrorState failure={failure} onRetry={onRetry} />
  }
  if (rows?.length === 0 && filters !== undefined && typeof further?.next === 'string')
    return <NothingSoFar further={further} filters={filters} />
  if (rows?.length === 0 && filters !== undefined && pages !== undefined && pages.total > 0)
    return <NoSuchPage pages={pages} filters={filters} />
  if (rows?.length === 0) {
    return filters === undefined || filters.active.length === 0 ? empty : <NothingMatches filters={filters} />
  }
  return (
    <>
      {further === undefined ? null : <FurtherSum further={further} />}
      <div
        className={styles.held}
        onPointerEnter={filters === undefined ? undefined : held.hold}
        onPointerLeave={held.release}
      >
        {held.waiting === 0 ? null : (
          <button type="button" className={styles.fresh} onClick={held.release}>
            {held.waiting} new
          </button>
        )}
        <div
          className={filters === undefined ? styles.within : styles.list}
          tabIndex={props.linkOf === undefined ? 0 : -1}
        >
          <table className={styles.table} aria-label={label} aria-busy={rows === undefined}>
            <Head columns={shown} />
            <tbody>
              {held.rows === undefined ? (
                <SkeletonRows columns={shown} />
              ) : (
                held.rows.map((row) => (
                  <Row key={props.keyOf(row)} {...{ row, columns: shown, linkOf: props.linkOf, among, selection }} />
                ))
              )}
            </tbody>
          </table>
        </div>
      </div>
      <SelectionBar selection={selection} actionsOf={props.actionsOf} />
      {copyByHand}
      {pages === undefined || filters === undefined ? null : <Pager pages={pages} filters={filters} />}
      {further === undefined || filters === undefined ? null : (
        <FurtherFoot further={further} filters={filters} found={rows?.length ?? 0} />
      )}
    </>
  )
}

function Head<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.id} scope="col" className={lookOf(column)}>
            {column.head === '' ? <span className="only-read">Actions</span> : column.head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

type RowProps<Row> = {
  row: Row
  columns: readonly Column<Row>[]
  linkOf: ((row: Row) => string) | undefined
  among: readonly string[]
  selection: Selection<Row>
}

function Row<Row>({ row, columns, linkOf, among, selection }: RowProps<Row>) {
  const to = linkOf?.(row)
  function select(event: KeyboardEvent): void {
    if (event.key !== 'x' || !isFree(event.nativeEvent)) return
    event.preventDefault()
    selection.toggle(row)
  }
  const handlers = to === undefined ? {} : { onClick: openRow, onKeyDown: select }
  const isSelected = selection.has(row)
  return (
    <tr className={styles.row} data-selected={isSelected ? '' : undefined} {...handlers}>
      {columns.map((column, place) => (
        <td key={column.id} className={lookOf(column)}>
          {place === 0 && to !== undefined ? (
            <Link to={to} state={{ among }} className={styles.link ?? ''} data-row>
              {column.cell(row)}
              {isSelected ? <span className="only-read">, selected</span> : null}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}

/** A click beside the link opens the row too, unless it selected text or hit another control. */
function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget } = event
  // React also passes on to the row the clicks in a dialog that a cell has opened. They must not open the row.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return
  const isOnControl = target.closest('a, button, input, label') !== null
  if (isOnControl || document.getSelection()?.isCollapsed === false) return
  currentTarget.querySelector<HTMLAnchorElement>('a[data-row]')?.click()
}

type Look = Pick<Column<never>, 'align' | 'isOnPhone' | 'isOnLarge' | 'isCut' | 'isWrapped' | 'isWhole'>

function lookOf({ align, isCut, isWrapped, isWhole, ...where }: Look): string {
  const length =
    isCut === true ? styles.cut : isWrapped === true ? styles.wrapped : isWhole === true ? styles.whole : ''
  return [align === 'end' ? styles.end : '', length, widthOf(where)].join(' ')
}

function widthOf({ isOnPhone = false, isOnLarge = false }: Look): string | undefined {
  if (isOnLarge) return styles.onLarge
  if (isOnPhone === 'alone') return styles.onPhoneAlone
  return isOnPhone ? '' : styles.notOnPhone
}

const skeletonRows = 8

function SkeletonRows<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return Array.from({ length: skeletonRows }, (_, row) => (
    <tr key={row}>
      {columns.map((column) => (
        <td key={column.id} className={lookOf(column)}>
          <Skeleton width={`${50 + ((row * 17) % 40)}%`} />
        </td>
      ))}
    </tr>
  ))
}

/** The address names a page beyond the last one, for example because rows have left the list since. */
function NoSuchPage({ pages: { page, total }, filters }: { pages: Pages; filters: Filters }) {
  return (
    <EmptyState title={`There is no page ${page}`} says={`The list has ${countOf(total, 'row')}.`}>
      <Button onClick={() => filters.change({ page: undefined, createdUntil: undefined })}>Go to the first page</Button>
    </EmptyState>
  )
}

function NothingMatches({ filters }: { filters: Filters }) {
  return (
    <EmptyState title="Nothing matches" says={`No row matches these filters: ${filters.active.join(', ')}.`}>
      <Button onClick={filters.clear}>Clear filters</Button>
    </EmptyState>
  )
}
