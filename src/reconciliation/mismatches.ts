// Mismatches between a provider's list and our records (`break` in code): opens, closes and lists them. They belong to
// rails, because the owner of the money may be unknown. These files decide what is a mismatch, and after which delay:
// line-rules.ts for a line, day-proof.ts and settlement.ts for a day, and wallets.ts for the balance of a wallet.

import { closeOnce, type ClosingRules, type ReviewCloseOutcome } from '#audit/close-item.ts'
import { stopRail } from '#payments/brakes.ts'
import type { Context, Environment } from '#platform/context.ts'
import { arraysOf, type Queryable, statement, type Tx } from '#platform/db/db.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import type { Currency } from '#platform/money.ts'
import type { RailName } from '#rails/rail.ts'

type NewBreak = Omit<RailBreak, 'closedAt' | 'note'>

const insertRows = statement(
  'reconcile.open_breaks',
  `insert into rail_break (environment, rail, id, kind, subject, reference, amount, currency, fact, about_at, opened_at)
   select $1, $2, v.* from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[],
     $10::timestamptz[], $11::timestamptz[])
     as v (id, kind, subject, reference, amount, currency, fact, about_at, opened_at)
    order by v.kind, v.subject
   on conflict do nothing
   returning id`,
)

export async function insertBreaks(tx: Tx, { environment, rail }: RailName, rows: NewBreak[]): Promise<Set<Uuid>> {
  const added = await tx.query<{ id: Uuid }>(insertRows, [
    environment,
    rail,
    ...arraysOf(rows, 'id', 'kind', 'subject', 'reference', 'amount', 'currency', 'fact', 'aboutAt', 'openedAt'),
  ])
  return new Set(added.map(({ id }) => id))
}

// One index probe per fact, also if the planner has no statistics (see review/review-queue.ts).
const healRows = statement(
  'reconcile.heal_breaks',
  `with found as materialized (
     select b.id, k.note
       from unnest($4::text[], $5::text[], $6::text[]) as k (kind, subject, note)
       cross join lateral (
         select id, closed_at from rail_break
          where environment = $1 and rail = $2 and kind = k.kind and subject = k.subject limit 1 for update) as b
      where b.closed_at is null)
   update rail_break b set closed_at = greatest(b.opened_at, $3), note = found.note
     from found where b.id = any(array(select id from found)) and b.id = found.id`,
)

export function resolveBreaks(tx: Tx, { environment, rail }: RailName, resolved: ResolvedBreak[], at: Date): void {
  tx.send(healRows, [environment, rail, at, ...arraysOf(resolved, 'kind', 'subject', 'note')])
}

const columns = `id, environment, rail, kind, subject, reference, amount, currency, fact, about_at as "aboutAt", opened_at as "openedAt",
  closed_at as "closedAt", note`

const openOfKind = statement(
  'reconcile.open_of_kind',
  `select ${columns} from rail_break
    where closed_at is null and environment = $1 and rail = $2 and kind = $3 order by opened_at, id limit $4`,
)

export function findOpenOfKind(
  db: Queryable,
  { environment, rail }: RailName,
  kind: BreakKind,
  limit: number,
): Promise<RailBreak[]> {
  return db.query<RailBreak>(openOfKind, [environment, rail, kind, limit])
}

const known = statement(
  'reconcile.known_breaks',
  `select b.kind, b.subject, b.closed_at is null as "isOpen" from unnest($3::text[], $4::text[]) as k (kind, subject)
    cross join lateral (
      select * from rail_break
       where environment = $1 and rail = $2 and kind = k.kind and subject = k.subject limit 1) as b`,
)

type KnownBreak = { kind: BreakKind; subject: string; isOpen: boolean }

export function findKnown(
  db: Queryable,
  { environment, rail }: RailName,
  facts: { kind: BreakKind; subject: string }[],
): Promise<KnownBreak[]> {
  return db.query<KnownBreak>(known, [environment, rail, ...arraysOf(facts, 'kind', 'subject')])
}

const openRows = statement(
  'reconcile.list_open',
  `select ${columns} from rail_break where closed_at is null order by opened_at, id limit $1`,
)
const allRows = statement(
  'reconcile.list_breaks',
  `select ${columns} from rail_break order by opened_at desc, id desc limit $1`,
)

/** Returns the open mismatches, oldest first, or all mismatches, newest first. */
function findBreaks(db: Queryable, { open, limit }: { open: boolean; limit: number }): Promise<RailBreak[]> {
  return db.query<RailBreak>(open ? openRows : allRows, [limit])
}

const countRows = statement(
  'reconcile.count_open',
  `select environment, rail, kind, count(*) as count from (
     select environment, rail, kind from rail_break where closed_at is null order by opened_at, id limit $1) as open
    group by environment, rail, kind`,
)

type OpenCount = { environment: Environment; rail: string; kind: BreakKind; count: bigint }

export function countOpen(db: Queryable, limit: number): Promise<OpenCount[]> {
  return db.query<OpenCount>(countRows, [limit])
}

