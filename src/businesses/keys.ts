// Creates, lists, rolls and revokes API keys. The text of a key exists only in the response that creates it: the
// database stores its SHA-256, by which keyring.ts finds the caller of a request, and the last four characters for
// lists. api/server/authenticate.ts (`isOutside`) refuses a request from an address that its key does not allow.

import { assert } from '#platform/assert.ts'
import type { Act, Details } from '#audit/entry.ts'
import { recordEntry } from '#audit/record.ts'
import { addresseesOf, queueLetters, readBusinessOf, readMembers } from '#mail/queue.ts'
import type { Actor, Context, Environment, Tenant } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import { randomBase62, sha256 } from '#platform/secrets.ts'
import { scopes as allScopes, unrestricted, type Restrictions, type Scope } from './keyring.ts'
import { insertKey, listKeysOfBusiness, lockKey, markExpiring, markRevoked, type KeyRow } from './queries.ts'

export const keyPrefixes: Record<Environment, string> = { staging: 'sk_test_', production: 'sk_live_' }

export const keyStates = ['active', 'expiring', 'expired', 'revoked'] as const

export type ApiKey = {
  id: Uuid
  environment: Environment
  prefix: string
  lastFour: string
  name: string
  status: (typeof keyStates)[number]
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
  /** The name of the creator in the audit log. Null if an earlier version of Manilla created the key. */
  createdBy: string | null
  scopes: readonly Scope[]
  /** Null means from any address. */
  allow: readonly string[] | null
}

export type NewKey = ApiKey & { secret: string }

export const overlapHoursMax = 24

export function newKeyText(environment: Environment): string {
  return keyPrefixes[environment] + randomBase62(40)
}

export function createKey(
  ctx: Context,
  tenant: Tenant,
  name: string,
  restrictions = unrestricted,
  secret = newKeyText(tenant.environment),
): Promise<NewKey> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const key = createKeyIn(tx, tenant, { name, secret, by: ctx.by, restrictions }, nowMs)
    noteAct(tx, ctx.by, 'key.created', tenant.id, key, nowMs)
    await mailOfLiveKey(ctx, tx, tenant, key, nowMs)
    return key
  })
}

type KeyToBe = { name: string; secret: string; by: Actor; restrictions?: Restrictions }

export function createKeyIn(tx: Tx, tenant: Tenant, toBe: KeyToBe, nowMs: number): NewKey {
  const { name, secret, by, restrictions = unrestricted } = toBe
  const row = {
    id: newUuid(nowMs),
    lane: tenant.lane,
    tenant_id: tenant.id,
    hash: sha256(secret),
    prefix: keyPrefixes[tenant.environment],
    last_four: secret.slice(-4),
    name,
    created_at: new Date(nowMs),
    scopes: restrictions.scopes === null ? null : [...restrictions.scopes],
    allow: restrictions.allow === null ? null : [...restrictions.allow],
    expires_at: restrictions.expiresAt,
    made_to_expire_at: restrictions.expiresAt,
    created_by: by.name,
  }
  insertKey(tx, row)
  const never = { last_used_at: null, revoked_at: null }
  return { ...present({ ...row, ...never, environment: tenant.environment }, nowMs), secret }
}

export async function listKeys(ctx: Context, businessId: Uuid): Promise<ApiKey[]> {
  const rows = await listKeysOfBusiness(ctx.db, businessId)
  return rows.map((row) => present(row, ctx.clock.now()))
}

export type KeyChange<T> = { kind: 'done'; key: T } | { kind: 'not-found' } | { kind: 'not-active'; key: ApiKey }

/**
 * Every process refuses the key within a second. A second revocation keeps the time of the first. With `whose`, only
 * keys of that tenant are found.
 */
export function revokeKey(ctx: Context, id: Uuid, whose?: Tenant): Promise<KeyChange<ApiKey>> {
  return ctx.db.transaction(async (tx) => {
    const row = await lockKey(tx, id)
    if (row === undefined || isOfAnother(row, whose)) return { kind: 'not-found' }
    const nowMs = ctx.clock.now()
    const revokedAt = row.revoked_at ?? new Date(nowMs)
    markRevoked(tx, row, revokedAt)
    const key = present({ ...row, revoked_at: revokedAt }, nowMs)
    noteAct(tx, ctx.by, 'key.revoked', row.tenant_id, key, nowMs)
    return { kind: 'done', key }
  })
}

