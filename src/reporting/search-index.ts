// Fills the search index after payments and deposits are committed. It reads each list of a tenant in the order of its
// ordinals. Ordinals are assigned under the tenant's lock, so they are dense and become visible in order, and no row is
// skipped.

import type { Context } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type InLane, type Tx, inLane, type ColumnValues } from '#platform/db/db.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import { type Uuid, firstUuid } from '#platform/ids.ts'
import { addWords, isNew, type WordProgress } from './search-words.ts'

const followedKinds = ['bank_transfer', 'momo_transfer', 'momo_collection', 'deposit'] as const
type FollowedKind = (typeof followedKinds)[number]

type IndexedList = { tenantId: Uuid; kind: FollowedKind }

const listsOf = (tenants: string): string =>
  `select t.tenant_id as "tenantId", k.kind
     from ${tenants}
    cross join unnest($3::text[]) as k (kind)
     left join lateral (
       select least(ended, worded) as done from search_progress
        where lane = $1 and tenant_id = t.tenant_id and kind = k.kind limit 1) as p on true
    cross join lateral (
      select case when k.kind = 'deposit'
        then (select r.ordinal from (
                select tenant_id, ordinal from deposit where lane = $1 and ordinal > 0 and (tenant_id, ordinal) > (t.tenant_id, coalesce(p.done, 0))
                 order by tenant_id, ordinal limit 1) as r where r.tenant_id = t.tenant_id)
        else (select r.ordinal from (
                select tenant_id, kind, ordinal from payment
                 where lane = $1 and ordinal > 0 and (tenant_id, kind, ordinal) > (t.tenant_id, k.kind, coalesce(p.done, 0))
                 order by tenant_id, kind, ordinal limit 1) as r where r.tenant_id = t.tenant_id and r.kind = k.kind) end as ordinal) as next
    where next.ordinal is not null`

// Every change of a payment or deposit is counted in the figures of its hour, so a tenant without recent figures has
// nothing new to index.
const active = statement(
  'search.active',
  listsOf(
    `(select tenant_id from hourly_stat where lane = $1 and hour >= $2 and hour is not null group by tenant_id) as t`,
  ),
)

function findActive(db: InLane, since: Date): Promise<IndexedList[]> {
  return db.query<IndexedList>(active, [db.lane, since, followedKinds])
}

const behindQuery = statement(
  'search.behind',
  listsOf(`(select id as tenant_id from tenant where lane = $1 and id > $2 order by id limit $4) as t`),
)

function findBehind(db: InLane, after: Uuid, limit: number): Promise<IndexedList[]> {
  return db.query<IndexedList>(behindQuery, [db.lane, after, followedKinds, limit])
}

const lastOfNext = statement(
  'search.last_of_next',
  `select max(id::text)::uuid as last, count(*) as count
     from (select id from tenant where lane = $1 and id > $2 order by id limit $3) as t`,
)

async function findLastOfNext(db: InLane, after: Uuid, limit: number): Promise<{ last: Uuid | null; count: bigint }> {
  const [row] = await db.query<{ last: Uuid | null; count: bigint }>(lastOfNext, [db.lane, after, limit])
  return row ?? { last: null, count: 0n }
}

const addProgress = statement(
  'search.add_progress',
  'insert into search_progress (lane, tenant_id, kind) values ($1, $2, $3) on conflict do nothing',
)

const lockProgress = statement(
  'search.lock_progress',
  // Language collations sort 'a' before 'Z'. In them, the texts with a common prefix do not form one range.
  `select ordinal, ended, worded, beginnings, 'Z'::text < 'a' as "isByteOrdered" from search_progress
    where lane = $1 and tenant_id = $2 and kind = $3 for update skip locked`,
)

type IndexProgress = WordProgress & { ordinal: bigint; ended: bigint }

/**
 * Locks the progress of a list. Undefined: another process is filling the list. Erasure takes the same lock, so later
 * reads see every earlier erasure.
 */
export async function takeProgress(tx: Tx, { tenantId, kind }: IndexedList): Promise<IndexProgress | undefined> {
  const values = [tx.lane, tenantId, kind]
  const [known] = await tx.query<IndexProgress>(lockProgress, values)
  if (known !== undefined) return known
  tx.send(addProgress, values)
  return (await tx.query<IndexProgress>(lockProgress, values))[0]
}

