// What `ledger verify` proves about payments: their money, events, ordinals and daily limits. Events are either in the
// table or in an archived file.

import { archivedUntil, ofPayments, readSeals } from '#events/archive.ts'
import { listMonthsApart, monthsApart, type Strays, straysOf } from '#ledger/archived.ts'
import { checkSides, type TenantDigest } from '#ledger/digests.ts'
import {
  type Broken,
  type Invariant,
  type InvariantCheck,
  numberedPageOf,
  numberedPages,
  pageOf,
  type ScanPage,
  scanPages,
  type TableScan,
  wrongOf,
} from '#ledger/table-scan.ts'
import { checkArchive } from '#ledger/verify.ts'
import type { Tenant } from '#platform/context.ts'
import { arrayOf, type InLane, statement } from '#platform/db/db.ts'
import { encodeBase32, firstUuid, formatId, type Uuid, uuidAfter } from '#platform/ids.ts'
import { payoutKinds, startOfDay } from './limits.ts'
import { paymentList } from './list.ts'
import {
  collected,
  type Culprit,
  findStrays,
  incomingPages,
  inflows,
  reservedPages,
  sides,
  type Stray,
  unbookedPages,
  uncausedPages,
  type WrongBalance,
} from './verify-queries.ts'
import type { PaymentKind, PaymentStatus } from './payment.ts'
import { publicIdOf } from './wire.ts'

export const toldInvariants: Invariant[] = [
  {
    name: 'archived months of events follow each other, and nothing of theirs is in the table',
    run: (check) => checkArchive(check, { noun: 'events', sealsOf: readSeals, straysOf: strayEvents }),
  },
  { name: 'events that are in files are those that payments have not in the table', run: checkTold },
]

async function checkTold(check: InvariantCheck): Promise<void> {
  if ((await sealedUntil(check.lane)) === undefined) return
  await checkSides(check, {
    found: sealedDigests,
    wanted: missingDigests,
    // The event exists only in the file, so there is no row to name.
    findCulprits: () => Promise.resolve([]),
    tell: (culprit: never) => culprit,
    findMonths: findEventMonths,
    name: 'payments and events',
    sealedUntil,
  })
}

async function sealedUntil(lane: InLane): Promise<Date | undefined> {
  return (await readSeals(lane)).at(-1)?.until
}

async function checkDays(check: InvariantCheck): Promise<void> {
  for (let { from } = check; ;) {
    const page = await findLimited({ ...check, from })
    for (const tenant of page) await checkDay(check, tenant)
    check.progress(page.length)
    const last = page.at(-1)
    if (last === undefined || page.length < check.rowsPerPage) return
    from = uuidAfter(last.id)
  }
}

/** The list number at which a day begins never changes, so it may be read before the comparison. */
async function checkDay(check: InvariantCheck, tenant: LimitedTenant): Promise<void> {
  const from = startOfDay(tenant.day)
  const after = []
  for (const kind of payoutKinds) {
    const { low } = await paymentList.rangeOf(check.lane, tenant, { from }, kind)
    after.push({ kind, ordinal: low })
  }
  const totals = await totalsOfDay(check.lane, tenant, after)
  if (totals === undefined || totals.counted === totals.accepted) return
  const unit = tenant.currency === 'NGN' ? '' : ` ${tenant.currency}`
  const message = `its limit counts ${totals.counted}${unit} on ${tenant.day}, its payouts of that day are ${totals.accepted}`
  check.report({ tenantId: tenant.id, ids: [tenant.day], message })
}

export const paymentInvariants: Invariant[] = [
  { name: 'reserved is what queued payments hold', run: checkReserved },
  { name: 'each payment has exactly the movements of its status, each once', run: checkMovements },
  { name: 'each payment has exactly the events of its status', run: checkEvents },
  { name: 'payments are numbered densely from 1, and their times follow the numbers', run: checkOrdinals },
  { name: 'each successful collection is exactly one deposit, and the other way round', run: checkCollections },
  { name: 'incoming is what unfinished collections and PENDING deposits would bring', run: checkIncoming },
  { name: 'what payments moved at a rail is in its float book, each once', run: checkFloat },
  { name: 'what a float book has of payments and deposits is so, each as it ended', run: checkCauses },
  { name: 'the total of a limited day is what its payouts amount to', run: checkDays },
  ...toldInvariants,
]

