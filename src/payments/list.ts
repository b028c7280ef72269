// The SQL behind lists. Each kind's payments of a tenant are numbered densely, and their times follow the numbers
// (accept.ts), so a page, a total and a range of time are ranges of numbers: they cost the same at any depth.

import { parsePhoneNumber } from '#directory/operators.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { inLane, statement, type Queryable } from '#platform/db/db.ts'
import { createRowLoaders } from '#platform/db/loader.ts'
import {
  numberedList,
  type Range,
  type Slice,
  piecesDown,
  type TimeRange,
  findDated,
  sliceOf,
  type PageQuestion,
} from '#platform/db/numbered-list.ts'
import { foldedName, foldName } from '#platform/db/folded-names.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Money } from '#platform/money.ts'
import { countLate } from './history.ts'
import { type Payment, unfinishedStatuses, type PaymentKind, type PaymentStatus } from './payment.ts'
import {
  paymentColumnsOf,
  shownColumnsOf,
  paymentColumns,
  paymentOf,
  findPayments,
  type PaymentKey,
} from './queries.ts'
import type { ShownPayment } from './wire.ts'

export const paymentList = numberedList<Payment, ShownPayment>({
  name: 'payments',
  table: 'payment',
  list: 'kind',
  columns: paymentColumnsOf('r'),
  shown: shownColumnsOf('r'),
})

// The SQL behind lists of one status. All but the successful payments have an index by status, so a page of theirs costs what
// has that status, and SUCCESS what those others leave: at any depth, and whatever other businesses have. Each page and
// its total are of one moment.
//
// Measured on 1 000 000 payments of one tenant, 5 % FAILED or REVERSED, 1 % queued, beside 400 000 queued ones of another, first
// page and last page alike: SUCCESS 70 ms, FAILED 38 ms, queued 16 ms; on a table without statistics twice as long.

// A planner without statistics would rather join what the tenant has of every status, or walk all of its ordinals. The offset
// keeps it from joining. The range is compared together with the status: alone it repeats the condition of the other index.
const few = `with few as materialized (
     select p.ordinal
       from unnest($6::text[]) as s (status)
      cross join lateral (
        select ordinal from payment
         where lane = $1 and tenant_id = $2 and kind = $3 and status <> 'SUCCESS' and status = s.status
           and (status, ordinal) > (s.status, $4) and (status, ordinal) <= (s.status, $5)
         order by status desc, ordinal desc offset 0) as p)`

const pageOfFew = statement(
  'payments.page_of_few',
  `${few},
   page as (select ordinal from few order by ordinal desc offset $7 limit $8)
   select (select count(*) from few) as total, ${shownColumnsOf('p')}
     from (values (1)) as always
     left join (page cross join lateral (
            select * from payment
             where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal > 0 and payment.ordinal <= page.ordinal
             order by payment.ordinal desc limit 1) as p) on true
    order by p.ordinal desc`,
)

// How far down the list a page begins: walking down from the highest number, one passes `offset` successes and every other
// payment that has no more than `offset` successes above it.
const pageOfSuccess = statement(
  'payments.page_of_success',
  `${few},
   ranked as (select ordinal, row_number() over (order by ordinal desc) as rank from few),
   start as (
     select count(*) as others, count(*) filter (where $5 - ordinal - (rank - 1) <= $7::bigint) as passed from ranked)
   select $5::bigint - $4::bigint - start.others as total, ${shownColumnsOf('p')}
     from start left join lateral (
            select * from payment
             where lane = $1 and tenant_id = $2 and kind = $3 and status = 'SUCCESS' and ordinal > 0 and ordinal > $4
               and ordinal <= $5 - $7::bigint - start.passed
             order by ordinal desc limit $8) as p on true
    order by p.ordinal desc`,
)

type StatusRow = { total: bigint } & (ShownPayment | { id: null })

async function readPageOfStatus(
  db: Queryable,
  tenant: Tenant,
  kind: PaymentKind,
  status: PaymentStatus,
  { low, high }: Range,
  { offset, limit }: Slice,
): Promise<PaymentPage> {
  const [what, statuses] =
    status === 'SUCCESS' ? [pageOfSuccess, ['FAILED', 'REVERSED', ...unfinishedStatuses]] : [pageOfFew, [status]]
  const values = [tenant.lane, tenant.id, kind, low, high, statuses, offset, limit]
  const rows = await db.query<StatusRow>(what, values)
  const payments = rows.filter((row): row is StatusRow & ShownPayment => row.id !== null)
  return { payments, total: Number(rows[0]?.total ?? 0n) }
}

// The SQL that looks through a list of payments for what no index knows: amounts, banks, reasons, metadata. It asks for a piece
// of the list by its numbers, so what it costs is the piece, however long the list is and however few are found.

/** What a payment must be; what is absent may be anything. */
export type PaymentFilter = {
  status?: PaymentStatus | undefined
  amountFrom?: Money | undefined
  amountTo?: Money | undefined
  /** Of a bank transfer. */
  bankSlug?: string | undefined
  /** Of mobile money. */
  operator?: string | undefined
  failureReason?: string | undefined
  /** The account or phone number, or words of the name, of who is paid or asked to pay. */
  payee?: string | undefined
  /** One of the texts in its metadata, whole. */
  metadata?: string | undefined
}

