// Reads the audit log, the newest entries first.

import type { Context, Environment } from '#platform/context.ts'
import { type Queryable, statement } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { type AuditEntryRow, findNumberBefore, type ListedRow, listLatestEntries } from './queries.ts'

export type ListedEntry = {
  number: bigint
  at: Date
  actorKind: string
  actor: string
  address: string | null
  act: string
  businessId: Uuid | null
  environment: Environment | null
  subject: string | null
  details: Record<string, unknown>
  /** Null for actions of others than dashboard users. */
  personId: Uuid | null
  role: string | null
  device: string | null
  requestId: string | null
  outcome: string | null
}

type AuditQuery = { sinceMs: number; act?: string | undefined; businessId?: Uuid | undefined; limit: number }

/**
 * An entry can be dated before the previous entry, by at most the duration of a transaction, which is far below an
 * hour.
 */
const outOfOrderMsMax = hourMs

export async function listAudit(
  { db }: Context,
  { sinceMs, act, businessId, limit }: AuditQuery,
): Promise<ListedEntry[]> {
  const after = await findNumberBefore(db, new Date(sinceMs - outOfOrderMsMax))
  const rows = await listLatestEntries(db, { after, since: new Date(sinceMs), act: act ?? null, businessId, limit })
  return rows.map(listedOf)
}

function listedOf({
  hash: _hash,
  tenantId: _tenant,
  details,
  environment,
  ofBusiness,
  ...rest
}: ListedRow): ListedEntry {
  return {
    ...rest,
    businessId: ofBusiness,
    environment: environment as Environment | null,
    details: JSON.parse(details) as Record<string, unknown>,
  }
}

// The audit log as the users of one business see it: entries of its two tenants, and of the business itself. Each
// branch reads an index in its order, so a page is merged and not sorted.

export type { AuditEntryRow } from './queries.ts'

const columns = `number, at, actor_kind as "actorKind", actor, address, act, tenant_id as "tenantId", subject, details,
  business_id as "businessId", person_id as "personId", role, device, request_id as "requestId", outcome, hash`

const branches = ['tenant_id = $1', 'tenant_id = $2', 'business_id = $3 and tenant_id is null'].map(
  (whose) =>
    `(select * from (select * from audit_entry where ${whose} and number > $4 and number < $5 order by number desc limit $6) w
       where at >= $7 and at < $8 and ($9::uuid is null or person_id = $9) and ($10::text is null or act = $10)
         and ($11::text is null or coalesce(outcome, 'done') = $11)
         and ($12::text is null or subject = $12 or request_id = $12) order by number desc)`,
)
const union = branches.join('\n union all ')

const selectPage = statement(
  'audit.page_of_business',
  `select ${columns} from (${union}) e order by number desc limit $13 offset $14`,
)

const countEntries = statement('audit.count_of_business', `select count(*) as total from (${union}) e`)

export type AuditedBusiness = { staging: Uuid; production: Uuid; business: Uuid }

type Search = {
  after: bigint
  before: bigint
  /** How many of the latest entries each branch reads. */
  windowRows: number
  from: Date
  to: Date
  person: Uuid | null
  act: string | null
  /** Entries made at a terminal have no outcome, which means `done`. */
  outcome: string | null
  target: string | null
}

function listEntriesOfBusiness(
  db: Queryable,
  owner: AuditedBusiness,
  search: Search,
  { limit, offset }: { limit: number; offset: number },
): Promise<AuditEntryRow[]> {
  return db.query<AuditEntryRow>(selectPage, [...valuesOf(owner, search), limit, offset])
}

async function countEntriesOfBusiness(db: Queryable, owner: AuditedBusiness, search: Search): Promise<number> {
  const [row] = await db.query<{ total: bigint }>(countEntries, valuesOf(owner, search))
  return Number(row?.total ?? 0n)
}

function valuesOf({ staging, production, business }: AuditedBusiness, search: Search): unknown[] {
  const { after, before, windowRows, from, to, person, act, outcome, target } = search
  return [staging, production, business, after, before, windowRows, from, to, person, act, outcome, target]
}

export type AuditFilter = {
  from?: Date | undefined
  to?: Date | undefined
  person?: Uuid | undefined
  act?: string | undefined
  outcome?: string | undefined
  target?: string | undefined
}

/** Filters other than the time range have no index, so they search this many of the latest entries of the range. */
const entriesSearchedMax = 20_000
const pieceRows = 500
const beginning = new Date(0)
const end = new Date('9999-12-31T23:59:59.999Z')
const lastNumber = 2n ** 63n - 1n

export async function listAuditOfBusiness(
  { db }: Context,
  owner: AuditedBusiness,
  filter: AuditFilter,
  slice: { limit: number; offset: number },
): Promise<{ entries: AuditEntryRow[]; total: number }> {
  const search = await searchOf(db, filter, entriesSearchedMax)
  const total = await countEntriesOfBusiness(db, owner, search)
  const entries = slice.offset < total ? await listEntriesOfBusiness(db, owner, search, slice) : []
  return { entries, total }
}

/**
 * Yields the latest first. Filters here and not in SQL, because a statement that looks for rare matches would take
 * long.
 */
export async function* eachAuditOfBusiness(
  { db }: Context,
  owner: AuditedBusiness,
  filter: AuditFilter,
): AsyncGenerator<AuditEntryRow> {
  let search = await searchOf(db, { from: filter.from, to: filter.to }, pieceRows)
  for (;;) {
    const piece = await listEntriesOfBusiness(
      db,
      owner,
      { ...search, from: beginning, to: end },
      { limit: pieceRows, offset: 0 },
    )
    for (const entry of piece) if (fits(entry, filter)) yield entry
    const last = piece.at(-1)
    if (last === undefined || piece.length < pieceRows) return
    search = { ...search, before: last.number }
  }
}

async function searchOf(db: Context['db'], filter: AuditFilter, windowRows: number): Promise<Search> {
  const { from = beginning, to = end, person = null, act = null, outcome = null, target = null } = filter
  const numberAt = (time: Date | undefined, otherwise: bigint): Promise<bigint> =>
    time === undefined ? Promise.resolve(otherwise) : findNumberBefore(db, time)
  const after = await numberAt(filter.from && new Date(from.getTime() - outOfOrderMsMax), 0n)
  const before = await numberAt(filter.to && new Date(to.getTime() + outOfOrderMsMax), lastNumber - 1n)
  return { after, before: before + 1n, windowRows, from, to, person, act, outcome, target }
}

function fits(
  entry: AuditEntryRow,
  { from = beginning, to = end, person, act, outcome, target }: AuditFilter,
): boolean {
  return (
    entry.at >= from &&
    entry.at < to &&
    (person === undefined || entry.personId === person) &&
    (act === undefined || entry.act === act) &&
    (outcome === undefined || (entry.outcome ?? 'done') === outcome) &&
    (target === undefined || entry.subject === target || entry.requestId === target)
  )
}
