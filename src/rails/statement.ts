// What a provider lists of its own accord: the proof that what we have is all that there is. Lists are late, repeat
// themselves and change; a line is known by its id, and the last word about it counts.

import type { z } from 'zod'
import type { Kobo } from '#platform/money.ts'
import { detailOf, type Refusal } from './outcome.ts'
import type { InboundAnswer, Unknown } from './rail.ts'

/** `ledger`: every change of what the provider holds for us. */
export const statementLists = ['payouts', 'deposits', 'ledger'] as const
export type StatementList = (typeof statementLists)[number]

/** Of a change of the balance: why it changed. `other`: nothing that we asked for, such as money from our own bank. */
type LineCause = 'payout' | 'deposit' | 'settlement' | 'refund' | 'other'

export type RailLine = {
  list: StatementList
  /** The provider's own, unique within its list. Later ones of one moment are greater, as numbers or as texts. */
  lineId: string
  direction: 'in' | 'out'
  cause: LineCause
  /** Ours for a payout; what the provider calls a deposit when it tells of it; for the ledger, the id of the line that caused it. */
  reference: string
  amount: Kobo
  /** Null: it does not say. */
  fee: Kobo | null
  currency: string
  /** `unknown`: a word that is new, of which nothing follows. */
  state: 'pending' | 'succeeded' | 'failed' | 'reversed' | 'unknown'
  atMs: number
  /** The recipient of a payout, or the account of ours that a deposit was paid into. Null: the list does not say. */
  accountNumber: string | null
  /** Of the ledger: what the provider held for us after it, which may be less than nothing. */
  balanceAfter: bigint | null
}

/** `cursor` null: the first page. */
export type StatementQuestion = { list: StatementList; fromMs: number; toMs: number; cursor: string | null }

/** `next` null: it was the last one. */
export type StatementPage =
  | { kind: 'page'; lines: RailLine[]; next: string | null }
  | { kind: 'unavailable'; detail: string; askAgainAfterMs?: number | undefined }

export type Statement = {
  page(question: StatementQuestion): Promise<StatementPage>
  /** What a notice of this deposit would say: read again, as for every notice. */
  reread(deposit: Pick<RailLine, 'reference' | 'lineId' | 'accountNumber'>): Promise<InboundAnswer>
}

type NoPage = Extract<StatementPage, { kind: 'unavailable' }>

/** What an adapter answers in place of a page: nothing is known of what would be on it. */
export function noPage(endpoint: string, said: Unknown | ({ kind: 'refusal' } & Refusal)): NoPage {
  const askAgainAfterMs = said.kind === 'unknown' ? said.askAgainAfterMs : undefined
  return { kind: 'unavailable', detail: detailOf(endpoint, said), askAgainAfterMs }
}

/** One line that cannot be read spoils its page: a proof that leaves something out proves nothing. */
export function unreadable(endpoint: string): NoPage {
  return { kind: 'unavailable', detail: `${endpoint}: a page that cannot be read` }
}

// What adapters of providers say alike of the lines that a provider lists.

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