const summarizeRows = statement(
  'reconcile.summarize_open',
  `select count(*)::int as count, min(opened_at) as oldest, max(opened_at) as newest from (
     select opened_at from rail_break where closed_at is null and opened_at < $1
      order by opened_at desc, id desc limit $2) as open`,
)

type OpenSummary = { count: number; oldest: Date; newest: Date }

/** Sums up the latest `limit` open mismatches that opened before `until`; undefined if there are none. */
export async function summarizeOpen(db: Queryable, until: Date, limit: number): Promise<OpenSummary | undefined> {
  const [row] = await db.query<OpenSummary | { count: 0; oldest: null }>(summarizeRows, [until, limit])
  return row === undefined || row.oldest === null ? undefined : row
}

const lockRow = statement('reconcile.lock_break', `select ${columns} from rail_break where id = $1 for update`)

async function lockBreak(tx: Tx, id: Uuid): Promise<RailBreak | undefined> {
  return (await tx.query<RailBreak>(lockRow, [id]))[0]
}

const closeRow = statement(
  'reconcile.close_break',
  'update rail_break set closed_at = greatest(opened_at, $2), note = $3 where id = $1 and closed_at is null',
)

function closeLocked(tx: Tx, { id }: RailBreak, at: Date, note: string): void {
  tx.send(closeRow, [id, at, note])
}

/**
 * Opens mismatches. A mismatch that may continue to cost money (`stoppingKinds`) stops its rail in the same commit. A
 * mismatch that was closed is not opened again.
 */
export async function openBreaks(ctx: Context, tx: Tx, name: RailName, facts: BreakFact[]): Promise<void> {
  if (facts.length === 0) return
  const openedAt = new Date(ctx.clock.now())
  const rows = facts.map((fact) => ({ ...fact, ...name, id: newUuid(openedAt.getTime()), openedAt }))
  const added = await insertBreaks(tx, name, rows)
  for (const { id, kind, reference, fact } of rows) {
    if (!added.has(id)) continue
    // The log leaves out the fact, which may name account numbers.
    const about = { ...name, kind, reference, break: formatId('railBreak', id) }
    ctx.log.error(about, 'reconciliation mismatch; see: manilla rails breaks')
    if (stoppingKinds.includes(kind)) await stopRail(ctx, tx, { ...name, why: `${kind} ${reference}: ${fact}` })
  }
}

export function closeResolved(ctx: Context, tx: Tx, name: RailName, facts: ResolvedBreak[]): void {
  if (facts.length > 0) resolveBreaks(tx, name, facts, new Date(ctx.clock.now()))
}

const listedMax = 500

/** Returns the open mismatches, oldest first, or all mismatches, newest first. */
export function listBreaks({ db }: Pick<Context, 'db'>, { open }: { open: boolean }): Promise<RailBreak[]> {
  return findBreaks(db, { open, limit: listedMax })
}

export function closeBreak(ctx: Context, id: Uuid, note: string): Promise<ReviewCloseOutcome<RailBreak>> {
  return closeOnce(ctx, breakClosing(id), note)
}

export function breakClosing(id: Uuid): ClosingRules<RailBreak> {
  return {
    lock: (tx) => lockBreak(tx, id),
    beganAt: ({ openedAt }) => openedAt,
    write: closeLocked,
    entryOf: ({ environment, rail, kind, subject, fact }, note) => ({
      act: 'rail.break-closed',
      subject: formatId('railBreak', id),
      details: { environment, rail, kind, about: subject, fact, note },
    }),
  }
}

// Some kinds of mismatches are closed when a later check finds that the records agree; our staff close the others.
// docs/rails/breaks.md explains each kind and what to do.

export const breakKinds = [
  'missing-here',
  'unknown-account',
  'missing-there',
  'unknown-payout',
  'unknown-attempt',
  'unknown-change',
  'amount',
  'account',
  'state',
  'late-reversal',
  'double',
  'fee',
  'float',
  'unsettled',
  'stale',
] as const
export type BreakKind = (typeof breakKinds)[number]

/** Kinds that may cost more money with every further payout, so they stop the rail. */
const stoppingKinds: readonly BreakKind[] = ['unknown-payout', 'double']

/** The facts of a mismatch, which is opened once for each rail, kind and `subject`. */
export type BreakFact = {
  kind: BreakKind
  subject: string
  /** The name that an operator knows: the business's reference of its payment, or the provider's own. */
  reference: string
  amount: bigint | null
  /** The currency of `amount`; null if there is none, or if an earlier version opened the mismatch without one. */
  currency: string | null
  fact: string
  aboutAt: Date
}

/** The subject of a fact about a day in one currency. NGN has no suffix, because it was the only currency at first. */
export function subjectOf(day: string, currency: string): string {
  return currency === 'NGN' ? day : `${day} ${currency}`
}

export function isAbout(subject: string, currency: Currency): boolean {
  return currency === 'NGN' ? !subject.includes(' ') : subject.endsWith(` ${currency}`)
}

export type RailBreak = BreakFact & {
  id: Uuid
  environment: Environment
  rail: string
  openedAt: Date
  closedAt: Date | null
  note: string | null
}

export type ResolvedBreak = { kind: BreakKind; subject: string; note: string }
