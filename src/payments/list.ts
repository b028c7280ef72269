// Reads payments: one by its reference (batched with all other reads of its lane), a page of a list, all payments of a
// period, or a search by values without an index.

import { parsePhoneNumber } from '#directory/operators.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { inLane, statement, type InLane, type Queryable } from '#platform/db/db.ts'
import { lookUp } from '#platform/db/statement.ts'
import { createRowLoaders } from '#platform/db/loader.ts'
import {
  type Bounds,
  searchDown,
  numberedList,
  type ListPiece,
  type Range,
  type Slice,
  piecesDown,
  type TimeRange,
  findDated,
  sliceOf,
  type PageQuestion,
} from '#platform/db/numbered-list.ts'
import { foldedName, foldName } from '#platform/db/folded-names.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency, Money } from '#platform/money.ts'
import { type EndedOutcome, type EndedSum, foundAllOf, readEndedSums } from '#stats/stats.ts'
import { countLate, type LatePayments } from './history.ts'
import { type Payment, unfinishedStatuses, type PaymentKind, type PaymentOf, type PaymentStatus } from './payment.ts'
import {
  paymentColumnsOf,
  shownColumnsOf,
  paymentColumns,
  paymentOf,
  askByKeys,
  byKey,
  findPayments,
  type PaymentKey,
} from './queries.ts'
import type { ShownPayment } from './wire.ts'

/** A reference of another kind counts as not found. */
export type PaymentReader = {
  read<K extends PaymentKind>(tenant: Tenant, kind: K, reference: string): Promise<PaymentOf<K> | undefined>
  readShown(tenant: Tenant, kind: PaymentKind, reference: string): Promise<ShownPayment | undefined>
}

// Leaves out the columns that no answer shows. In batches of 32, reading one payment and writing it as JSON takes 10 µs
// instead of 12, and PostgreSQL takes 11 instead of 12.
const findShown = statement(
  'payments.find_shown',
  lookUp({ ...byKey, columns: `p.tenant_id as "tenantId", ${shownColumnsOf('p')}` }),
)

const findShownPayments = (db: InLane, keys: PaymentKey[]): Promise<(ShownPayment & PaymentKey)[]> =>
  askByKeys(db, findShown, keys)

export function createPaymentReader(ctx: Context): PaymentReader {
  const keyText = ({ tenantId, reference }: PaymentKey): string => `${tenantId} ${reference}`
  const whole = createRowLoaders(ctx, { name: 'payments', keyText, find: findPayments })
  const shown = createRowLoaders(ctx, { name: 'shown_payments', keyText, find: findShownPayments })
  return {
    async read<K extends PaymentKind>(tenant: Tenant, kind: K, reference: string) {
      const payment = await whole.load(tenant.lane, { tenantId: tenant.id, reference })
      return payment?.kind === kind ? (payment as PaymentOf<K>) : undefined
    },
    async readShown(tenant, kind, reference) {
      const payment = await shown.load(tenant.lane, { tenantId: tenant.id, reference })
      return payment?.kind === kind ? payment : undefined
    },
  }
}

/** A caller passes some hundreds of references at most. */
export function readPaymentsOf({ db }: ReadDeps, tenant: Tenant, references: readonly string[]): Promise<Payment[]> {
  const keys = references.map((reference) => ({ tenantId: tenant.id, reference }))
  return findPayments(inLane(db, tenant.lane), keys)
}

export type ListQuestion = PageQuestion & TimeRange & { status?: PaymentStatus | undefined }

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

// Most payments end within this time; later ones are shown as late.

const lateAfterMs = 10 * minuteMs
/**
 * Counts at most this many of each kind and status. If a business has more, the dashboard shows this number as a
 * minimum.
 */
const countedMax = 1_000

/** `before`: the late payments were accepted before this time. */
export async function readLate({ db, clock }: Context, tenant: Tenant): Promise<(LatePayments & { before: Date })[]> {
  const before = new Date(clock.now() - lateAfterMs)
  return (await countLate(db, tenant, before, countedMax)).map((late) => ({ ...late, before }))
}

