// The review queue: raises, lists, counts and closes review items.

import { closeOnce, type ClosingRules, type ReviewCloseOutcome } from '#audit/close-item.ts'
import { type Context, type Tenant, environments, type Environment } from '#platform/context.ts'
import { formatId, type Uuid, newUuid } from '#platform/ids.ts'
import { refreshAtScrape } from '#platform/observability/metrics.ts'
import type { Currency, Money } from '#platform/money.ts'
import { arrayOf, arraysOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'

/** One page for an operator; more items appear when some are closed. */
const listedMax = 200

/** Returns the oldest items, at most one page; `total` counts all open items of these kinds. */
export async function listOpenExceptions(
  { db }: Context,
  kinds: readonly ExceptionKind[] = exceptionKinds,
): Promise<{ exceptions: Exception[]; total: number }> {
  const [exceptions, counts] = await Promise.all([findOpen(db, kinds, listedMax), countOpen(db)])
  const total = counts.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { count }) => sum + count, 0n)
  return { exceptions, total: Number(total) }
}

export function countOpenOf({ db }: Pick<Context, 'db'>, tenant: Tenant): Promise<number> {
  return countOpenOfTenant(db, tenant)
}

export function closeException(ctx: Context, id: Uuid, note: string): Promise<ReviewCloseOutcome<Exception>> {
  return closeOnce(ctx, exceptionClosing(id), note)
}

export function exceptionClosing(id: Uuid): ClosingRules<Exception> {
  return {
    lock: (tx) => lockException(tx, id),
    beganAt: ({ raisedAt }) => raisedAt,
    write: closeLocked,
    entryOf: ({ kind, subject, fact, tenantId }, note) => ({
      act: 'exception.closed',
      ...(tenantId === null ? {} : { tenantId }),
      subject: formatId('exception', id),
      details: { kind, about: subject, fact, note },
    }),
  }
}

/**
 * Exports the number of open items at each scrape, in every process and for every kind, including kinds without open
 * items.
 */
export function exportExceptions(ctx: Pick<Context, 'db' | 'clock' | 'metrics'>): void {
  const { exceptionsOpen } = ctx.metrics
  async function setGauges(): Promise<void> {
    const counts = await countOpen(ctx.db)
    for (const environment of environments) {
      for (const kind of exceptionKinds) {
        const found = counts.find((one) => one.environment === environment && one.kind === kind)
        exceptionsOpen.set({ environment, kind }, Number(found?.count ?? 0n))
      }
    }
  }
  refreshAtScrape(ctx, setGauges, () => exceptionsOpen.reset())
}

// A review item (`Exception` in code): a fact about money that no rule may decide, so an operator must. It is raised
// in the transaction that finds it, once for each fact, and stays open until an operator has closed it or the
// payment, deposit or notice that it is about has ended.

export const exceptionKinds = [
  'notice-unowned',
  'notice-contradicted',
  'notice-stuck',
  'deposit-without-room',
  'deposit-unsettled',
  'refund-refused',
  'refund-unsettled',
  'payment-stuck',
  'payment-without-rail',
  'payment-contradicted',
  'return-without-room',
] as const
export type ExceptionKind = (typeof exceptionKinds)[number]

export type Fact = {
  kind: ExceptionKind
  environment: Environment
  /**
   * Unique across tenants: the public id of a payment, the notice of a deposit (`noticeSubject`), or a rail's notice.
   */
  subject: string
  fact: string
  /** Null if the money has no known owner. */
  tenant: { lane: number; id: Uuid } | null
  /** The business's own reference; empty if there is no business. */
  reference: string
  currency: Currency
  amount: Money | null
}

export type Exception = Omit<Fact, 'tenant'> & {
  id: Uuid
  tenantId: Uuid | null
  businessId: Uuid | null
  businessName: string | null
  raisedAt: Date
  closedAt: Date | null
  note: string | null
}

/**
 * Identifies money for good by its environment, provider and the provider's id, as a text that an operator can paste.
 */
export function noticeSubject(
  environment: Environment,
  { provider, providerId }: { provider: string; providerId: string },
): string {
  return `${environment}:${provider}:${providerId}`
}

// SQL of review items. They are few, and some concern money without an owner, so their table has no lane in its key
// (tests/support/house-rules.ts).

type NewException = Fact & { id: Uuid; raisedAt: Date }

