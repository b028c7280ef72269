// Reseals the tokens of letters that wait with the current key.

import type { Queryable } from '#platform/db/db.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { resealPages, type ResealMode, type SecretBox } from '#platform/secrets.ts'
import { listSealed, writeResealed, type SealedLetter } from './queries.ts'
import { sealContext } from './queue.ts'

const rowsPerPage = 500

/** Resolves with the number of tokens that were not sealed with the current key. */
export function resealLetters(db: Queryable, box: SecretBox, how: ResealMode): Promise<number> {
  return resealPages<{ id: Uuid }, SealedLetter, { row: SealedLetter; fresh: Buffer }>({
    first: { id: firstUuid },
    rowsPerPage,
    read: ({ id }, limit) => listSealed(db, id, limit),
    changesOf(row) {
      const fresh = row.token === null ? undefined : box.reseal(row.token, sealContext(row.id))
      return fresh === undefined ? [] : [{ row, fresh }]
    },
    how,
    async write(changes) {
      for (const { row, fresh } of changes) await writeResealed(db, row, fresh)
    },
  })
}
