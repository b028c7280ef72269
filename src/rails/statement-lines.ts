// What adapters of providers say alike of the lines that a provider lists.

import type { z } from 'zod'
import type { RailLine } from './statement.ts'

/** What the lines of one list have in common, and no adapter need say. */
type LineOf<Known extends keyof RailLine> = Omit<RailLine, Known | 'balanceAfter'>

/** Of a payout that we asked for. */
export function payoutLine(line: LineOf<'list' | 'direction' | 'cause'>): RailLine {
  return { ...line, list: 'payouts', direction: 'out', cause: 'payout', balanceAfter: null }
}

/** Of money that was paid in: what has not arrived is no line. */
export function depositLine(line: LineOf<'list' | 'direction' | 'cause' | 'state'>): RailLine {
  return { ...line, list: 'deposits', direction: 'in', cause: 'deposit', state: 'succeeded', balanceAfter: null }
}

/** Of a change of the balance, which is there once it has happened. */
export function ledgerLine(line: Omit<RailLine, 'list' | 'fee' | 'state' | 'accountNumber'>): RailLine {
  return { ...line, list: 'ledger', fee: null, state: 'succeeded', accountNumber: null }
}

/** Null: a row is none of ours. Undefined: it cannot be read. */
export type LineReader = (unchecked: unknown) => RailLine | null | undefined

/** Reads rows that say when they were; one that says no time cannot be read. */
export function datedLine<Row>(
  schema: z.ZodType<Row>,
  timeOf: (row: Row) => number | undefined,
  lineOf: (row: Row, atMs: number) => RailLine | null,
): LineReader {
  return (unchecked) => {
    const row = schema.safeParse(unchecked).data
    const atMs = row === undefined ? undefined : timeOf(row)
    return row === undefined || atMs === undefined || Number.isNaN(atMs) ? undefined : lineOf(row, atMs)
  }
}

export function linesOf(rows: unknown[], lineOf: LineReader): RailLine[] | undefined {
  const read = rows.map(lineOf)
  return read.includes(undefined) ? undefined : read.filter((line) => line !== null && line !== undefined)
}