/**
 * Creates a replacement for a key. The old key works until the end of the overlap, or until its own expiry if that is
 * earlier.
 */
export function rollKey(ctx: Context, id: Uuid, overlapHours: number, whose?: Tenant): Promise<KeyChange<NewKey>> {
  assert(overlapHours >= 0 && overlapHours <= overlapHoursMax, `an overlap of ${overlapHours} h`)
  return ctx.db.transaction(async (tx) => {
    const row = await lockKey(tx, id)
    if (row === undefined || isOfAnother(row, whose)) return { kind: 'not-found' }
    const nowMs = ctx.clock.now()
    const old = present(row, nowMs)
    if (old.status === 'revoked' || old.status === 'expired') return { kind: 'not-active', key: old }
    const endMs = Math.min(old.expiresAt?.getTime() ?? Infinity, nowMs + overlapHours * hourMs)
    markExpiring(tx, id, new Date(endMs))
    const tenant = { lane: row.lane, id: row.tenant_id, environment: row.environment }
    // The new key gets the expiry that the old key had at its creation, not the expiry that was just set.
    const restrictions = { scopes: row.scopes, allow: row.allow, expiresAt: row.made_to_expire_at }
    const toBe = { name: row.name, secret: newKeyText(row.environment), by: ctx.by, restrictions }
    const key = createKeyIn(tx, tenant, toBe, nowMs)
    noteAct(tx, ctx.by, 'key.rolled', tenant.id, key, nowMs, {
      replaces: formatId('key', id),
      replacedStopsAt: new Date(endMs).toISOString(),
    })
    await mailOfLiveKey(ctx, tx, tenant, key, nowMs)
    return { kind: 'done', key }
  })
}

/** Live keys move real money, so owners and admins get an e-mail about each new one. */
async function mailOfLiveKey(ctx: Context, tx: Tx, tenant: Tenant, key: ApiKey, nowMs: number): Promise<void> {
  if (ctx.sendsMail !== true || tenant.environment !== 'production') return
  const business = await readBusinessOf(tx, tenant)
  if (business === undefined) return
  await queueLetters(ctx, tx, {
    kind: 'live-key',
    facts: { business, keyName: key.name, lastFour: key.lastFour, by: ctx.by.name, atMs: nowMs },
    to: addresseesOf(await readMembers(tx, business.id, ['owner', 'admin'])),
    businessId: business.id,
  })
}

function isOfAnother({ tenant_id }: KeyRow, whose: Tenant | undefined): boolean {
  return whose !== undefined && whose.id !== tenant_id
}

function noteAct(
  tx: Tx,
  by: Actor,
  act: Act,
  tenantId: Uuid,
  { id, name, lastFour, scopes, allow, expiresAt }: ApiKey,
  nowMs: number,
  more: Details = {},
): void {
  const details = { name, lastFour, scopes, allow, expiresAt: expiresAt?.toISOString() ?? null, ...more }
  recordEntry(tx, nowMs, { by, act, tenantId, subject: formatId('key', id), details })
}

function present(row: Omit<KeyRow, 'hash' | 'lane' | 'tenant_id' | 'business_id'>, nowMs: number): ApiKey {
  const endMs = row.expires_at?.getTime()
  const expired = endMs !== undefined && endMs <= nowMs
  // A replaced key expires earlier than its creator decided.
  const replaced = endMs !== row.made_to_expire_at?.getTime()
  const waning = expired ? 'expired' : replaced ? 'expiring' : 'active'
  return {
    id: row.id,
    environment: row.environment,
    prefix: row.prefix,
    lastFour: row.last_four,
    name: row.name,
    status: row.revoked_at !== null ? 'revoked' : waning,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdBy: row.created_by,
    scopes: row.scopes ?? allScopes,
    // PostgreSQL writes an address as a network with the full prefix length.
    allow: row.allow?.map((text) => text.replace(text.includes(':') ? /\/128$/ : /\/32$/, '')) ?? null,
  }
}
