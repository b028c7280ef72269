// Changes the key under which the secrets of subscriptions are sealed, a few at a time, beside the service.

import type { InLane } from '#base/db.ts'
import { firstUuid } from '#base/ids.ts'
import type { SecretBox } from '#base/secret.ts'
import { secretContext } from '#events/receiver.ts'
import { findSealed, writeResealed, type ResealedSecrets, type SealedSecrets } from './sql-reseal.ts'

const rowsPerBatch = 500

/** Walks a lane; resolves with how many were not sealed with the key of now. `write`: changes them. */
export async function resealSubscriptions(db: InLane, box: SecretBox, write: boolean): Promise<number> {
  let after = { tenantId: firstUuid, id: firstUuid }
  let found = 0
  for (;;) {
    const rows = await findSealed(db, after, rowsPerBatch)
    const changes = rows.flatMap((row) => resealed(row, box))
    found += changes.length
    if (write && changes.length > 0) await writeResealed(db, changes)
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerBatch) return found
    after = last
  }
}

function resealed(row: SealedSecrets, box: SecretBox): ResealedSecrets[] {
  const context = secretContext(row.id)
  const secret = box.reseal(row.secret, context)
  const oldSecret = row.oldSecret === null ? undefined : box.reseal(row.oldSecret, context)
  if (secret === undefined && oldSecret === undefined) return []
  return [{ ...row, freshSecret: secret ?? row.secret, freshOldSecret: oldSecret ?? row.oldSecret }]
}