const lastOrdinal = '9223372036854775807'

const nextPayments = (number: string): string =>
  `(select tenant_id, kind, ordinal, coalesce(account_number, phone_number) as born,
           coalesce(session_id, operator_reference) as ended_as, completed_at is not null as has_ended,
           created_at < $7 as is_old
      from payment
     where lane = $1 and ordinal > 0 and (tenant_id, kind, ordinal) > ($2, $3, ${number})
       and (tenant_id, kind, ordinal) <= ($2, $3, ${lastOrdinal})
     order by tenant_id, kind, ordinal limit $6) as r where r.tenant_id = $2 and r.kind = $3`

// Reads on from the progress, twice: `next` adds account numbers, and `behind` adds, for each payment that has ended,
// the number that the bank or mobile operator gave to it. `behind` stops at the first payment that is young and has not
// ended; old payments that have not ended go to search_pending.
const followPayments = statement(
  'search.follow_payments',
  `with next as materialized (select r.ordinal, r.born from ${nextPayments('$4::bigint')}),
     behind as materialized (select r.ordinal, r.ended_as, r.has_ended, r.is_old from ${nextPayments('$5::bigint')}),
     passed as materialized (
       select ordinal, ended_as, has_ended
         from (select *, bool_and(has_ended or is_old) over (order by ordinal) as passes from behind) as judged
        where passes and ordinal <= coalesce((select max(ordinal) from next), $4)),
     added as (
       insert into search_term (lane, tenant_id, term, kind, ordinal)
       select $1, $2, n.term, $3, n.ordinal
         from (select born as term, ordinal from next union select ended_as, ordinal from passed) as n
        where n.term <> '' and length(n.term) <= 200
          and ${isNew('search_term', 'term = n.term and kind = $3 and ordinal = n.ordinal')}),
     put_aside as (
       insert into search_pending (lane, tenant_id, kind, ordinal, due_at)
       select $1, $2, $3, ordinal, $8 from passed where not has_ended on conflict do nothing),
     reached as (
       select coalesce((select max(ordinal) from next), $4) as ordinal, coalesce((select max(ordinal) from passed), $5) as ended),
     moved as (
       update search_progress p set ordinal = reached.ordinal, ended = reached.ended
         from reached where p.lane = $1 and p.tenant_id = $2 and p.kind = $3)
   select greatest((select count(*) from next), (select count(*) from passed))::int as count`,
)

type IndexStep = { limit: number; oldBefore: Date; lookAgainAt: Date }

async function followPaymentsOf(tx: Tx, list: IndexedList, progress: IndexProgress, step: IndexStep): Promise<number> {
  const { tenantId, kind } = list
  const values = [
    tx.lane,
    tenantId,
    kind,
    progress.ordinal,
    progress.ended,
    step.limit,
    step.oldBefore,
    step.lookAgainAt,
  ]
  const [row] = await tx.query<{ count: number }>(followPayments, values)
  return row?.count ?? 0
}

// Leaves out the deposits of collections, because the collection names the same payer, and the provider's number of a
// simulated deposit, because no provider gave it.
const followDeposits = statement(
  'search.follow_deposits',
  `with next as materialized (
       select r.ordinal, r.sender_account_number, r.provider, r.provider_id
         from (select tenant_id, ordinal, sender_account_number, provider, provider_id from deposit
                where lane = $1 and ordinal > 0 and (tenant_id, ordinal) > ($2, $3) and (tenant_id, ordinal) <= ($2, ${lastOrdinal})
                order by tenant_id, ordinal limit $4) as r where r.tenant_id = $2),
     added as (
       insert into search_term (lane, tenant_id, term, kind, ordinal)
       select $1, $2, n.term, 'deposit', n.ordinal
         from (select sender_account_number as term, ordinal from next where provider <> 'momo'
               union select provider_id, ordinal from next where provider not in ('momo', 'simulator')) as n
        where n.term not in ('', 'erased') and length(n.term) <= 200
          and ${isNew('search_term', `term = n.term and kind = 'deposit' and ordinal = n.ordinal`)}),
     moved as (
       update search_progress p set ordinal = next.last, ended = next.last
         from (select max(ordinal) as last from next) as next
        where p.lane = $1 and p.tenant_id = $2 and p.kind = 'deposit' and next.last is not null)
   select count(*)::int as count from next`,
)

