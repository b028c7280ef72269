// Whether this process can do its work: the database answers, and is at the version of this code.

import { Unavailable } from '#base/error.ts'

/** Resolves with what the database lacks for this version; throws when it cannot be asked. */
export type Readiness = () => Promise<string[]>

/** It needs no key and has no rate limit, so all who ask during one question to the database share its answer. */
export function createReadiness(missingMigrations: () => Promise<string[]>): Readiness {
  let looking: Promise<string[]> | undefined
  return () => {
    looking ??= missingMigrations()
      .catch((error: unknown) => {
        if (error instanceof Unavailable) throw error
        throw new Unavailable('The database cannot be read.', { cause: error, retryAfterSeconds: 5 })
      })
      .finally(() => (looking = undefined))
    return looking
  }
}

export const behind = 'The database is behind this version. Run: manilla migrate'
