// SQL of the audit log.

import { arrayOf, arraysOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { firstHash, type NumberedEntry } from './entry.ts'

export type Head = { number: bigint; hash: Buffer }

const lockLog = statement('audit.lock', 'select one from audit_lock for update')
const selectHead = statement('audit.head', 'select number, hash from audit_entry order by number desc limit 1')

export async function lockHead(tx: Tx): Promise<Head> {
  await tx.query(lockLog)
  return readHead(tx) // A separate statement, which sees what the previous holder of the lock wrote.
}

export async function readHead(db: Queryable): Promise<Head> {
  const [head] = await db.query<Head>(selectHead)
  return head ?? { number: 0n, hash: firstHash }
}

const insertRows = statement(
  'audit.insert',
  `insert into audit_entry (number, at, actor_kind, actor, address, act, tenant_id, subject, details, business_id,
       person_id, role, device, request_id, outcome, hash)
   select number, at, actor_kind, actor, address, act, tenant_id, subject, details, business_id, person_id, role,
       device, request_id, outcome, decode(hash, 'hex')
     from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::uuid[],
       $8::text[], $9::text[], $10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[])
       as v (number, at, actor_kind, actor, address, act, tenant_id, subject, details, business_id, person_id, role,
         device, request_id, outcome, hash)`,
)

export type AuditEntryRow = NumberedEntry & { hash: Buffer }

export function insertEntries(tx: Tx, rows: readonly AuditEntryRow[]): void {
  tx.send(insertRows, [
    ...arraysOf(rows, 'number', 'at', 'actorKind', 'actor', 'address'),
    ...arraysOf(rows, 'act', 'tenantId', 'subject', 'details', 'businessId', 'personId'),
    ...arraysOf(rows, 'role', 'device', 'requestId', 'outcome'),
    arrayOf(rows, ({ hash }) => hash.toString('hex')),
  ])
}

const columns = `e.number, e.at, e.actor_kind as "actorKind", e.actor, e.address, e.act, e.tenant_id as "tenantId",
  e.subject, e.details, e.business_id as "businessId", e.person_id as "personId", e.role, e.device,
  e.request_id as "requestId", e.outcome, e.hash`

const selectAfter = statement(
  'audit.after',
  `select ${columns} from audit_entry e where e.number > $1 order by e.number limit $2`,
)

export function listEntriesAfter(db: Queryable, number: bigint, limit: number): Promise<AuditEntryRow[]> {
  return db.query<AuditEntryRow>(selectAfter, [number, limit])
}

// Entries are numbered without gaps and are almost in order of time. So the last entry before a time is found by binary
// search, with one look-up by primary key per step.
const selectNumberBefore = statement(
  'audit.number_before',
  `with recursive search (low, high) as (
     select 0::bigint, coalesce(max(number), 0) + 1 from audit_entry
     union all
     select case when e.at < $1 then e.number else low end, case when e.at < $1 then high else e.number end
       from search cross join lateral (
         select number, at from audit_entry where number = (low + high) / 2 limit 1) as e
      where high - low > 1)
   select max(low) as number from search`,
)

export async function findNumberBefore(db: Queryable, at: Date): Promise<bigint> {
  const [row] = await db.query<{ number: bigint | null }>(selectNumberBefore, [at])
  return row?.number ?? 0n
}

export type ListedRow = AuditEntryRow & { ofBusiness: Uuid | null; environment: string | null }

// `selectLatest` reads backward along the primary key, `selectLatestOfBusiness` along the indexes of the business and
// of its tenants.
const selectLatest = statement(
  'audit.latest',
  `select ${columns}, coalesce(t.business_id, e.business_id) as "ofBusiness", t.environment
     from audit_entry e left join tenant t on t.id = e.tenant_id
    where e.number > $4 and e.at >= $1 and ($2::text is null or e.act = $2) order by e.number desc limit $3`,
)

const selectLatestOfBusiness = statement(
  'audit.latest_of_business',
  `select ${columns}, $5::uuid as "ofBusiness", e.environment
     from (
       select a.*, t.environment from tenant t cross join lateral (
         select * from audit_entry where tenant_id = t.id and number > $4 and at >= $1 and ($2::text is null or act = $2)
          order by number desc limit $3) as a
        where t.business_id = $5
       union all (
       select a.*, null from audit_entry a
        where business_id = $5 and tenant_id is null and number > $4 and at >= $1 and ($2::text is null or act = $2)
        order by number desc limit $3)) as e
    order by e.number desc limit $3`,
)

export type EntryFilter = {
  after: bigint
  since: Date
  act: string | null
  limit: number
  businessId: Uuid | undefined
}

export function listLatestEntries(
  db: Queryable,
  { after, since, act, limit, businessId }: EntryFilter,
): Promise<ListedRow[]> {
  return businessId === undefined
    ? db.query<ListedRow>(selectLatest, [since, act, limit, after])
    : db.query<ListedRow>(selectLatestOfBusiness, [since, act, limit, after, businessId])
}
