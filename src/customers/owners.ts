// Whose account was paid to: the question of a notice that knows a number, or a reference of ours, and nothing else. Gathered
// with all others of the same environment.

import { environments, type Context, type Environment } from '#base/context.ts'
import { createLoader, type Loader } from '#base/loader.ts'
import type { PaidInto } from '#rails/rail.ts'
import { findOwners, findOwnersByReference, numberText, type NumberAt, type Owner } from './sql-numbers.ts'

export type { Owner } from './sql-numbers.ts'

export type Owners = { find(environment: Environment, paid: Paid): Promise<Owner | undefined> }

/** When counts: a number may have been somebody else's before. */
type Paid = { account: PaidInto; atMs: number }

type Loaders = { byNumber: Loader<NumberAt, Owner>; byReference: Loader<string, Owner> }

export function createOwners({ db, metrics }: Context): Owners {
  const loadersOf = (environment: Environment): Loaders => ({
    byNumber: createLoader({
      name: 'account owners',
      metrics,
      keyText: numberText,
      query: (numbers) => findOwners(db.readers, environment, numbers),
    }),
    byReference: createLoader({
      name: 'account owners by reference',
      metrics,
      keyText: (reference) => reference,
      query: (references) => findOwnersByReference(db.readers, environment, references),
    }),
  })
  const loaders = new Map(environments.map((environment) => [environment, loadersOf(environment)]))
  return {
    async find(environment, { account, atMs }) {
      const of = loaders.get(environment)
      return 'number' in account
        ? of?.byNumber.load({ number: account.number, atMs })
        : of?.byReference.load(account.railReference)
    },
  }
}
