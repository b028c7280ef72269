// Reseals customers' BVNs with the current key, a few at a time, while the service runs.

import { arrayOf, arraysOf, statement, type InLane } from '#platform/db/db.ts'
import { type Uuid, firstUuid } from '#platform/ids.ts'
import { resealPages, type ResealMode, type SecretBox } from '#platform/secrets.ts'
import { bvnContext } from './customers.ts'

type SealedBvn = { tenantId: Uuid; reference: string; id: Uuid; bvn: Buffer | null }

// Reads customers without a BVN as well: a page that skipped them could read a million rows to fill itself.
const sealedPage = statement(
  'customers.sealed',
  `select tenant_id as "tenantId", reference, id, bvn from customer
    where lane = $1 and (tenant_id, reference) > ($2, $3) order by lane, tenant_id, reference limit $4`,
)

function findSealed(db: InLane, after: { tenantId: Uuid; reference: string }, limit: number): Promise<SealedBvn[]> {
  return db.query<SealedBvn>(sealedPage, [db.lane, after.tenantId, after.reference, limit])
}

type ResealedBvn = SealedBvn & { bvn: Buffer; fresh: Buffer }

// Skips a row that another transaction changes or has locked; the next run finds it again.
const resealRows = statement(
  'customers.reseal',
  `with found as materialized (
     select c.ctid as row_place, k.fresh
       from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as k (tenant_id, reference, bvn, fresh)
       cross join lateral (
         select ctid, bvn from customer
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1 for update skip locked) as c
      where c.bvn = decode(k.bvn, 'base64'))
   update customer c set bvn = decode(found.fresh, 'base64')
     from found where c.lane = $1 and c.ctid = any(array(select row_place from found)) and c.ctid = found.row_place`,
)

async function writeResealed(db: InLane, rows: ResealedBvn[]): Promise<void> {
  await db.query(resealRows, [
    db.lane,
    ...arraysOf(rows, 'tenantId', 'reference'),
    arrayOf(rows, (row) => row.bvn.toString('base64')),
    arrayOf(rows, (row) => row.fresh.toString('base64')),
  ])
}

const rowsPerPage = 1_000

/** Processes a lane; resolves with how many BVNs were not sealed with the current key. */
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
