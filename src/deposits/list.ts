// Deposit lists, the search for deposits that ended in a time range, and reads by reference. A tenant's deposits are
// numbered without gaps in the order of their times (record.ts), so an unfiltered page, a total and a time range are
// ranges of numbers and cost the same at any depth.

import type { Tenant, Context } from '#platform/context.ts'
import { inLane, statement, type Queryable } from '#platform/db/db.ts'
import { createRowLoaders } from '#platform/db/loader.ts'
import {
  type Bounds,
  searchDown,
  type Range,
  type Slice,
  numberedList,
  piecesDown,
  walkDown,
  walkedAtOnce,
  sliceOf,
  type PageQuestion,
  type TimeRange,
} from '#platform/db/numbered-list.ts'
import { add, type Currency, zero } from '#platform/money.ts'
import { type EndedSum, foundAllOf, readEndedSums } from '#stats/stats.ts'
import { type Deposit, type DepositStatus, parseDepositReference } from './deposit.ts'
import { depositColumnsOf, findDeposits, type DepositKey } from './queries.ts'

export const depositList = numberedList<Deposit>({
  name: 'deposits',
  table: 'deposit',
  columns: depositColumnsOf('r'),
})

const depositColumns = depositColumnsOf('d')

// PENDING and FAILED have a partial index of their own. SUCCESSFUL is most of the table, so a scan by number finds a
// page quickly. The cost of a page grows with its depth.
const pageOfStatus = statement(
  'deposits.page_of_status',
  `select ${depositColumns} from deposit d
    where d.lane = $1 and d.tenant_id = $2 and d.status = $3 and d.ordinal > 0 and d.ordinal > $4 and d.ordinal <= $5
    order by d.ordinal desc offset $6 limit $7`,
)

function readPageOfStatus(
  db: Queryable,
  tenant: Tenant,
  status: DepositStatus,
  { low, high }: Range,
  { offset, limit }: Slice,
): Promise<Deposit[]> {
  return db.query<Deposit>(pageOfStatus, [tenant.lane, tenant.id, status, low, high, offset, limit])
}

const countUnsettled = statement(
  'deposits.count_unsettled',
  `select status, count(*) as count from deposit
    where lane = $1 and tenant_id = $2 and ordinal > $3 and ordinal <= $4 and status in ('PENDING', 'FAILED')
    group by status`,
)

async function countByStatus(
  db: Queryable,
  tenant: Tenant,
  { low, high }: Range,
): Promise<Record<DepositStatus, bigint>> {
  const rows = await db.query<{ status: DepositStatus; count: bigint }>(countUnsettled, [
    tenant.lane,
    tenant.id,
    low,
    high,
  ])
  const counts = { PENDING: 0n, FAILED: 0n, SUCCESSFUL: high - low }
  for (const { status, count } of rows) {
    counts[status] = count
    counts.SUCCESSFUL -= count
  }
  return counts
}

type PaidAccountFilter = { accountNumber?: string | undefined; customerReference?: string | undefined }

// The lists of an account and of a customer each use an index of their own, so the cost grows only with the deposits of
// that account or customer. The condition compares ordinals together with the column. A condition on ordinals alone
// would also fit the index of all ordinals, and a planner without statistics would scan that index from its end.
const between = (column: string): string =>
  `d.lane = $1 and d.tenant_id = $2 and d.${column} = $3
     and (d.${column}, d.ordinal) > ($3, $4) and (d.${column}, d.ordinal) <= ($3, $5)
     and ($6::text is null or d.status = $6) and ($7::text is null or d.customer_reference = $7)`

const inOrder = (column: string): string => `order by d.${column} desc, d.ordinal desc`

// The count has an `order by`, although it needs none, because only the index of this column has that order. Without it
// and without statistics, the planner took any index that begins with lane and tenant (40 000 pages for two deposits).
const countOf = (column: string): string =>
  `select count(*) as total from (select 1 from deposit d where ${between(column)} ${inOrder(column)}) as d`
const pageOfPayee = (column: string): string =>
  `select ${depositColumns} from deposit d where ${between(column)} ${inOrder(column)} offset $8 limit $9`