function checkReserved(check: InvariantCheck): Promise<void> {
  return checkBalances(check, reservedPages(check), { name: 'reserved', held: 'queued payments hold' })
}

function checkIncoming(check: InvariantCheck): Promise<void> {
  const held = 'unfinished collections and PENDING deposits would bring'
  return checkBalances(check, incomingPages(check), { name: 'incoming', held })
}

async function checkBalances(
  check: InvariantCheck,
  pages: AsyncGenerator<ScanPage<WrongBalance>>,
  words: { name: string; held: string },
): Promise<void> {
  for await (const { rows, parts } of pages) {
    for (const { tenantId, currency, balance, held } of parts) {
      const what = balance === null ? `has no ${words.name} account` : `${words.name} is ${balance}`
      check.report({ tenantId, ids: [currency], message: `${currency} ${what}, ${words.held} ${held}` })
    }
    check.progress(rows)
  }
}

function checkMovements(check: InvariantCheck): Promise<void> {
  return checkSides(check, { ...sides, tell: tellCulprit, name: 'payments and movements' })
}

function tellCulprit({ id, kind, status }: Culprit): { id: string; message: string } {
  return {
    id: kind === null ? encodeBase32(id) : publicIdOf({ kind, id }),
    message:
      status === null
        ? 'movements of a payment that does not exist'
        : `${status}, but its movements are not those of ${status}`,
  }
}