const insertRows = statement(
  'exceptions.insert',
  `insert into review_item
     (id, environment, kind, subject, fact, lane, tenant_id, reference, currency, amount, raised_at)
   select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::uuid[], $8::text[],
     $9::text[], $10::bigint[], $11::timestamptz[])
   on conflict (kind, subject, fact) do nothing
   returning id`,
)

async function insertExceptions(tx: Tx, rows: NewException[]): Promise<Set<Uuid>> {
  const added = await tx.query<{ id: Uuid }>(insertRows, [
    ...arraysOf(rows, 'id', 'environment', 'kind', 'subject', 'fact'),
    arrayOf(rows, (row) => row.tenant?.lane ?? null),
    arrayOf(rows, (row) => row.tenant?.id ?? null),
    ...arraysOf(rows, 'reference', 'currency', 'amount', 'raisedAt'),
  ])
  return new Set(added.map(({ id }) => id))
}

const lackingFacts = statement(
  'exceptions.lacking',
  `select k.place::int - 1 as place
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k (kind, subject, fact, place)
     left join lateral (
       select true as found from review_item where kind = k.kind and subject = k.subject and fact = k.fact limit 1) as e on true
    where e.found is null`,
)

/** Which of these facts were never raised, as indexes into `facts`. */
export async function findLacking(db: Queryable, facts: Fact[]): Promise<Set<number>> {
  const rows = await db.query<{ place: number }>(lackingFacts, arraysOf(facts, 'kind', 'subject', 'fact'))
  return new Set(rows.map(({ place }) => place))
}

// One index probe per fact, also if the planner has no statistics (see platform/db/statement.ts).
const closeOfSubject = statement(
  'exceptions.close_settled',
  `with found as materialized (
     select e.id, k.note
       from unnest($1::text[], $2::text[], $3::text[], $5::text[]) as k (kind, subject, note, only_fact)
       cross join lateral (
         select id from review_item
          where kind = k.kind and subject = k.subject and closed_at is null and (k.only_fact is null or fact = k.only_fact)
           order by fact limit 100 for update) as e)
   update review_item e set closed_at = greatest(e.raised_at, $4), note = found.note
     from found where e.id = any(array(select id from found)) and e.id = found.id`,
)

function closeOfSubjects(tx: Tx, closed: ItemToClose[], at: Date): void {
  const facts = arrayOf(closed, ({ fact }) => fact ?? null)
  tx.send(closeOfSubject, [...arraysOf(closed, 'kind', 'subject', 'note'), at, facts])
}

const columns = `e.id, e.environment, e.kind, e.subject, e.fact, e.reference, e.currency, e.amount, e.tenant_id as "tenantId", t.business_id as "businessId", b.name as "businessName",
  e.raised_at as "raisedAt", e.closed_at as "closedAt", e.note`
const owned = `review_item e left join tenant t on t.lane = e.lane and t.id = e.tenant_id left join business b on b.id = t.business_id`

const openOnes = statement(
  'exceptions.list_open',
  `select ${columns} from ${owned}
    where e.closed_at is null and e.kind = any($1::text[]) order by e.raised_at, e.id limit $2`,
)

function findOpen(db: Queryable, kinds: readonly ExceptionKind[], limit: number): Promise<Exception[]> {
  return db.query<Exception>(openOnes, [arrayOf([...kinds], (kind) => kind), limit])
}

// Reads in the order of the index of open items, so that it never reads closed ones, whatever the planner's statistics.
// Otherwise each scrape read some 340 pages of 12 000 closed items.
const countOpenOnes = statement(
  'exceptions.count_open',
  `select e.environment, k.kind, count(*) as count
     from unnest($1::text[]) as k (kind)
     cross join lateral (
       select environment from review_item where kind = k.kind and closed_at is null order by kind, raised_at, id) as e
    group by e.environment, k.kind`,
)

type ReviewCount = Pick<Exception, 'environment' | 'kind'> & { count: bigint }

function countOpen(db: Queryable): Promise<ReviewCount[]> {
  return db.query<ReviewCount>(countOpenOnes, [arrayOf([...exceptionKinds], (kind) => kind)])
}

const countOpenHere = statement(
  'exceptions.count_open_of_tenant',
  `select count(*)::int as count
     from unnest($1::text[]) as k (kind)
     cross join lateral (
       select tenant_id from review_item where kind = k.kind and closed_at is null order by kind, raised_at, id) as e
    where e.tenant_id = $2`,
)