export async function followDepositsOf(
  tx: Tx,
  { tenantId }: IndexedList,
  progress: IndexProgress,
  limit: number,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(followDeposits, [tx.lane, tenantId, progress.ordinal, limit])
  return row?.count ?? 0
}

const openDue = statement(
  'search.open_due',
  'select 1 from search_pending where lane = $1 and due_at <= $2 and due_at is not null order by due_at limit 1',
)

/** Asked first, because usually no pending payment is due, and then no transaction is needed. */
async function isOpenDue(db: InLane, now: Date): Promise<boolean> {
  return (await db.query(openDue, [db.lane, now])).length > 0
}

// Reads due rows of search_pending. The caller indexes the number that the bank or mobile operator gave to a payment,
// deletes the rows of payments that have ended and makes the others due again. The rows are locked, so their ctid
// identifies them.
const lockOpen = statement(
  'search.lock_open',
  `with due as materialized (
       select ctid as place, tenant_id, kind, ordinal from search_pending
        where lane = $1 and due_at <= $2 and due_at is not null order by due_at limit $3 for update skip locked)
   select due.place::text as place, due.tenant_id as "tenantId", due.kind, due.ordinal, p.term, p.has_ended as "hasEnded"
     from due cross join lateral (
       select coalesce(session_id, operator_reference) as term, completed_at is not null as has_ended from payment
        where lane = $1 and tenant_id = due.tenant_id and kind = due.kind and ordinal > 0 and ordinal = due.ordinal
        order by ordinal limit 1) as p`,
)

const addTerms = statement(
  'search.add_terms',
  `insert into search_term (lane, tenant_id, term, kind, ordinal)
   select $1, v.* from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[]) as v (tenant_id, term, kind, ordinal)
    where v.term <> '' and length(v.term) <= 200
   on conflict do nothing`,
)

const deleteOpen = statement(
  'search.delete_open',
  'delete from search_pending where lane = $1 and ctid = any($2::tid[])',
)

const putOff = statement(
  'search.put_off',
  'update search_pending set due_at = $3 where lane = $1 and ctid = any($2::tid[])',
)

type OpenPayment = IndexedList & { place: string; ordinal: bigint; term: string | null; hasEnded: boolean }

export async function followPending(
  tx: Tx,
  { now, again, limit }: { now: Date; again: Date; limit: number },
): Promise<number> {
  const seen = await tx.query<OpenPayment>(lockOpen, [tx.lane, now, limit])
  const placesOf = (rows: OpenPayment[]): ColumnValues => arrayOf(rows, ({ place }) => place)
  const [ended, others] = [seen.filter(({ hasEnded }) => hasEnded), seen.filter(({ hasEnded }) => !hasEnded)]
  if (seen.length > 0) tx.send(addTerms, [tx.lane, ...arraysOf(seen, 'tenantId', 'term', 'kind', 'ordinal')])
  if (ended.length > 0) tx.send(deleteOpen, [tx.lane, placesOf(ended)])
  if (others.length > 0) tx.send(putOff, [tx.lane, placesOf(others), again])
  return seen.length
}

// The work of one lane: a payment is found by its account number two seconds after it was accepted, and soon after its
// end by the bank's number. The transaction that adds terms also moves the position in search_progress, so a process
// that dies loses nothing. It locks that row, so one process at a time fills a list.

export type Follow = (lane: number) => Promise<number>

const rowsPerTransaction = 1_000
const transactionsPerTurnMax = 20
/**
 * A turn comes every two seconds, so a thousand payments a second are indexed at once. During a larger flood
 * the index falls behind and catches up afterwards, because keeping up would slow the payments down by a tenth.
 */
const rowsPerTurn = 2_000
/**
 * At most this many rows per turn get their names, references and amounts into the index. Account numbers have a limit
 * of their own (`rowsPerTurn`), so they do not wait for the names.
 */
const wordedPerTurn = 2_000
const tenantsPerTurn = 500
/** A payment that has not ended after this time goes to search_pending, so that later ones need not wait. */
const waitedForMs = 2 * minuteMs
const lookAgainMs = minuteMs

