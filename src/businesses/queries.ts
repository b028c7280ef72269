// SQL of businesses, tenants and keys. These tables are small and rarely written.

import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Environment } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Scope } from './keyring.ts'

const insertBusinessRow = statement(
  'businesses.insert',
  'insert into business (id, name, created_at) values ($1, $2, $3)',
)

export function insertBusiness(tx: Tx, id: Uuid, name: string, createdAt: Date): void {
  tx.send(insertBusinessRow, [id, name, createdAt])
}

const insertTenantRow = statement(
  'businesses.insert_tenant',
  'insert into tenant (lane, id, business_id, environment, created_at) values ($1, $2, $3, $4, $5)',
)

export function insertTenant(
  tx: Tx,
  tenant: { lane: number; id: Uuid; environment: Environment },
  businessId: Uuid,
  createdAt: Date,
): void {
  tx.send(insertTenantRow, [tenant.lane, tenant.id, businessId, tenant.environment, createdAt])
}

export type BusinessRow = { id: Uuid; name: string; created_at: Date }

const selectBusinesses = statement('businesses.list', 'select id, name, created_at from business order by id')

export function listBusinessRows(db: Queryable): Promise<BusinessRow[]> {
  return db.query<BusinessRow>(selectBusinesses)
}

export type TenantRow = { lane: number; id: Uuid; environment: Environment }

const selectTenant = statement(
  'businesses.tenant',
  'select lane, id, environment from tenant where business_id = $1 and environment = $2',
)

export async function findTenantRow(
  db: Queryable,
  businessId: Uuid,
  environment: Environment,
): Promise<TenantRow | undefined> {
  const [row] = await db.query<TenantRow>(selectTenant, [businessId, environment])
  return row
}

export type KeyRow = {
  id: Uuid
  lane: number
  tenant_id: Uuid
  hash: Buffer
  prefix: string
  last_four: string
  name: string
  created_at: Date
  last_used_at: Date | null
  expires_at: Date | null
  revoked_at: Date | null
  scopes: Scope[] | null
  allow: string[] | null
  made_to_expire_at: Date | null
  created_by: string | null
  environment: Environment
  business_id: Uuid
}

const keyColumns = `k.id, k.lane, k.tenant_id, k.hash, k.prefix, k.last_four, k.name, k.created_at, k.last_used_at,
  k.expires_at, coalesce(r.revoked_at, k.revoked_at) as revoked_at, k.scopes, k.allow,
  k.made_to_expire_at, k.created_by, t.environment, t.business_id`
// A process of the previous version records a revocation only in the row of the key.
const revocations = `left join api_key_revocation r on r.lane = k.lane and r.tenant_id = k.tenant_id and r.key_id = k.id`

const lockInstallationRow = statement('businesses.lock_installation', 'select id from installation for update')

/** Until this transaction ends, no other one creates the first business. */
export async function lockInstallation(tx: Tx): Promise<void> {
  await tx.query(lockInstallationRow)
}

// Needs no tenant, because the API key identifies the tenant. Each step finds one row by all columns of an index. When
// the steps were joins, PostgreSQL planned them with the statistics of a young table and kept that plan, which scanned
// all tenants and all revocations for each API key.
const selectKeysByHash = statement(
  'businesses.keys_by_hash',
  `select ${keyColumns}
     from unnest($1::bytea[]) as h (hash)
     cross join lateral (select * from api_key where hash = h.hash limit 1) as k
     cross join lateral (
       select environment, business_id from tenant where lane = k.lane and id = k.tenant_id limit 1) as t
     left join lateral (
       select revoked_at from api_key_revocation
        where lane = k.lane and tenant_id = k.tenant_id and key_id = k.id limit 1) as r on true`,
)

export function findKeysByHash(db: Queryable, hashes: Buffer[]): Promise<KeyRow[]> {
  return db.query<KeyRow>(selectKeysByHash, [hashes])
}

const lockKeyRow = statement(
  'businesses.lock_key',
  `select ${keyColumns} from api_key k join tenant t on t.lane = k.lane and t.id = k.tenant_id
     ${revocations}
    where k.id = $1
      for no key update of k`,
)

/** Until this transaction ends, no other one changes this key. */
export async function lockKey(tx: Tx, id: Uuid): Promise<KeyRow | undefined> {
  const [row] = await tx.query<KeyRow>(lockKeyRow, [id])
  return row
}

const selectKeysOfBusiness = statement(
  'businesses.keys_of_business',
  `select ${keyColumns} from tenant t join api_key k on k.lane = t.lane and k.tenant_id = t.id
     ${revocations}
    where t.business_id = $1 order by k.created_at, k.id`,
)

export function listKeysOfBusiness(db: Queryable, businessId: Uuid): Promise<KeyRow[]> {
  return db.query<KeyRow>(selectKeysOfBusiness, [businessId])
}

const insertKeyRow = statement(
  'businesses.insert_key',
  `insert into api_key (id, lane, tenant_id, hash, prefix, last_four, name, created_at, scopes, allow, expires_at,
       made_to_expire_at, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12)`,
)

export type NewKeyRow = Omit<KeyRow, 'last_used_at' | 'revoked_at' | 'environment' | 'business_id'>

export function insertKey(tx: Tx, row: NewKeyRow): void {
  const { id, lane, tenant_id, hash, prefix, last_four, name, created_at, scopes, allow, made_to_expire_at } = row
  const restrictions = [scopes, allow, made_to_expire_at, row.created_by]
  tx.send(insertKeyRow, [id, lane, tenant_id, hash, prefix, last_four, name, created_at, ...restrictions])
}

const insertRevocation = statement(
  'businesses.insert_revocation',
  `insert into api_key_revocation (lane, tenant_id, key_id, revoked_at) values ($1, $2, $3, $4) on conflict do nothing`,
)

// Processes of the previous version read a revocation only from this column.
const revokeKeyRow = statement('businesses.revoke_key', 'update api_key set revoked_at = $2 where id = $1')

export function markRevoked(tx: Tx, key: Pick<KeyRow, 'id' | 'lane' | 'tenant_id'>, at: Date): void {
  tx.send(insertRevocation, [key.lane, key.tenant_id, key.id, at])
  tx.send(revokeKeyRow, [key.id, at])
}

const expireKeyRow = statement('businesses.expire_key', 'update api_key set expires_at = $2 where id = $1')

export function markExpiring(tx: Tx, id: Uuid, at: Date): void {
  tx.send(expireKeyRow, [id, at])
}

// Locks the keys in the order of their ids, so that two processes with the same keys do not deadlock.
const touchKeyRows = statement(
  'businesses.touch_keys',
  `update api_key k set last_used_at = greatest(k.last_used_at, used.at)
     from (
       select k.id, v.at from unnest($1::uuid[], $2::timestamptz[]) as v (id, at) join api_key k on k.id = v.id
        order by k.id for no key update of k) as used
    where k.id = used.id`,
)

export async function touchKeys(db: Queryable, ids: Uuid[], times: Date[]): Promise<void> {
  await db.query(touchKeyRows, [ids, times])
}