// The piece is read in the order of its index and by nothing else: a planner that thinks little of what is asked of the rows
// would look for them by another index, all of a tenant's.
const matching = statement(
  'payments.matching',
  `select ${paymentColumns}, p.ordinal as number
     from (select * from payment
            where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal > 0 and payment.ordinal > $4
              and payment.ordinal <= $5
            order by payment.ordinal desc offset 0) as p
    where ($6::text is null or p.status = $6) and ($7::bigint is null or p.amount >= $7)
      and ($8::bigint is null or p.amount <= $8) and ($9::text is null or p.bank_slug = $9)
      and ($10::text is null or p.operator = $10) and ($11::text is null or p.failure_reason = $11)
      and ($12::text is null or position($12 in p.metadata) > 0)
      and ($14::text is null or coalesce(p.account_number, p.phone_number) = $14)
      and ($15::text[] is null or (
        select bool_and(position(word in ' ' || ${foldedName(`coalesce(p.account_name, p.customer_name, '')`)}) > 0)
          from unnest($15::text[]) as w (word)))
    order by p.ordinal desc limit $13`,
)

type Numbered = Payment & { number: bigint }

/** Those of a piece of the list that are as the filter says, the latest first. */
function findMatching(
  db: Queryable,
  { tenant, kind, range: { low, high }, limit }: { tenant: Tenant; kind: PaymentKind; range: Range; limit: number },
  filter: PaymentFilter,
): Promise<Numbered[]> {
  const { status, amountFrom, amountTo, bankSlug, operator, failureReason, metadata, payee } = filter
  const wanted = [status, amountFrom, amountTo, bankSlug, operator, failureReason].map((value) => value ?? null)
  const text = metadata === undefined ? null : asValue(metadata)
  const { number, words } = payeeOf(payee)
  return db.query<Numbered>(matching, [tenant.lane, tenant.id, kind, low, high, ...wanted, text, limit, number, words])
}

/** Digits are a number, in groups too; anything else is a name, whose words may stand in any order. */
function payeeOf(payee: string | undefined): { number: string | null; words: string[] | null } {
  if (payee === undefined) return { number: null, words: null }
  const digits = payee.replaceAll(/[\s-]/g, '')
  if (/^\+?\d+$/.test(digits)) {
    return { number: /^\d{10}$/.test(digits) ? digits : (parsePhoneNumber(digits) ?? digits), words: null }
  }
  return {
    number: null,
    words: foldName(payee)
      .split(' ')
      .map((word) => ` ${word}`),
  }
}

/** As it stands in the JSON that is kept, behind its name: there a quote within a text has a backslash before it. */
function asValue(text: string): string {
  return `:${JSON.stringify(text)}`
}

// Looking through payments for what no index knows, from the latest on. A question goes through so many of them and no more;
// the next question continues there (docs/adr/0030-looking-through-in-bounded-pieces.md).

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

type SearchAnswer = {
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

// Payments that have not ended although most have by then.

const lateAfterMs = 10 * minuteMs
/** Of each kind; who has more knows enough. */
const countedMax = 1_000

export function readLate({ db, clock }: Context, tenant: Tenant): Promise<{ kind: PaymentKind; count: number }[]> {
  return countLate(db, tenant, new Date(clock.now() - lateAfterMs), countedMax)
}

// Reading payments: one by its reference (gathered with all other reads of its lane), or a page of the list.

type PaymentReader = { read(tenant: Tenant, reference: string): Promise<Payment | undefined> }

export function createPaymentReader(ctx: Context): PaymentReader {
  const keyText = ({ tenantId, reference }: PaymentKey): string => `${tenantId} ${reference}`
  const loaders = createRowLoaders(ctx, { name: 'payments', keyText, find: findPayments })
  return { read: (tenant, reference) => loaders.load(tenant.lane, { tenantId: tenant.id, reference }) }
}

/** The payments of any kind with these references, some hundreds at a time. */
export function readPaymentsOf({ db }: Reading, tenant: Tenant, references: readonly string[]): Promise<Payment[]> {
  const keys = references.map((reference) => ({ tenantId: tenant.id, reference }))
  return findPayments(inLane(db, tenant.lane), keys)
}

export type ListQuestion = PageQuestion & TimeRange & { status?: PaymentStatus | undefined }

/** By the id that the business knows it by. */
export async function findPaymentById(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  kind: PaymentKind,
  id: Uuid,
): Promise<Payment | undefined> {
  const row = await findDated(paymentList, { db, tenant, name: kind }, id)
  return row === undefined ? undefined : paymentOf(row)
}

export type PaymentPage = { payments: ShownPayment[]; total: number }

export async function listPayments(
  { db }: Context,
  tenant: Tenant,
  kind: PaymentKind,
  question: ListQuestion,
): Promise<PaymentPage> {
  if (question.status !== undefined) {
    const range = await paymentList.rangeOf(db, tenant, question, kind)
    return readPageOfStatus(db, tenant, kind, question.status, range, sliceOf(question))
  }
  const { rows, total } = await paymentList.page(db, tenant, question, kind)
  return { payments: rows, total }
}