// Lists of payments that ended in a period. No index has the time when a payment ended, but the hourly figures count
// ended payments (stats/stats.ts). So the figures give the total and the sum of such a list, and show when the search
// has found all of them. A payment that was accepted long before its end is at the end of the list.

/** The figures of at most this period are added up for one request: a little more than a year. */
const summedMsMax = 400 * dayMs

const outcomesOf: Partial<Record<PaymentStatus, EndedOutcome>> = {
  SUCCESS: 'succeeded',
  FAILED: 'failed',
  REVERSED: 'returned',
}

/** Undefined if the hourly figures do not count these filters, or the period is too long. The times are whole hours. */
async function sumEnded(
  db: Queryable,
  tenant: Tenant,
  kind: PaymentKind,
  { filter, from, before }: TimeRange & { filter: PaymentFilter },
): Promise<EndedSum[] | undefined> {
  const { endedFrom, endedBefore, status, failureReason: reason, currency, ...others } = filter
  if (endedFrom === undefined || endedBefore === undefined || from !== undefined || before !== undefined)
    return undefined
  if (Object.values(others).some((value) => value !== undefined)) return undefined
  if (endedBefore.getTime() - endedFrom.getTime() > summedMsMax) return undefined
  const all: EndedOutcome[] = reason === undefined ? ['succeeded', 'failed', 'returned'] : ['failed']
  const own = status === undefined ? all : all.filter((outcome) => outcome === outcomesOf[status])
  return readEndedSums(db, tenant, { from: endedFrom, to: endedBefore, currency, kinds: [kind], outcomes: own, reason })
}

async function openSearch(
  db: Queryable,
  tenant: Tenant,
  kind: PaymentKind,
  { filter, from, before }: TimeRange & { filter: PaymentFilter },
) {
  const { endedFrom, endedBefore } = filter
  const until =
    before !== undefined && endedBefore !== undefined && before > endedBefore ? endedBefore : (before ?? endedBefore)
  const readSums = () => sumEnded(db, tenant, kind, { filter, from, before })
  const [range, sums, older] = await Promise.all([
    paymentList.rangeOf(db, tenant, { from, before: until }, kind),
    readSums(),
    endedFrom === undefined ? undefined : paymentList.rangeOf(db, tenant, { before: endedFrom }, kind),
  ])
  return {
    range,
    sums,
    // Payments that were accepted in the period are read in any case, because more of them may have ended since the
    // figures were read.
    isAll: foundAllOf(sums, readSums, older?.high),
    pieceAt:
      (status: PaymentStatus) =>
      async (at: bigint, most: bigint): Promise<ListPiece> => {
        const values = [tenant.lane, tenant.id, kind, status, range.low, at, most]
        const [piece] = await db.query<{ rows: bigint; lowest: bigint | null }>(pieceOfStatus, values)
        const { rows = 0n, lowest = null } = piece ?? {}
        return { high: at, low: lowest === null || rows < most ? range.low : lowest - 1n, rows }
      },
  }
}

// Searches payments by values without an index, starting with the latest. One request searches a limited number of
// payments; the next request continues from there (docs/adr/0030-looking-through-in-bounded-pieces.md).

const usual: Bounds = { pieceRows: 2_000n, questionRows: 100_000n }
/** The number of payments in memory while a file is written. */
const pieceOfFile = 500n

export type SearchQuestion = TimeRange & {
  filter: PaymentFilter
  limit: number
  /** The position at which the previous page ended. */
  behind?: bigint | undefined
  foundBefore?: number | undefined
}

type SearchAnswer = {
  payments: Payment[]
  /** The number of payments that were read. */
  looked: number
  /** The position of the next page; undefined: there are no older payments. */
  next: bigint | undefined
  /** The time of the oldest payment that was read, if there are older ones. */
  lookedBackTo: Date | undefined
  /** The total and sum of all matches, if the hourly figures count them. */
  sums?: EndedSum[] | undefined
}

