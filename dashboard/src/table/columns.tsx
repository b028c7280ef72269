// The type of a column, and the columns that most lists have.

import type { ReactNode } from 'react'
import { absent, type Currency } from '#format/money.ts'
import { Status } from '#ui/status.tsx'
import { Money, Time } from '#ui/values.tsx'

export type Column<Row> = {
  id: string
  head: string
  cell: (row: Row) => ReactNode
  align?: 'end'
  /** A text of any length, as a person wrote it: cut where the other columns need the room. */
  isCut?: boolean
  /** Sentences that are never cut, on as many lines as they need. */
  isWrapped?: boolean
  /**
   * Shown below 900 px too: the reference, the status and the amount. `alone`: shown only below 900 px, in place of
   * other columns.
   */
  isOnPhone?: boolean | 'alone'
  /**
   * For a first column with a number: it is never cut, because a part of a number is useless. Other first columns are
   * cut on a phone.
   */
  isWhole?: boolean
  /** Shown on a large screen only, so that the other columns have room on smaller ones. */
  isOnLarge?: boolean
  isHiddenAtFirst?: boolean
}

export function moneyColumn<Row>(
  id: string,
  head: string,
  koboOf: (row: Row) => number | null,
  rest: Partial<Column<Row>> = {},
): Column<Row> {
  return { id, head, cell: (row) => <Money kobo={koboOf(row)} currency={currencyOf(row)} />, align: 'end', ...rest }
}

/** The currency of a record of the API. Undefined for other rows, which have the currency of their page. */
function currencyOf(row: unknown): Currency | undefined {
  return typeof row === 'object' && row !== null && 'currency' in row ? (row.currency as Currency) : undefined
}

/** A name or another text that a person wrote; its title has all of it. */
export function textColumn<Row>(
  id: string,
  head: string,
  textOf: (row: Row) => string | null,
  rest: Partial<Column<Row>> = {},
): Column<Row> {
  return { id, head, cell: (row) => <Text text={textOf(row)} />, isCut: true, ...rest }
}

function Text({ text }: { text: string | null }) {
  return text === null || text === '' ? absent : <span title={text}>{text}</span>
}

export function timeColumn<Row>(
  id: string,
  head: string,
  timeOf: (row: Row) => string | null,
  rest: Partial<Column<Row>> = {},
): Column<Row> {
  return { id, head, cell: (row) => <Time at={timeOf(row)} />, ...rest }
}

export function statusColumn<Row>(statusOf: (row: Row) => string): Column<Row> {
  return { id: 'status', head: 'Status', cell: (row) => <Status status={statusOf(row)} />, isOnPhone: true }
}

/** The columns that the address names; otherwise those that are shown by default. */
export function pickColumns<Row>(columns: readonly Column<Row>[], asked: string | undefined): readonly Column<Row>[] {
  if (asked === undefined) return columns.filter((column) => column.isHiddenAtFirst !== true)
  const ids = asked.split(',')
  return columns.filter((column, place) => place === 0 || column.isOnPhone === 'alone' || ids.includes(column.id))
}