/**
 * The pause between sweeps through all tenants, also those without news, because a process that died may have left rows
 * behind.
 */
const sweepEveryMs = hourMs

type IndexRound = {
  lists: Map<string, IndexedList>
  /** The last tenant of the sweep so far; undefined: the sweep is over. */
  sweptTo: Uuid | undefined
  nextSweepMs: number
  activeSinceMs: number
}

export function createFollow(ctx: Context): Follow {
  const rounds = new Map<number, IndexRound>()
  return async (lane) => {
    const nowMs = ctx.clock.now()
    const db = inLane(ctx.db, lane)
    const round = rounds.get(lane) ?? {
      lists: new Map<string, IndexedList>(),
      sweptTo: firstUuid,
      nextSweepMs: nowMs + sweepEveryMs,
      activeSinceMs: nowMs,
    }
    rounds.set(lane, round)
    await gatherLists(db, round, nowMs)
    const now = new Date(nowMs)
    const open = { now, again: new Date(nowMs + lookAgainMs), limit: rowsPerTransaction }
    const isDue = await isOpenDue(db, now)
    const seen = isDue ? await ctx.db.transaction((tx) => followPending(tx, open), lane) : 0
    return seen + (await followLists(ctx, lane, round.lists))
  }
}

async function gatherLists(db: InLane, round: IndexRound, nowMs: number): Promise<void> {
  if (nowMs >= round.nextSweepMs) Object.assign(round, { sweptTo: firstUuid, nextSweepMs: nowMs + sweepEveryMs })
  // Begins an hour earlier, because a batch that is dated in one hour may be committed in the next.
  const since = new Date(Math.floor(round.activeSinceMs / hourMs) * hourMs - hourMs)
  round.activeSinceMs = nowMs
  const found = await findActive(db, since)
  if (round.sweptTo !== undefined) {
    const [behind, { last, count }] = await Promise.all([
      findBehind(db, round.sweptTo, tenantsPerTurn),
      findLastOfNext(db, round.sweptTo, tenantsPerTurn),
    ])
    found.push(...behind)
    round.sweptTo = count < tenantsPerTurn ? undefined : (last ?? undefined)
  }
  for (const list of found) round.lists.set(`${list.tenantId} ${list.kind}`, list)
}

/** One step of each list in turn, so that a long list does not delay the others. */
async function followLists(ctx: Context, lane: number, lists: IndexRound['lists']): Promise<number> {
  let [rows, wordsLeft] = [0, wordedPerTurn]
  const nextTurn: [key: string, list: IndexedList][] = []
  for (let transactions = 0; transactions < transactionsPerTurnMax && rows < rowsPerTurn; transactions++) {
    const [first] = lists
    if (first === undefined) break
    const [key, list] = first
    const { followed, worded } = await ctx.db.transaction((tx) => followNext(ctx, tx, list, wordsLeft), lane)
    rows += followed
    lists.delete(key)
    if (followed >= rowsPerTransaction) lists.set(key, list)
    else if (worded === wordsLeft) nextTurn.push([key, list])
    wordsLeft -= worded
  }
  for (const [key, list] of nextTurn) lists.set(key, list)
  return rows + wordedPerTurn - wordsLeft
}

type Followed = { followed: number; worded: number }

/** Indexes the next rows of one list in one commit; no rows if another process is working on the list. */
async function followNext({ clock }: Context, tx: Tx, list: IndexedList, wordsMost: number): Promise<Followed> {
  const progress = await takeProgress(tx, list)
  if (progress === undefined) return { followed: 0, worded: 0 }
  const worded = wordsMost === 0 ? 0 : await addWords(tx, { ...list, progress, limit: wordsMost })
  if (list.kind === 'deposit') {
    return { worded, followed: await followDepositsOf(tx, list, progress, rowsPerTransaction) }
  }
  const nowMs = clock.now()
  const [oldBefore, lookAgainAt] = [new Date(nowMs - waitedForMs), new Date(nowMs + lookAgainMs)]
  const step = { limit: rowsPerTransaction, oldBefore, lookAgainAt }
  return { worded, followed: await followPaymentsOf(tx, list, progress, step) }
}
