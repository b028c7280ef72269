// Whose a virtual account number is: the question of a notice that knows nothing else. Gathered with everybody else's.

import type { Context, Environment, Tenant } from '#base/context.ts'
import { createLoader, type Loader } from '#base/loader.ts'
import { findOwners } from './sql-accounts.ts'

export type Owners = { find(environment: Environment, accountNumber: string): Promise<Tenant | undefined> }

export function createOwners(ctx: Context): Owners {
  const loaders = new Map<Environment, Loader<string, Tenant>>()
  const loaderOf = (environment: Environment): Loader<string, Tenant> => {
    const found = loaders.get(environment)
    if (found !== undefined) return found
    const connection = ctx.db.connection(`account owners ${environment}`)
    const loader = createLoader<string, Tenant>({
      name: 'account owners',
      metrics: ctx.metrics,
      keyText: (accountNumber) => accountNumber,
      query: (numbers) => findOwners(connection, environment, numbers),
    })
    loaders.set(environment, loader)
    return loader
  }
  return { find: (environment, accountNumber) => loaderOf(environment).load(accountNumber) }
}
