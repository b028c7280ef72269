// All SQL of exceptions. They are few, and some are about money that is nobody's, so they stand in one table that begins
// with no lane (tests/support/house-rules.ts).

import type { Tenant, Context } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { type Uuid, formatId, newUuid } from '#platform/ids.ts'
import { exceptionKinds, type Exception, type ExceptionKind, type Fact } from './review-item.ts'

type NewException = Fact & { id: Uuid; raisedAt: Date }

const insertRows = statement(
  'exceptions.insert',
  `insert into exception
     (id, environment, kind, subject, fact, lane, tenant_id, reference, currency, amount, raised_at)
   select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::uuid[], $8::text[],
     $9::text[], $10::bigint[], $11::timestamptz[])
   on conflict (kind, subject, fact) do nothing
   returning id`,
)

/** Resolves with the ids of those that are new. */
async function insertExceptions(tx: Tx, rows: NewException[]): Promise<Set<Uuid>> {
  const added = await tx.query<{ id: Uuid }>(insertRows, [
    ...arraysOf(rows, 'id', 'environment', 'kind', 'subject', 'fact'),
    arrayOf(rows, (row) => row.tenant?.lane ?? null),
    arrayOf(rows, (row) => row.tenant?.id ?? null),
    ...arraysOf(rows, 'reference', 'currency', 'amount', 'raisedAt'),
  ])
  return new Set(added.map(({ id }) => id))
}

// One probe of the index of facts for each, whatever a planner without statistics believes (see platform/db/statement.ts).
const closeSettled = statement(
  'exceptions.close_settled',
  `with found as materialized (
     select e.id, k.note
       from unnest($1::text[], $2::text[], $3::text[], $5::text[]) as k (kind, subject, note, only_fact)
       cross join lateral (
         select id from exception
          where kind = k.kind and subject = k.subject and closed_at is null and (k.only_fact is null or fact = k.only_fact)
           order by fact limit 100 for update) as e)
   update exception e set closed_at = greatest(e.raised_at, $4), note = found.note
     from found where e.id = any(array(select id from found)) and e.id = found.id`,
)

function closeOfSubjects(tx: Tx, settled: Settled[], at: Date): void {
  const facts = arrayOf(settled, ({ fact }) => fact ?? null)
  tx.send(closeSettled, [...arraysOf(settled, 'kind', 'subject', 'note'), at, facts])
}

const columns = `e.id, e.environment, e.kind, e.subject, e.fact, e.reference, e.currency, e.amount, e.tenant_id as "tenantId", t.business_id as "businessId", b.name as "businessName",
  e.raised_at as "raisedAt", e.closed_at as "closedAt", e.note`
const owned = `exception e left join tenant t on t.lane = e.lane and t.id = e.tenant_id left join business b on b.id = t.business_id`

const openOnes = statement(
  'exceptions.list_open',
  `select ${columns} from ${owned}
    where e.closed_at is null and e.kind = any($1::text[]) order by e.raised_at, e.id limit $2`,
)

export function findOpen(db: Queryable, kinds: readonly ExceptionKind[], limit: number): Promise<Exception[]> {
  return db.query<Exception>(openOnes, [arrayOf([...kinds], (kind) => kind), limit])
}

// In the order of the index of what is open, so that what was closed is never read, whatever the planner knows: some 340 pages
// of 12 000 closed ones at each scrape, before.
const countOpenOnes = statement(
  'exceptions.count_open',
  `select e.environment, k.kind, count(*) as count
     from unnest($1::text[]) as k (kind)
     cross join lateral (
       select environment from exception where kind = k.kind and closed_at is null order by kind, raised_at, id) as e
    group by e.environment, k.kind`,
)

type Count = Pick<Exception, 'environment' | 'kind'> & { count: bigint }

export function countOpen(db: Queryable): Promise<Count[]> {
  return db.query<Count>(countOpenOnes, [arrayOf([...exceptionKinds], (kind) => kind)])
}

const countOpenHere = statement(
  'exceptions.count_open_of_tenant',
  `select count(*)::int as count
     from unnest($1::text[]) as k (kind)
     cross join lateral (
       select tenant_id from exception where kind = k.kind and closed_at is null order by kind, raised_at, id) as e
    where e.tenant_id = $2`,
)

