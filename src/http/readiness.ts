// Whether this process can do its work: the database answers, is at the version of this code, and nobody has asked it to stop.

import { Unavailable } from '#base/error.ts'

/** Resolves with what the database lacks for this version; throws when it cannot be asked. */
export type Readiness = () => Promise<string[]>

/**
 * It needs no key and has no rate limit, so all who ask during one question to the database share its answer. `leaving`: once that is given it is not ready, though it
 * serves on for a while, so that proxies that ask go elsewhere.
 */
export function createReadiness(missingMigrations: () => Promise<string[]>, leaving?: AbortSignal): Readiness {
  let looking: Promise<string[]> | undefined
  return () => {
    if (leaving?.aborted === true) return Promise.reject(new Unavailable('The process is about to stop.'))
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
