// The lock of a tenant: that of its ledger accounts. Everything of a tenant is numbered and decided under it, by whatever
// process. What is read after the lock statement has left sees all that others committed for these tenants, so reading
// under the lock costs no round trip of its own.

import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { bookOf } from './post.ts'

/** Locks the tenants and resolves with what `read` found under the lock. */
export async function withTenants<T>(
  tx: Tx,
  tenantIds: Iterable<Uuid>,
  read: (tenantIds: Uuid[]) => Promise<T> | T,
): Promise<T> {
  const ids = [...new Set(tenantIds)]
  const locks = bookOf(tx).lock(ids)
  await locks.sent
  const [found] = await Promise.all([read(ids), locks.done])
  return found
}