export async function countOpenOfTenant(db: Queryable, { id }: Tenant): Promise<number> {
  const [row] = await db.query<{ count: number }>(countOpenHere, [arrayOf([...exceptionKinds], (kind) => kind), id])
  return row?.count ?? 0
}

const openAbout = statement(
  'exceptions.is_open',
  `select id from exception where kind = $1 and subject = $2 and closed_at is null limit 1`,
)

export async function isOpen(db: Queryable, kind: ExceptionKind, subject: string): Promise<boolean> {
  return (await db.query(openAbout, [kind, subject])).length > 0
}

const lockById = statement('exceptions.lock', `select ${columns} from ${owned} where e.id = $1 for update of e`)

export async function lockException(tx: Tx, id: Uuid): Promise<Exception | undefined> {
  return (await tx.query<Exception>(lockById, [id]))[0]
}

const closeById = statement(
  'exceptions.close',
  `update exception set closed_at = greatest(raised_at, $2), note = $3 where id = $1 and closed_at is null`,
)

/** The row must be locked. */
export function closeLocked(tx: Tx, { id }: Exception, at: Date, note: string): void {
  tx.send(closeById, [id, at, note])
}

// Raising exceptions, and closing those that have settled themselves, in the transaction that makes it so. What a
// transaction gathers leaves at its end as two statements, after everything else is locked; none, when nothing was gathered.

type Reporter = Pick<Context, 'clock' | 'log'>

/** The same fact raises nothing new, also after somebody has closed it. */
export function raise(ctx: Reporter, tx: Tx, fact: Fact): void {
  const nowMs = ctx.clock.now()
  gatheredIn(ctx, tx).raised.push({ ...fact, id: newUuid(nowMs), raisedAt: new Date(nowMs) })
}

/** `fact`: of this fact alone. */
type Settled = { kind: ExceptionKind; subject: string; note: string; fact?: string }

/** Closes what is open of this kind about this subject: it waits for nobody any more. */
export function settleExceptions(ctx: Reporter, tx: Tx, settled: Settled[]): void {
  gatheredIn(ctx, tx).settled.push(...settled)
}

type Gathered = { raised: NewException[]; settled: Settled[] }

const key = Symbol('exceptions of this transaction')

function gatheredIn(ctx: Reporter, tx: Tx): Gathered {
  return tx.shared(key, () => {
    const gathered: Gathered = { raised: [], settled: [] }
    tx.beforeCommit(() => write(ctx, tx, gathered))
    return gathered
  })
}

/** Sorted, so that transactions which write about the same things wait for each other in line. */
async function write(ctx: Reporter, tx: Tx, gathered: Gathered): Promise<void> {
  const { settled } = gathered
  // What settles itself in the transaction that notices it waits for nobody.
  const raised = gathered.raised.filter((one) => !settled.some((end) => isAbout(end, one)))
  if (settled.length > 0) {
    const at = new Date(ctx.clock.now())
    closeOfSubjects(tx, settled.toSorted(by(({ kind, subject }) => `${kind} ${subject}`)), at)
  }
  if (raised.length === 0) return
  // Awaited, because only what is new is told.
  const added = await insertExceptions(
    tx,
    raised.toSorted(by(({ kind, subject, fact }) => `${kind} ${subject} ${fact}`)),
  )
  tx.afterCommit(() => {
    for (const one of raised) {
      if (!added.has(one.id)) continue
      const { id, environment, kind, subject, fact } = one
      const about = { exception: formatId('exception', id), environment, kind, subject, fact }
      ctx.log.warn(about, 'a fact about money waits for a person; see: manilla exceptions list')
    }
  })
}

function isAbout(end: Settled, { kind, subject, fact }: Fact): boolean {
  return end.kind === kind && end.subject === subject && (end.fact ?? fact) === fact
}

function by<T>(textOf: (one: T) => string): (left: T, right: T) => number {
  return (left, right) => (textOf(left) < textOf(right) ? -1 : 1)
}
