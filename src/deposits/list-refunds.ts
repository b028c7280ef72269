// Refunds, as whoever runs the service sees them: those that are not with their payers yet, and the one of a deposit.

import type { Context, Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { parseDepositReference, type Deposit } from './deposit.ts'
import { findAllRefunds, findOpenRefunds, findRefund, type ListedRefund } from './sql-refunds.ts'
import { findDeposits } from './sql.ts'

export type { ListedRefund } from './sql-refunds.ts'

/** A page for a person; what stands behind it shows when some are done. */
const listedMax = 200

/** Of these lanes, the oldest of each first. */
export async function listOpenRefunds({ db }: Context, lanes: number[]): Promise<ListedRefund[]> {
  const found: ListedRefund[] = []
  for (const lane of lanes) found.push(...(await findOpenRefunds(inLane(db, lane), listedMax)))
  return found.toSorted((left, right) => left.createdAt.getTime() - right.createdAt.getTime()).slice(0, listedMax)
}

/** Also those that have ended, the newest of these lanes first. */
export async function listAllRefunds({ db }: Context, lanes: number[]): Promise<ListedRefund[]> {
  const found: ListedRefund[] = []
  for (const lane of lanes) found.push(...(await findAllRefunds(inLane(db, lane), listedMax)))
  return found.toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime()).slice(0, listedMax)
}

/** `refund`: undefined when its money does not go back, or was marked by a version that did not send any. */
export async function readWithRefund(
  { db }: Context,
  tenant: Tenant,
  reference: string,
): Promise<{ deposit: Deposit; refund: ListedRefund | undefined } | undefined> {
  const id = parseDepositReference(reference)
  if (id === undefined) return undefined
  const [lane, key] = [inLane(db, tenant.lane), { tenantId: tenant.id, id }]
  const [[deposit], refund] = await Promise.all([findDeposits(lane, [key]), findRefund(lane, key)])
  return deposit === undefined ? undefined : { deposit, refund }
}