const ofAccount = {
  count: statement('deposits.count_of_account', countOf('account_number')),
  page: statement('deposits.page_of_account', pageOfPayee('account_number')),
}
const ofCustomer = {
  count: statement('deposits.count_of_customer', countOf('customer_reference')),
  page: statement('deposits.page_of_customer', pageOfPayee('customer_reference')),
}

function valuesOf(
  tenant: Tenant,
  { accountNumber, customerReference }: PaidAccountFilter,
  status: DepositStatus | undefined,
  { low, high }: Range,
): unknown[] {
  const other = accountNumber === undefined ? null : (customerReference ?? null)
  return [tenant.lane, tenant.id, accountNumber ?? customerReference, low, high, status ?? null, other]
}

async function countOfPayee(
  db: Queryable,
  tenant: Tenant,
  payee: PaidAccountFilter,
  status: DepositStatus | undefined,
  range: Range,
): Promise<number> {
  const { count } = payee.accountNumber === undefined ? ofCustomer : ofAccount
  const [row] = await db.query<{ total: bigint }>(count, valuesOf(tenant, payee, status, range))
  return Number(row?.total ?? 0n)
}

function readPageOfPayee(
  db: Queryable,
  tenant: Tenant,
  payee: PaidAccountFilter,
  status: DepositStatus | undefined,
  range: Range,
  { offset, limit }: Slice,
): Promise<Deposit[]> {
  const { page } = payee.accountNumber === undefined ? ofCustomer : ofAccount
  return db.query<Deposit>(page, [...valuesOf(tenant, payee, status, range), offset, limit])
}

// Finds the deposits that ended in a range of time, the latest first. The hourly figures say how many there are, so the
// search stops when it has found all.

const matching = statement(
  'deposits.matching',
  `select d.ordinal as number, ${depositColumns}
     from (select * from deposit
            where lane = $1 and tenant_id = $2 and deposit.ordinal > 0 and deposit.ordinal > $3 and deposit.ordinal <= $4
            order by deposit.ordinal desc offset 0) as d
    where d.status = any($5) and d.updated_at >= $6 and d.updated_at < $7 and ($8::text is null or d.currency = $8)
    order by d.ordinal desc limit $9`,
)

type NumberedDeposit = Deposit & { number: bigint }

type EndedStatus = 'SUCCESSFUL' | 'FAILED'

/** The times are whole hours, because the figures are. */
export type EndedFilter = {
  status?: EndedStatus | undefined
  endedFrom: Date
  endedBefore: Date
  currency?: Currency | undefined
}

type EndedList = {
  deposits: Deposit[]
  /** The number of rows that were read. */
  looked: number
  /** The next page begins below this number; undefined if there are no older deposits. */
  next: bigint | undefined
  lookedBackTo: Date | undefined
  sums: EndedSum[]
}

export type EndedListQuestion = EndedFilter & { limit: number; behind?: bigint | undefined; foundBefore?: number }

const bounds: Bounds = { pieceRows: 2_000n, questionRows: 100_000n }

// A paid collection makes a deposit too. The figures count it once, as a collection.
const countedAs = {
  SUCCESSFUL: { kinds: ['deposit', 'momo_collection'], outcomes: ['succeeded'] },
  FAILED: { kinds: ['deposit'], outcomes: ['failed'] },
} as const

async function beginSearch(db: Queryable, tenant: Tenant, { status, endedFrom, endedBefore, currency }: EndedFilter) {
  const span = { from: endedFrom, to: endedBefore, currency }
  const statuses: EndedStatus[] = status === undefined ? ['SUCCESSFUL', 'FAILED'] : [status]
  const readSums = async () =>
    addSums(
      (await Promise.all(statuses.map((one) => readEndedSums(db, tenant, { ...span, ...countedAs[one] })))).flat(),
    )
  const [range, older, sums] = await Promise.all([
    depositList.rangeOf(db, tenant, { before: endedBefore }),
    depositList.rangeOf(db, tenant, { before: endedFrom }),
    readSums(),
  ])
  const isAll = foundAllOf(sums, readSums, older.high)
  const find = ({ low, high }: Range, limit: number): Promise<NumberedDeposit[]> => {
    const values = [tenant.lane, tenant.id, low, high, statuses, endedFrom, endedBefore, currency ?? null, limit]
    return db.query<NumberedDeposit>(matching, values)
  }
  return { range, sums, isAll, find }
}