async function countOpenOfTenant(db: Queryable, { id }: Tenant): Promise<number> {
  const [row] = await db.query<{ count: number }>(countOpenHere, [arrayOf([...exceptionKinds], (kind) => kind), id])
  return row?.count ?? 0
}

const openAbout = statement(
  'exceptions.is_open',
  `select id from review_item where kind = $1 and subject = $2 and closed_at is null limit 1`,
)

export async function isOpen(db: Queryable, kind: ExceptionKind, subject: string): Promise<boolean> {
  return (await db.query(openAbout, [kind, subject])).length > 0
}

const lockById = statement('exceptions.lock', `select ${columns} from ${owned} where e.id = $1 for update of e`)

async function lockException(tx: Tx, id: Uuid): Promise<Exception | undefined> {
  return (await tx.query<Exception>(lockById, [id]))[0]
}

const closeById = statement(
  'exceptions.close',
  `update review_item set closed_at = greatest(raised_at, $2), note = $3 where id = $1 and closed_at is null`,
)

function closeLocked(tx: Tx, { id }: Exception, at: Date, note: string): void {
  tx.send(closeById, [id, at, note])
}

type Reporter = Pick<Context, 'clock' | 'log'>

/** Raises a fact once, even if an operator has already closed it. */
export function raiseReviewItem(ctx: Reporter, tx: Tx, fact: Fact): void {
  const nowMs = ctx.clock.now()
  gatheredIn(ctx, tx).raised.push({ ...fact, id: newUuid(nowMs), raisedAt: new Date(nowMs) })
}

/** If `fact` is absent, all items of this kind about the subject are closed. */
type ItemToClose = { kind: ExceptionKind; subject: string; note: string; fact?: string }

/**
 * Closes the open items of this kind and subject, because they need no review anymore. That includes items which this
 * transaction has already raised, but not items that it raises later.
 */
export function closeReviewItems(ctx: Reporter, tx: Tx, closed: ItemToClose[]): void {
  const gathered = gatheredIn(ctx, tx)
  gathered.closed.push(...closed)
  gathered.raised = gathered.raised.filter((one) => !closed.some((end) => isAbout(end, one)))
}

type CloseItem = (tx: Tx) => Promise<void>

/**
 * Runs `close` before the transaction closes other items, so that the item an operator closes keeps the operator's
 * note.
 */
export function closeByPerson(ctx: Reporter, tx: Tx, close: CloseItem): void {
  gatheredIn(ctx, tx).byPerson.push(close)
}

type GatheredItems = { raised: NewException[]; closed: ItemToClose[]; byPerson: CloseItem[] }

const key = Symbol('exceptions of this transaction')

function gatheredIn(ctx: Reporter, tx: Tx): GatheredItems {
  return tx.shared(key, () => {
    const gathered: GatheredItems = { raised: [], closed: [], byPerson: [] }
    tx.beforeCommit(() => write(ctx, tx, gathered))
    return gathered
  })
}

/**
 * Writes all items of a transaction at its end, after all other locks, with at most two statements besides those of
 * `byPerson`. Items are sorted, so that transactions with the same subjects queue for each other and cannot deadlock.
 */
async function write(ctx: Reporter, tx: Tx, gathered: GatheredItems): Promise<void> {
  const { raised, closed, byPerson } = gathered
  for (const close of byPerson) await close(tx)
  if (closed.length > 0) {
    const at = new Date(ctx.clock.now())
    closeOfSubjects(tx, closed.toSorted(by(({ kind, subject }) => `${kind} ${subject}`)), at)
  }
  if (raised.length === 0) return
  // Awaited, because only new items are logged.
  const added = await insertExceptions(
    tx,
    raised.toSorted(by(({ kind, subject, fact }) => `${kind} ${subject} ${fact}`)),
  )
  tx.afterCommit(() => {
    for (const one of raised) {
      if (!added.has(one.id)) continue
      const { id, environment, kind, subject } = one
      // The fact is not logged, because it may name account numbers.
      const about = { exception: formatId('exception', id), environment, kind, subject }
      ctx.log.warn(about, 'added an item to the review queue; see: manilla exceptions list')
    }
  })
}

function isAbout(end: ItemToClose, { kind, subject, fact }: Fact): boolean {
  return end.kind === kind && end.subject === subject && (end.fact ?? fact) === fact
}

function by<T>(textOf: (one: T) => string): (left: T, right: T) => number {
  return (left, right) => (textOf(left) < textOf(right) ? -1 : 1)
}
