// Looking through payments for what no index knows, from the latest on. A question goes through so many of them and no more;
// whoever wants to know of older ones goes on from there (docs/adr/0030-looking-through-in-bounded-pieces.md).

import type { Context, Tenant } from '#base/context.ts'
import { piecesDown, type TimeRange } from '#base/ordinal.ts'
import type { Payment, PaymentKind } from './payment.ts'
import { paymentList } from './sql-lists.ts'
import { paymentOf } from './sql-rows.ts'
import { findMatching, type PaymentFilter } from './sql-search.ts'

export type { PaymentFilter } from './sql-search.ts'

export type Bounds = {
  /** Of one statement: a few milliseconds of one connection. */
  pieceRows: bigint
  /** Of one question: some tenths of a second of one of the four connections that pages have. */
  questionRows: bigint
}

const usual: Bounds = { pieceRows: 2_000n, questionRows: 100_000n }
/** As many are in memory while a file is made. */
const pieceOfFile = 500n

export type SearchQuestion = TimeRange & {
  filter: PaymentFilter
  limit: number
  /** Where the last question ended: this one goes on behind it. */
  behind?: bigint | undefined
}

export type SearchAnswer = {
  /** The latest first. */
  payments: Payment[]
  /** How many were looked through. */
  looked: number
  /** Where to go on; undefined: there are no older ones. */
  next: bigint | undefined
  /** Of the oldest that was looked at, where there are older ones. */
  lookedBackTo: Date | undefined
}

type Reading = Pick<Context, 'db'>

export async function searchPayments(
  { db }: Reading,
  tenant: Tenant,
  kind: PaymentKind,
  { filter, limit, behind, ...time }: SearchQuestion,
  { pieceRows, questionRows } = usual,
): Promise<SearchAnswer> {
  const range = await paymentList.rangeOf(db, tenant, time, kind)
  const high = behind !== undefined && behind - 1n < range.high ? behind - 1n : range.high
  const end = high - questionRows > range.low ? high - questionRows : range.low
  const payments: Payment[] = []
  let at = high
  while (at > end && payments.length < limit) {
    const low = at - pieceRows > end ? at - pieceRows : end
    const wanted = limit - payments.length
    const found = await findMatching(db, { tenant, kind, range: { low, high: at }, limit: wanted }, filter)
    payments.push(...found.map(paymentOf))
    const last = found.at(-1)
    // A piece that gave all that was wanted may hold more: the next question begins in it.
    at = found.length === wanted && last !== undefined ? last.number - 1n : low
  }
  const looked = Number(high - at)
  if (at <= range.low) return { payments, looked, next: undefined, lookedBackTo: undefined }
  const [oldest] = await paymentList.read(db, tenant, { low: at, high: at + 1n }, kind)
  return { payments, looked, next: at + 1n, lookedBackTo: oldest?.createdAt }
}

/** All that are as the filter says within a range of time, the latest first, some at a time. */
export async function* walkPayments(
  { db }: Reading,
  tenant: Tenant,
  kind: PaymentKind,
  { filter, ...time }: TimeRange & { filter: PaymentFilter },
): AsyncGenerator<Payment[]> {
  const all = await paymentList.rangeOf(db, tenant, time, kind)
  for (const range of piecesDown(all, pieceOfFile)) {
    const found = await findMatching(db, { tenant, kind, range, limit: Number(pieceOfFile) }, filter)
    if (found.length > 0) yield found.map(paymentOf)
  }
}