function addSums(all: EndedSum[]): EndedSum[] {
  return [...Map.groupBy(all, ({ currency }) => currency)].map(([currency, some]) => ({
    currency,
    count: some.reduce((sum, { count }) => sum + count, 0n),
    amount: some.reduce((sum, { amount }) => add(sum, amount), zero),
  }))
}

export async function searchEndedDeposits(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  { limit, behind, foundBefore = 0, ...filter }: EndedListQuestion,
): Promise<EndedList> {
  const { range, sums, isAll, find } = await beginSearch(db, tenant, filter)
  const { rows, looked, at } = await searchDown({
    range,
    behind,
    limit,
    bounds,
    find,
    isAll: (number, found) => isAll(number, foundBefore + found),
  })
  if (at === undefined) return { deposits: rows, looked, sums, next: undefined, lookedBackTo: undefined }
  const [oldest] = await depositList.read(db, tenant, { low: at, high: at + 1n })
  return { deposits: rows, looked, sums, next: at + 1n, lookedBackTo: oldest?.createdAt }
}

export async function* walkEndedDeposits(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  filter: EndedFilter,
): AsyncGenerator<Deposit[]> {
  const { range, isAll, find } = await beginSearch(db, tenant, filter)
  let count = 0
  for (const piece of piecesDown(range, walkedAtOnce)) {
    const found = await find(piece, Number(walkedAtOnce))
    count += found.length
    if (found.length > 0) yield found
    if (await isAll(piece.low, count)) return
  }
}

type DepositReader = { read(tenant: Tenant, reference: string): Promise<Deposit | undefined> }

export function createDepositReader(ctx: Context): DepositReader {
  const keyText = ({ tenantId, id }: DepositKey): string => `${tenantId} ${id}`
  const loaders = createRowLoaders(ctx, { name: 'deposits', keyText, find: findDeposits })
  return {
    async read(tenant, reference) {
      const id = parseDepositReference(reference)
      return id === undefined ? undefined : loaders.load(tenant.lane, { tenantId: tenant.id, id })
    },
  }
}

/** A caller sends some hundreds of references at most. */
export function readDepositsOf(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  references: readonly string[],
): Promise<Deposit[]> {
  const ids = references.map(parseDepositReference).filter((id) => id !== undefined)
  return findDeposits(
    inLane(db, tenant.lane),
    ids.map((id) => ({ tenantId: tenant.id, id })),
  )
}

export type ListQuestion = PageQuestion & TimeRange & PaidAccountFilter & { status?: DepositStatus | undefined }

export function walkDeposits({ db }: Pick<Context, 'db'>, tenant: Tenant, time: TimeRange): AsyncGenerator<Deposit[]> {
  return walkDown(depositList, db, tenant, time)
}

export type DepositPage = { deposits: Deposit[]; total: number }

export async function listDeposits({ db }: Context, tenant: Tenant, question: ListQuestion): Promise<DepositPage> {
  const { status, accountNumber, customerReference } = question
  const slice = sliceOf(question)
  if (accountNumber !== undefined || customerReference !== undefined) {
    const payee = { accountNumber, customerReference }
    const range = await depositList.rangeOf(db, tenant, question)
    const total = await countOfPayee(db, tenant, payee, status, range)
    const deposits = slice.offset < total ? await readPageOfPayee(db, tenant, payee, status, range, slice) : []
    return { deposits, total }
  }
  if (status !== undefined) {
    const range = await depositList.rangeOf(db, tenant, question)
    const total = Number((await countByStatus(db, tenant, range))[status])
    const deposits = slice.offset < total ? await readPageOfStatus(db, tenant, status, range, slice) : []
    return { deposits, total }
  }
  const { rows, total } = await depositList.page(db, tenant, question)
  return { deposits: rows, total }
}
