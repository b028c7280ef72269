// Changes the key under which the BVNs of customers are sealed, a few at a time, beside the service.

import type { InLane } from '#base/db.ts'
import { firstUuid } from '#base/ids.ts'
import { resealPages, type ResealMode } from '#base/reseal.ts'
import type { SecretBox } from '#base/secret.ts'
import { bvnContext } from './create.ts'
import { findSealed, writeResealed } from './sql-reseal.ts'

const rowsPerPage = 1_000

/** Walks a lane; resolves with how many were not sealed with the key of now. */
export function resealCustomers(db: InLane, box: SecretBox, how: ResealMode): Promise<number> {
  return resealPages({
    first: { tenantId: firstUuid, reference: '' },
    rowsPerPage,
    read: (after, limit) => findSealed(db, after, limit),
    changesOf: ({ bvn, ...row }) => {
      const fresh = bvn === null ? undefined : box.reseal(bvn, bvnContext(row.id))
      return bvn === null || fresh === undefined ? [] : [{ ...row, bvn, fresh }]
    },
    how,
    write: (changes) => writeResealed(db, changes),
  })
}
