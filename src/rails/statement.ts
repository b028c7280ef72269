// Statements: a provider's own lists, which prove that our records are complete. Lists are late, repeat lines and
// change; a line is identified by its id, and its last version counts.

import type { z } from 'zod'
import { millionths, roundMillionths, toMoney, type Money } from '#platform/money.ts'
import { detailOf, type RailRefusal } from './outcome.ts'
import type { InboundAnswer, Unknown } from './rail.ts'

/** `ledger`: every change of our balance at the provider. */
export const statementLists = ['payouts', 'deposits', 'ledger'] as const
export type StatementList = (typeof statementLists)[number]

/**
 * The cause of a balance change. `fee`: a fee with a line of its own. `other`: nothing that we requested, such as money
 * from our own bank.
 */
type LineCause = 'payout' | 'deposit' | 'settlement' | 'refund' | 'fee' | 'other'

export type RailLine = {
  list: StatementList
  /**
   * The provider's id, unique within its list. A ledger line with a balance has a greater id than the earlier ones of
   * the same moment, as a number or as text.
   */
  lineId: string
  direction: 'in' | 'out'
  cause: LineCause
  /**
   * For a payout, our reference; for a deposit, the provider's reference in its notice; for a ledger line, the `lineId`
   * of the payout or deposit that caused the change.
   */
  reference: string
  amount: Money
  /**
   * What `amount` leaves out by rounding, in millionths of the minor unit: -600000 for a fee of 0.4 francs, booked as 1.
   */
  fraction: number
  /** Null if the list does not show it. */
  fee: Money | null
  currency: string
  /** The country of the wallet that a ledger line changed; null if the provider has no wallet for each country. */
  country: string | null
  /** `unknown`: the adapter does not know the status, or the type of the change. Such a line proves nothing. */
  state: 'pending' | 'succeeded' | 'failed' | 'reversed' | 'unknown'
  atMs: number
  /** The recipient of a payout, or our account that a deposit was paid into. Null if the list does not show it. */
  accountNumber: string | null
  /** Our balance after a ledger line, which may be negative; null in other lists. */
  balanceAfter: bigint | null
}

/** A null `cursor` requests the first page. */
export type StatementQuestion = { list: StatementList; fromMs: number; toMs: number; cursor: string | null }

/** A null `next` marks the last page. */
export type StatementPage =
  | { kind: 'page'; lines: RailLine[]; next: string | null }
  | { kind: 'unavailable'; detail: string; askAgainAfterMs?: number | undefined }

export type RailStatement = {
  page(question: StatementQuestion): Promise<StatementPage>
  /** Reads the deposit again, as for every notice, and returns what a notice of it would report. */
  reread(deposit: Pick<RailLine, 'reference' | 'lineId' | 'accountNumber'>): Promise<InboundAnswer>
}

type NoPage = Extract<StatementPage, { kind: 'unavailable' }>

export function noPage(endpoint: string, said: Unknown | ({ kind: 'refusal' } & RailRefusal)): NoPage {
  const askAgainAfterMs = said.kind === 'unknown' ? said.askAgainAfterMs : undefined
  return { kind: 'unavailable', detail: detailOf(endpoint, said), askAgainAfterMs }
}

/** One unreadable line invalidates its page, because an incomplete list proves nothing. */
export function unreadablePage(endpoint: string): NoPage {
  return { kind: 'unavailable', detail: `${endpoint}: a page that cannot be read` }
}

type LineOf<Known extends keyof RailLine> = Omit<RailLine, Known | keyof typeof ofNoWallet>

const ofNoWallet = { country: null, fraction: 0, balanceAfter: null }

export function payoutLine(line: LineOf<'list' | 'direction' | 'cause'>): RailLine {
  return { ...line, list: 'payouts', direction: 'out', cause: 'payout', ...ofNoWallet }
}

/** `pending`: the list does not say whether the money came. */
export function depositLine({
  state = 'succeeded',
  ...line
}: LineOf<'list' | 'direction' | 'cause' | 'state'> & { state?: 'succeeded' | 'pending' }): RailLine {
  return { ...line, state, list: 'deposits', direction: 'in', cause: 'deposit', ...ofNoWallet }
}

/**
 * Converts millionths of the minor unit to the amount of a ledger line. A change of less than half a unit becomes 1
 * with a negative fraction, because our float book (ledger/float.ts) has no movements of 0.
 */
export function wholeAndFraction(exact: bigint): Pick<RailLine, 'amount' | 'fraction'> {
  const rounded = roundMillionths(exact)
  const amount = toMoney(rounded === 0n && exact > 0n ? 1n : rounded)
  return { amount, fraction: Number(exact - amount * millionths) }
}

export function ledgerLine(
  line: Omit<RailLine, 'list' | 'fee' | 'state' | 'accountNumber' | 'country' | 'fraction'> &
    Partial<Pick<RailLine, 'country' | 'fraction'>>,
): RailLine {
  return { country: null, fraction: 0, ...line, list: 'ledger', fee: null, state: 'succeeded', accountNumber: null }
}

/**
 * A change of the balance whose type the adapter does not know. `reference` names the type. The change is shown to our
 * staff and not booked.
 */
export function unexplainedLine(line: Omit<Parameters<typeof ledgerLine>[0], 'cause'>): RailLine {
  return { ...ledgerLine({ ...line, cause: 'other' }), state: 'unknown' }
}

/** Null if the row is not ours; undefined if it cannot be read. */
export type LineReader = (unchecked: unknown) => RailLine | null | undefined

export function datedLine<Row>(
  schema: z.ZodType<Row>,
  timeOf: (row: Row) => number | undefined,
  lineOf: (row: Row, atMs: number) => RailLine | null | undefined,
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
