// Re-encrypts the secrets of subscriptions with the current key, a few at a time while the service runs.

import { secretContext } from '#events/signature.ts'
import { arrayOf, arraysOf, statement, type InLane } from '#platform/db/db.ts'
import { type Uuid, firstUuid } from '#platform/ids.ts'
import { resealPages, type ResealMode, type SecretBox } from '#platform/secrets.ts'

type SealedSecrets = { tenantId: Uuid; id: Uuid; secret: Buffer; oldSecret: Buffer | null }

const sealedPage = statement(
  'webhooks.sealed',
  `select tenant_id as "tenantId", id, secret, old_secret as "oldSecret" from webhook_subscription
    where lane = $1 and (tenant_id, id) > ($2, $3) and secret is not null
    order by lane, tenant_id, id limit $4`,
)

function findSealed(db: InLane, after: { tenantId: Uuid; id: Uuid }, limit: number): Promise<SealedSecrets[]> {
  return db.query<SealedSecrets>(sealedPage, [db.lane, after.tenantId, after.id, limit])
}

type ResealedSecrets = SealedSecrets & { freshSecret: Buffer; freshOldSecret: Buffer | null }

// Skips rows that are locked or have changed since they were read. `secrets reseal` counts them afterwards and asks for
// another run.
const resealRows = statement(
  'webhooks.reseal',
  `with found as materialized (
     select s.ctid as row_place, k.fresh, k.fresh_old
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[])
         as k (tenant_id, id, secret, old, fresh, fresh_old)
       cross join lateral (
         select ctid, secret, old_secret from webhook_subscription
          where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1 for update skip locked) as s
      where s.secret = decode(k.secret, 'base64') and s.old_secret is not distinct from decode(k.old, 'base64'))
   update webhook_subscription s
      set secret = decode(found.fresh, 'base64'), old_secret = decode(found.fresh_old, 'base64')
     from found where s.lane = $1 and s.ctid = any(array(select row_place from found)) and s.ctid = found.row_place`,
)

async function writeResealed(db: InLane, rows: ResealedSecrets[]): Promise<void> {
  const base64 = (value: Buffer | null): string | null => value?.toString('base64') ?? null
  await db.query(resealRows, [
    db.lane,
    ...arraysOf(rows, 'tenantId', 'id'),
    arrayOf(rows, (row) => base64(row.secret)),
    arrayOf(rows, (row) => base64(row.oldSecret)),
    arrayOf(rows, (row) => base64(row.freshSecret)),
    arrayOf(rows, (row) => base64(row.freshOldSecret)),
  ])
}

const rowsPerPage = 500

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