type ReadDeps = Pick<Context, 'db'>

export async function searchPayments(
  { db }: ReadDeps,
  tenant: Tenant,
  kind: PaymentKind,
  { filter, limit, behind, foundBefore = 0, ...time }: SearchQuestion,
  bounds = usual,
): Promise<SearchAnswer> {
  const { range, sums, isAll, pieceAt } = await openSearch(db, tenant, kind, { filter, ...time })
  const scarce = fewStatusOf(filter)
  const found = await searchDown<NumberedPayment>({
    range,
    behind,
    limit,
    bounds,
    ...(scarce === undefined ? {} : { pieceAt: pieceAt(scarce) }),
    find: (piece, wanted) => findMatching(db, { tenant, kind, range: piece, limit: wanted }, filter),
    isAll: (at, count) => isAll(at, foundBefore + count),
  })
  const { looked, at } = found
  const answer = { payments: found.rows.map(paymentOf), looked, ...(sums === undefined ? {} : { sums }) }
  if (at === undefined) return { ...answer, next: undefined, lookedBackTo: undefined }
  const [oldest] = await paymentList.read(db, tenant, { low: at, high: at + 1n }, kind)
  return { ...answer, next: at + 1n, lookedBackTo: oldest?.createdAt }
}

export async function* walkPayments(
  { db }: ReadDeps,
  tenant: Tenant,
  kind: PaymentKind,
  { filter, ...time }: TimeRange & { filter: PaymentFilter },
): AsyncGenerator<Payment[]> {
  const { range: all, isAll } = await openSearch(db, tenant, kind, { filter, ...time })
  let count = 0
  for (const range of piecesDown(all, pieceOfFile)) {
    const found = await findMatching(db, { tenant, kind, range, limit: Number(pieceOfFile) }, filter)
    count += found.length
    if (found.length > 0) yield found.map(paymentOf)
    if (await isAll(range.low, count)) return
  }
}

// SQL of lists. Each kind's payments of a tenant are numbered without gaps, and later payments have higher numbers
// (accept.ts). So a page, a total and a range of time are ranges of numbers, and a page deep in the list costs no more
// than the first one.

export const paymentList = numberedList<Payment, ShownPayment>({
  name: 'payments',
  table: 'payment',
  list: 'kind',
  columns: paymentColumnsOf('r'),
  shown: shownColumnsOf('r'),
})

// SQL of lists of one status. All statuses but SUCCESS have an index, so a page of such a status reads only rows of
// that status; a page of SUCCESS skips the rows of the other statuses. The cost depends neither on the depth of the
// page nor on other businesses. A page and its total are read at one moment. Measured on 1 000 000 payments of one
// tenant, 5 % FAILED or REVERSED, 1 % queued, beside 400 000 queued ones of another tenant, for the first and the last
// page: SUCCESS 70 ms, FAILED 38 ms, queued 16 ms; on a table without statistics twice as long.

// A planner without statistics would join all of the tenant's rows of every status, or scan all of its ordinals.
// `offset 0` prevents the join. The range compares (status, ordinal), because with a condition on the ordinal alone the
// planner could choose the index payment_ordinal and scan every ordinal.
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

// Finds the start of a page: it goes down from the highest number, past `offset` successes and past every other payment
// that has at most `offset` successes above it.
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

// SQL that searches payments by values without an index: amounts, banks, reasons, metadata. One query reads a range of
// the list by its numbers, so the cost depends only on the size of that range, not on the length of the list or on how
// few rows match.

export type PaymentFilter = {
  status?: PaymentStatus | undefined
  amountFrom?: Money | undefined
  amountTo?: Money | undefined
  currency?: Currency | undefined
  /** Ended at or after `endedFrom` and before `endedBefore`. A returned payout counts by the time of its return. */
  endedFrom?: Date | undefined
  endedBefore?: Date | undefined
  bankSlug?: string | undefined
  operator?: string | undefined
  failureReason?: string | undefined
  /** The account or phone number, or words of the name, of the payee or payer. */
  payee?: string | undefined
  /** One complete value of the payment's metadata. */
  metadata?: string | undefined
}

