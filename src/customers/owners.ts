// Whose a virtual account number is: the question of a notice that knows nothing else. Gathered with all others of the
// same environment.

import { environments, type Context, type Environment, type Tenant } from '#base/context.ts'
import { createLoader } from '#base/loader.ts'
import { findOwners } from './sql-accounts.ts'

export type Owners = { find(environment: Environment, accountNumber: string): Promise<Tenant | undefined> }

export function createOwners({ db, metrics }: Context): Owners {
  const loaders = new Map(
    environments.map((environment) => [
      environment,
      createLoader<string, Tenant>({
        name: 'account owners',
        metrics,
        keyText: (accountNumber) => accountNumber,
        query: (numbers) => findOwners(db.readers, environment, numbers),
      }),
    ]),
  )
  return { find: async (environment, accountNumber) => loaders.get(environment)?.load(accountNumber) }
}
