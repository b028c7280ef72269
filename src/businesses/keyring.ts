// Whose request is this? Every request asks, so the answer is remembered, but for less than a second: a key that is
// revoked by another process stops working here within that second. A key in steady use is asked for again in the
// background before its answer grows old, so that its requests never wait.

import { hash } from 'node:crypto'
import { stillFresh, type Remembered } from '#platform/cache.ts'
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
  /** Undefined: all of them. */
  scopes?: ReadonlySet<Scope>
  /** Undefined: from anywhere. */
  allow?: Networks
}

export type Keyring = {
  /**
   * The caller, undefined when the key is not valid, or a promise of it when the database must be asked. For a key that is
   * not known to have been valid it is asked only if `mayAsk`, and otherwise taken for one that is not.
   */
  find(unchecked: string, mayAsk?: () => boolean): Caller | undefined | Promise<Caller | undefined>
  /** Notes that the key was used; `flush` writes many such notes at once. */
  touch(caller: Caller): void
  /** Writes down when keys were used. A timer calls it, and the end of the App. */
  flush(): Promise<void>
}

const keyForm = /^sk_(test|live)_[A-Za-z0-9]{40}$/

export function createKeyring(ctx: Context, { rememberedMax = 20_000 } = {}): Keyring {
  const remembered = new Map<string, Remembered<Caller | undefined>>()
  const loader = createKeyLoader(ctx)

  async function ask(text: string): Promise<Caller | undefined> {
    const askedAtMs = ctx.clock.now()
    const row = await loader.load(Buffer.from(text, 'base64'))
    const caller = row === undefined || row.revoked_at !== null ? undefined : callerOf(row)
    remember(text, { value: caller, askedAtMs, asking: false })
    return unexpired(caller)
  }

  /** The one that was asked for longest ago makes room: made-up keys never drive out a key in steady use. */
  function remember(text: string, answer: Remembered<Caller | undefined>): void {
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
      const fresh = stillFresh(known, ctx.clock.now(), () => ask(text))
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

/** Which keys were used, and when. */
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
        used = new Map([...batch, ...used]) // Kept for the next flush; uses that were noted since are newer.
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

// What a key may do, from where and for how long. Most keys have no restrictions, and pay nothing for those of others.

export const scopes = ['read', 'collect', 'payout', 'webhooks', 'sandbox'] as const
export type Scope = (typeof scopes)[number]

export type Restrictions = {
  /** Null: all of them. */
  scopes: readonly Scope[] | null
  /** Addresses and networks. Null: from anywhere. */
  allow: readonly string[] | null
  /** Null: it does not end by itself. */
  expiresAt: Date | null
}

export const unrestricted: Restrictions = { scopes: null, allow: null, expiresAt: null }

export type Parsed<T> = { kind: 'parsed'; value: T } | { kind: 'wrong'; sentence: string }

/** In the order of the list above, each once. */
export function parseScopes(unchecked: readonly string[]): Parsed<Scope[]> {
  const unknown = unchecked.find((word) => !isScope(word))
  const value = scopes.filter((scope) => unchecked.includes(scope))
  return unknown === undefined && value.length > 0
    ? { kind: 'parsed', value }
    : { kind: 'wrong', sentence: `${said(unknown)}. There are: ${scopes.join(', ')}.` }
}

/** Longer lists belong into a firewall. */
const networksMax = 100

export function parseNetworks(unchecked: readonly string[]): Parsed<string[]> {
  const wrong = (sentence: string): Parsed<string[]> => ({ kind: 'wrong', sentence })
  const unknown = unchecked.find((text) => !isNetwork(text))
  if (unknown !== undefined || unchecked.length === 0)
    return wrong(`${said(unknown)}. It is an address or a network, such as 203.0.113.7 or 203.0.113.0/24.`)
  if (unchecked.length > networksMax) return wrong(`There are at most ${networksMax} of them.`)
  // Whoever wrote an address with the length of a network meant one of the two, and only they know which.
  const doubtful = unchecked.find((text) => text.includes('/') && networkTextOf(text) !== text.toLowerCase())
  if (doubtful !== undefined)
    return wrong(`${doubtful} is inside of a network: write ${networkTextOf(doubtful)}, or the address alone.`)
  return { kind: 'parsed', value: [...new Set(unchecked)] }
}

function isScope(word: string): word is Scope {
  return scopes.some((scope) => scope === word)
}

function said(unknown: string | undefined): string {
  return unknown === undefined || unknown === '' ? 'It is empty' : `${JSON.stringify(unknown)} is none`
}
