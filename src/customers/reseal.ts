// Changes the key under which the BVNs of customers are sealed, a few at a time, beside the service.

import type { InLane } from '#base/db.ts'
import { firstUuid } from '#base/ids.ts'
import type { SecretBox } from '#base/secret.ts'
import { bvnContext } from './create.ts'
import { findSealed, writeResealed } from './sql-reseal.ts'

const rowsPerBatch = 1_000

/** Walks a lane; resolves with how many were not sealed with the key of now. `write`: changes them. */
export async function resealCustomers(db: InLane, box: SecretBox, write: boolean): Promise<number> {
  let after = { tenantId: firstUuid, reference: '' }
  let found = 0
  for (;;) {
    const rows = await findSealed(db, after, rowsPerBatch)
    const changes = rows.flatMap(({ bvn, ...row }) => {
      const fresh = bvn === null ? undefined : box.reseal(bvn, bvnContext(row.id))
      return bvn === null || fresh === undefined ? [] : [{ ...row, bvn, fresh }]
    })
    found += changes.length
    if (write && changes.length > 0) await writeResealed(db, changes)
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerBatch) return found
    after = last
  }
}