// Reads the range in the order of its index: a planner that expects few matches would use another index and read all
// rows of the tenant.
const inPiece = `select * from payment
            where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal > 0 and payment.ordinal > $4
              and payment.ordinal <= $5
            order by payment.ordinal desc offset 0`
const ofStatusInPiece = `select * from payment
            where lane = $1 and tenant_id = $2 and kind = $3 and status <> 'SUCCESS' and status = $6
              and (status, ordinal) > ($6, $4) and (status, ordinal) <= ($6, $5)
            order by status desc, ordinal desc offset 0`

const matchingIn = (piece: string): string =>
  `select ${paymentColumns}, p.ordinal as number
     from (${piece}) as p
    where ($6::text is null or p.status = $6) and ($7::bigint is null or p.amount >= $7)
      and ($8::bigint is null or p.amount <= $8) and ($9::text is null or p.bank_slug = $9)
      and ($10::text is null or p.operator = $10) and ($11::text is null or p.failure_reason = $11)
      and ($12::text is null or position($12 in p.metadata) > 0)
      and ($14::text is null or coalesce(p.account_number, p.phone_number) = $14)
      and ($15::text[] is null or (
        select bool_and(position(word in ' ' || ${foldedName(`coalesce(p.account_name, p.customer_name, '')`)}) > 0)
          from unnest($15::text[]) as w (word)))
      and ($16::text is null or p.currency = $16)
      and ($17::timestamptz is null or p.completed_at >= $17) and ($18::timestamptz is null or p.completed_at < $18)
    order by p.ordinal desc limit $13`

const matching = statement('payments.matching', matchingIn(inPiece))
const matchingOfStatus = statement('payments.matching_of_status', matchingIn(ofStatusInPiece))

// The next range of payments with a rare status, by the index of that status.
const pieceOfStatus = statement(
  'payments.piece_of_status',
  `select count(*) as rows, min(ordinal) as lowest
     from (select ordinal from payment
            where lane = $1 and tenant_id = $2 and kind = $3 and status <> 'SUCCESS' and status = $4
              and (status, ordinal) > ($4, $5) and (status, ordinal) <= ($4, $6)
            order by status desc, ordinal desc limit $7) as piece`,
)

type NumberedPayment = Payment & { number: bigint }

function findMatching(
  db: Queryable,
  { tenant, kind, range: { low, high }, limit }: { tenant: Tenant; kind: PaymentKind; range: Range; limit: number },
  filter: PaymentFilter,
): Promise<NumberedPayment[]> {
  const { status, amountFrom, amountTo, bankSlug, operator, failureReason, metadata, payee } = filter
  const { currency = null, endedFrom = null, endedBefore = null } = filter
  const wanted = [status, amountFrom, amountTo, bankSlug, operator, failureReason].map((value) => value ?? null)
  const text = metadata === undefined ? null : asValue(metadata)
  const { number, words } = payeeOf(payee)
  const last = [text, limit, number, words, currency, endedFrom, endedBefore]
  const what = fewStatusOf(filter) === undefined ? matching : matchingOfStatus
  return db.query<NumberedPayment>(what, [tenant.lane, tenant.id, kind, low, high, ...wanted, ...last])
}

/**
 * Returns the status if the filter asks when payments ended and names a status other than SUCCESS. A payment that ended
 * recently may have been accepted long ago, so its number does not narrow the search; the index of the status does.
 */
function fewStatusOf({ status, endedFrom }: PaymentFilter): PaymentStatus | undefined {
  return endedFrom === undefined || status === 'SUCCESS' ? undefined : status
}

/** Text of digits, also in groups, is a number. Any other text is a name, whose words may be in any order. */
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

/** The value as the stored JSON contains it after its name. */
function asValue(text: string): string {
  return `:${JSON.stringify(text)}`
}