async function checkEvents(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of eventPages(check)) {
    for (const { tenantId, kind, status, count, ids } of parts) {
      const message = `${status}, but its events are not those of ${status}`
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
  for await (const { rows, parts } of orphanPages(check)) {
    for (const { tenantId, count, ids } of parts) {
      const message = 'events of a payment that does not exist'
      check.report({ tenantId, ids: ids.map((id) => formatId('event', id)), count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkFloat(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of unbookedPages(check)) {
    for (const { tenantId, kind, status, count, ids } of parts) {
      const message = `${status}, but the float book of its rail does not say so`
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkCauses(check: InvariantCheck): Promise<void> {
  if (!check.isFirstLane) return
  for await (const { rows, parts } of uncausedPages(check.lane, check.rowsPerPage)) {
    for (const { environment, rail, kind, count, subjects } of parts) {
      const message = `the float book of ${rail} (${environment}) has a ${kind} that none of ours caused`
      check.report({ ids: subjects, count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkOrdinals(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of ordinalPages(check)) {
    for (const { tenantId, list: kind, count, ids } of parts) {
      const message = 'number or time does not follow from the payment before'
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
}

function checkCollections(check: InvariantCheck): Promise<void> {
  return checkSides(check, {
    found: collected,
    wanted: inflows,
    findCulprits: findStrays,
    tell: tellStray,
    name: 'collections and deposits',
  })
}

function tellStray({ id, depositId }: Stray): { id: string; message: string } {
  if (id === null) return { id: encodeBase32(depositId), message: 'a deposit of no successful collection' }
  return {
    id: publicIdOf({ kind: 'momo_collection', id }),
    message: 'SUCCESS, but not the one deposit that it names',
  }
}

// SQL of these checks: the events that payments require, the ordinals of payments, and the totals of days with a payout
// limit. Archived events are compared as digests (ledger/digests.ts). verify-queries.ts proves the money of payments.

const names = `case kind || ' ' || status
  when 'bank_transfer SUCCESS' then array['transfer.success']
  when 'bank_transfer FAILED' then array['transfer.failed']
  when 'bank_transfer REVERSED' then array['transfer.reversed', 'transfer.success']
  when 'momo_transfer SUCCESS' then array['momo.transfer.success']
  when 'momo_transfer FAILED' then array['momo.transfer.failed']
  when 'momo_transfer REVERSED' then array['momo.transfer.success']
  when 'momo_collection SUCCESS' then
    case when expired_at is null then array['momo.collection.success'] else array['momo.collection.failed', 'momo.collection.success'] end
  when 'momo_collection FAILED' then array['momo.collection.failed'] end`

/** The names of the events that a payment's status requires, in alphabetical order. */
const calledFor = {
  names,
  among: (some: string): string =>
    `(select array_agg(name order by name) from unnest(${names}) as name where name = any(${some}))`,
}

/**
 * The names of each payment's events that are still in the table `event`. Archived events are left out: those of a
 * sealed month, even before their rows leave the table.
 */
const toldInTable = `
  select array_agg(name order by name) as names from event
   where lane = $1 and tenant_id = page.tenant_id and source_id = page.id and created_at >= ${archivedUntil}`

const missing = `
  select page.tenant_id, page.id as source_id, page.reference, wanted.name,
         case when wanted.name like '%.success' then coalesce(succeeded_at, updated_at) else coalesce(expired_at, updated_at) end as at from page
   cross join lateral (${toldInTable}) as told
   cross join lateral unnest(${names}) as wanted (name)
   where page.created_at < ${archivedUntil} and (wanted.name = any(told.names)) is not true`

const missingOf = statement(
  'payments.verify_untold',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'id, kind, status, created_at, updated_at, succeeded_at, expired_at',
    parts: `
      select tenant_id as "tenantId", false as "isLate", count(*) as count,
             sum(hashtextextended(${ofPayments.text}, 0)::numeric)::text as digest
        from (${missing}) as missing group by tenant_id`,
  }),
)

/** Digests of the events that payments should have and that are not in the table. The archive must contain them. */
export const missingDigests = (walk: TableScan): AsyncGenerator<ScanPage<TenantDigest>> =>
  scanPages<TenantDigest>(missingOf, '', walk)

const sealed = statement(
  'payments.verify_sealed_events',
  pageOf({
    table: 'event_archive_digest',
    key: 'until',
    columns: 'count, digest',
    parts: `
      select tenant_id as "tenantId", false as "isLate", sum(count)::bigint as count, sum(digest)::text as digest
        from page group by tenant_id`,
  }),
)

export const sealedDigests = (walk: TableScan): AsyncGenerator<ScanPage<TenantDigest>> =>
  scanPages<TenantDigest>(sealed, '-infinity', walk)

const strays = statement(
  'payments.verify_stray_events',
  straysOf({ table: 'event', key: 'source_id', columns: 'id, created_at', seals: 'event_archive' }),
)

/** Events in the table that belong to a month whose rows were all removed. */
export const strayEvents = (walk: TableScan, first: Uuid): AsyncGenerator<ScanPage<Strays>> =>
  scanPages(strays, first, walk)

const eventMonthsApart = statement(
  'payments.verify_untold_months',
  monthsApart({
    wanted: `with page as (select * from payment where lane = $1 and tenant_id = $2) ${missing}`,
    text: ofPayments.text,
    sealed: 'select until, count, digest from event_archive_digest where lane = $1 and tenant_id = $2',
  }),
)

/** The months whose files lack events of payments. Joins all rows of a tenant, so it runs only after a mismatch. */
export const findEventMonths = (walk: TableScan, tenantId: Uuid): Promise<string[]> =>
  listMonthsApart(eventMonthsApart, walk, tenantId)

/** A tenant with a daily payout limit in a currency, and the day that its total counts. */
export type LimitedTenant = Tenant & { currency: string; day: string }

const limitsIn = (table: string, currency: string): string =>
  `select lane, tenant_id, ${currency} as currency, per_day, day, day_amount from ${table} where lane = $1`
const everyLimit = `(${limitsIn('payout_limit', "'NGN'")} union all ${limitsIn('payout_limit_in_currency', 'currency')}) as l`

const limitedTenants = statement(
  'payments.verify_limited',
  `select l.lane::int, l.tenant_id as id, t.environment, l.currency, l.day::text
     from ${everyLimit} cross join lateral (
       select environment from tenant where lane = l.lane and id = l.tenant_id limit 1) as t
    where l.lane = $1 and l.tenant_id >= $2 and l.tenant_id <= $3 and l.per_day is not null
    order by l.tenant_id fetch first $4 rows with ties`,
)

/** The first tenants of the scan, each with all its currencies. */
export function findLimited({ lane, from, upTo, rowsPerPage }: TableScan): Promise<LimitedTenant[]> {
  return lane.query<LimitedTenant>(limitedTenants, [lane.lane, from, upTo, rowsPerPage])
}

/** Both totals are texts, because a tampered number may not fit a bigint. */
type DayTotals = { counted: string; accepted: string }

// One statement, so that the total and the payments are read at one moment, by an index range of exactly the day's
// payouts. If the total counts another day by now, there is nothing to compare.
const dayTotals = statement(
  'payments.verify_day',
  `select l.day_amount::text as counted,
          (select coalesce(sum(p.amount), 0)
             from unnest($4::text[], $5::bigint[]) as k (kind, after) cross join lateral (
               select amount from payment
                where lane = $1 and tenant_id = $2 and kind = k.kind and ordinal > k.after and status <> 'FAILED' and currency = $6
             ) as p)::text as accepted
     from ${everyLimit}
    where l.lane = $1 and l.tenant_id = $2 and l.currency = $6 and l.per_day is not null and l.day = $3::date`,
)

/** `after`: the number of the last payout before the day, for each kind. */
export async function totalsOfDay(
  db: InLane,
  { id, currency, day }: LimitedTenant,
  after: { kind: string; ordinal: bigint }[],
): Promise<DayTotals | undefined> {
  const kinds = arrayOf(after, ({ kind }) => kind)
  const ordinals = arrayOf(after, ({ ordinal }) => ordinal)
  const [row] = await db.query<DayTotals>(dayTotals, [db.lane, id, day, kinds, ordinals, currency])
  return row
}

// Archived events are compared with payments separately, so a payment that is older than the last archived event may
// lack events here.
const eventsOfPayments = statement(
  'payments.verify_events',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'id, kind, status, created_at, expired_at',
    parts: wrongOf(
      `(select page.*, case when created_at < ${archivedUntil} then told.names is distinct from ${calledFor.among('told.names')}
                  else told.names is distinct from ${calledFor.names} end as is_wrong
          from page
         cross join lateral (${toldInTable}) as told) as judged`,
      ['kind', 'status'],
    ),
  }),
)

const eventsOfNothing = statement(
  'payments.verify_event_sources',
  pageOf({
    table: 'event',
    key: 'source_id',
    columns: 'name, id, reference, sample',
    parts: wrongOf(
      `(select page.tenant_id, page.id, not exists (
                select from payment p
                 where p.lane = $1 and p.tenant_id = page.tenant_id and p.reference = page.reference and p.id = page.source_id)
               as is_wrong
          from page where (name like 'transfer.%' or name like 'momo.%') and not sample) as judged`,
    ),
  }),
)

type Wrong = { tenantId: Uuid; count: bigint; ids: Uuid[] }
type WrongPayments = Wrong & { kind: PaymentKind; status: PaymentStatus }

export const eventPages = (walk: TableScan): AsyncGenerator<ScanPage<WrongPayments>> =>
  scanPages(eventsOfPayments, '', walk)

/**
 * Events of payments, in the order of `source_id`, whose payment does not exist. Sample events are not checked, because
 * they belong to no payment.
 */
export const orphanPages = (walk: TableScan): AsyncGenerator<ScanPage<Wrong>> =>
  scanPages(eventsOfNothing, firstUuid, walk)

const ordinalsOf = statement(
  'payments.verify_ordinals',
  numberedPageOf({
    table: 'payment',
    list: 'kind',
    number: 'ordinal',
    isNumbered: 'ordinal > 0',
    columns: 'created_at',
    isWrong: 'coalesce(created_at < lag(created_at) over list, false)',
  }),
)

export const ordinalPages = (walk: TableScan): AsyncGenerator<ScanPage<Broken<PaymentKind>>> =>
  numberedPages(ordinalsOf, walk)
