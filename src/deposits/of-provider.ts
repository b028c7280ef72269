// Deposits by what their provider calls them, for whoever holds a provider's list against ours.

import type { Context, Environment } from '#base/context.ts'
import { findKeptIds, findOfProvider, type OfProvider } from './sql-of-provider.ts'

/** `kept`: its notice came, and it is nobody's. */
export type KnownMoney = ({ kind: 'deposit' } & OfProvider) | { kind: 'kept' }

/** By the provider's own id. What is not there was never told of, or could not be taken. */
export async function findKnownMoney(
  { db }: Pick<Context, 'db'>,
  from: { environment: Environment; provider: string },
  providerIds: string[],
): Promise<Map<string, KnownMoney>> {
  const [deposits, kept] = await Promise.all([
    findOfProvider(db, from, providerIds),
    findKeptIds(db, from, providerIds),
  ])
  return new Map<string, KnownMoney>([
    ...kept.map(({ providerId }) => [providerId, { kind: 'kept' }] as const),
    ...deposits.map((deposit) => [deposit.providerId, { kind: 'deposit', ...deposit }] as const),
  ])
}
