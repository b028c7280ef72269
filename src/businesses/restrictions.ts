// What a key may do, from where and for how long. Most keys have no restrictions, and pay nothing for those of others.

import { isNetwork, networkTextOf } from '#base/network.ts'

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
