// Changes the key under which the secrets of subscriptions are sealed, a few at a time, beside the service.

import type { InLane } from '#base/db.ts'
import { firstUuid } from '#base/ids.ts'
import { resealPages, type ResealMode } from '#base/reseal.ts'
import type { SecretBox } from '#base/secret.ts'
import { secretContext } from '#events/receiver.ts'
import { findSealed, writeResealed, type ResealedSecrets, type SealedSecrets } from './sql-reseal.ts'

const rowsPerPage = 500

/** Walks a lane; resolves with how many were not sealed with the key of now. */
export function resealSubscriptions(db: InLane, box: SecretBox, how: ResealMode): Promise<number> {
  return resealPages({
    first: { tenantId: firstUuid, id: firstUuid },
    rowsPerPage,
    read: (after, limit) => findSealed(db, after, limit),
    changesOf: (row) => resealed(row, box),
    how,
    write: (changes) => writeResealed(db, changes),
  })
}

function resealed(row: SealedSecrets, box: SecretBox): ResealedSecrets[] {
  const context = secretContext(row.id)
  const secret = box.reseal(row.secret, context)
  const oldSecret = row.oldSecret === null ? undefined : box.reseal(row.oldSecret, context)
  if (secret === undefined && oldSecret === undefined) return []
  return [{ ...row, freshSecret: secret ?? row.secret, freshOldSecret: oldSecret ?? row.oldSecret }]
}
