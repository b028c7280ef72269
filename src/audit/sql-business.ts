// SQL of the audit log as the people of one business see it: entries of its two tenants, and of the business itself. Each
// branch lies in order in an index, so a page is merged and never sorted.

import { statement, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { EntryRow } from './sql.ts'

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

export type Owner = { staging: Uuid; production: Uuid; business: Uuid }

export type Search = {
  /** Numbers between these two, both excluded. */
  after: bigint
  before: bigint
  /** Of each branch so many of the latest are looked at. */
  windowRows: number
  from: Date
  to: Date
  person: Uuid | null
  act: string | null
  /** What was done at a terminal says none: it was done. */
  outcome: string | null
  /** What it was done to, or the request that did it. */
  target: string | null
}

export function listEntriesOfBusiness(
  db: Queryable,
  owner: Owner,
  search: Search,
  { limit, offset }: { limit: number; offset: number },
): Promise<EntryRow[]> {
  return db.query<EntryRow>(selectPage, [...valuesOf(owner, search), limit, offset])
}

export async function countEntriesOfBusiness(db: Queryable, owner: Owner, search: Search): Promise<number> {
  const [row] = await db.query<{ total: bigint }>(countEntries, valuesOf(owner, search))
  return Number(row?.total ?? 0n)
}

function valuesOf({ staging, production, business }: Owner, search: Search): unknown[] {
  const { after, before, windowRows, from, to, person, act, outcome, target } = search
  return [staging, production, business, after, before, windowRows, from, to, person, act, outcome, target]
}
