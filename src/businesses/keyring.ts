// Identifies the caller of a request by the SHA-256 of its API key. Every request needs the caller, so results are
// cached for less than a second: a key that another process revokes stops working here within that second. The entry of
// a key in steady use is refreshed in the background before it expires, so that its requests need not wait.
// api/server/authenticate.ts refuses requests without a valid key.

import { hash } from 'node:crypto'
import { stillFresh, type CacheEntry } from '#platform/cache.ts'
import type { Context, Environment, Tenant } from '#platform/context.ts'
import { createLoader, type Loader } from '#platform/db/loader.ts'
import { createNetworks, type Networks, isNetwork, networkTextOf } from '#platform/http-client/addresses.ts'
import type { Uuid } from '#platform/ids.ts'
import { findKeysByHash, touchKeys, type KeyRow } from './queries.ts'

export type Caller = {
  keyId: Uuid
  businessId: Uuid
  tenant: Tenant
  expiresAtMs: number
  /** Undefined means all scopes. */
  scopes?: ReadonlySet<Scope>
  /** Undefined means from any address. */
  allow?: Networks
}

export type Keyring = {
  /**
   * Returns the caller, undefined if the key is invalid, or a promise if the database must be queried. A key that was
   * valid at its last query may always be queried again. Any other key is queried only if `mayAsk` returns true, and
   * otherwise counts as invalid.
   */
  find(unchecked: string, mayAsk?: () => boolean): Caller | undefined | Promise<Caller | undefined>
  touch(caller: Caller): void
  flush(): Promise<void>
}

const keyForm = /^sk_(test|live)_[A-Za-z0-9]{40}$/

export function createKeyring(ctx: Context, { rememberedMax = 20_000 } = {}): Keyring {
  const remembered = new Map<string, CacheEntry<Caller | undefined>>()
  const loader = createKeyLoader(ctx)

  async function ask(text: string): Promise<Caller | undefined> {
    const askedAtMs = ctx.clock.monotonicMs()
    const row = await loader.load(Buffer.from(text, 'base64'))
    const caller = row === undefined || row.revoked_at !== null ? undefined : callerOf(row)
    remember(text, { value: caller, askedAtMs, asking: false })
    return unexpired(caller)
  }

  /** Evicts the entry that was queried longest ago, which is hardly ever that of a key in steady use. */
  function remember(text: string, answer: CacheEntry<Caller | undefined>): void {
    remembered.delete(text)
    if (remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value ?? '')
    remembered.set(text, answer)
  }

  function unexpired(caller: Caller | undefined): Caller | undefined {
    return caller !== undefined && caller.expiresAtMs > ctx.clock.now() ? caller : undefined
  }

  return {
    find(unchecked, mayAsk = () => true) {
      if (!keyForm.test(unchecked)) return undefined
      const text = hash('sha256', unchecked, 'base64')
      const known = remembered.get(text)
      const fresh = stillFresh(known, ctx.clock.monotonicMs(), () => ask(text))
      if (fresh !== undefined) return unexpired(fresh.value)
      return known?.value !== undefined || mayAsk() ? ask(text) : undefined
    },
    ...createNotes(ctx),
  }
}

function createKeyLoader(ctx: Context): Loader<Buffer, KeyRow> {
  return createLoader<Buffer, KeyRow>({
    name: 'keys',
    metrics: ctx.metrics,
    keyText: (digest) => digest.toString('base64'),
    query: async (digests) => {
      const rows = await findKeysByHash(ctx.db.readers, digests)
      return new Map(rows.map((row) => [row.hash.toString('base64'), row]))
    },
  })
}

function createNotes(ctx: Context): Pick<Keyring, 'touch' | 'flush'> {
  let used = new Map<Uuid, number>()
  return {
    touch(caller) {
      used.set(caller.keyId, ctx.clock.now())
    },
    async flush() {
      if (used.size === 0) return
      const batch = used
      used = new Map()
      const times = [...batch.values()].map((ms) => new Date(ms))
      try {
        await touchKeys(ctx.db, [...batch.keys()], times)
      } catch (error) {
        used = new Map([...batch, ...used]) // Kept for the next flush; uses recorded since are newer.
        throw error
      }
    },
  }
}

function callerOf(row: KeyRow): Caller {
  return {
    keyId: row.id,
    businessId: row.business_id,
    tenant: { lane: row.lane, id: row.tenant_id, environment: row.environment satisfies Environment },
    expiresAtMs: row.expires_at?.getTime() ?? Infinity,
    ...(row.scopes === null ? {} : { scopes: new Set(row.scopes) }),
    ...(row.allow === null ? {} : { allow: createNetworks(row.allow) }),
  }
}

// Restrictions of a key: its scopes, its addresses, and its expiry. Most keys have none.

export const scopes = ['read', 'collect', 'payout', 'webhooks', 'sandbox'] as const
export type Scope = (typeof scopes)[number]

export type Restrictions = {
  /** Null means all scopes. */
  scopes: readonly Scope[] | null
  /** Addresses and networks. Null means from any address. */
  allow: readonly string[] | null
  expiresAt: Date | null
}

export const unrestricted: Restrictions = { scopes: null, allow: null, expiresAt: null }

export type ParseResult<T> = { kind: 'parsed'; value: T } | { kind: 'wrong'; sentence: string }

/** Returns the scopes in the order of `scopes`, without duplicates. */
export function parseScopes(unchecked: readonly string[]): ParseResult<Scope[]> {
  const unknown = unchecked.find((word) => !isScope(word))
  const value = scopes.filter((scope) => unchecked.includes(scope))
  return unknown === undefined && value.length > 0
    ? { kind: 'parsed', value }
    : { kind: 'wrong', sentence: `${wrongWord(unknown, 'a scope')}. The scopes are ${scopes.join(', ')}.` }
}

/** Longer lists belong in a firewall. */
const networksMax = 100

export function parseNetworks(unchecked: readonly string[]): ParseResult<string[]> {
  const wrong = (sentence: string): ParseResult<string[]> => ({ kind: 'wrong', sentence })
  const unknown = unchecked.find((text) => !isNetwork(text))
  if (unknown !== undefined || unchecked.length === 0)
    return wrong(`${wrongWord(unknown, 'an address or a network')}. Examples: 203.0.113.7, 203.0.113.0/24.`)
  if (unchecked.length > networksMax) return wrong(`At most ${networksMax} addresses and networks are allowed.`)
  // An address inside a network, written with a prefix length, could mean either of the two, so it is refused.
  const doubtful = unchecked.find((text) => text.includes('/') && networkTextOf(text) !== text.toLowerCase())
  if (doubtful !== undefined)
    return wrong(`${doubtful} is an address inside a network: write ${networkTextOf(doubtful)}, or the address alone.`)
  return { kind: 'parsed', value: [...new Set(unchecked)] }
}

function isScope(word: string): word is Scope {
  return scopes.some((scope) => scope === word)
}

function wrongWord(word: string | undefined, wanted: string): string {
  return word === undefined || word === '' ? `Name ${wanted}` : `${JSON.stringify(word)} is not ${wanted}`
}
