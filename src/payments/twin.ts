// A person who sends a payout from a form may send it twice: from two tabs, or again because the first one has not ended. So a payout
// of the same amount to the same account within a day is refused, unless the person names the one that it is like. It is
// decided under the tenant's lock, so of two tabs one is refused, and each confirmation is good for one payout.

import { statement, type InLane } from '#base/db.ts'
import { dayMs } from '#base/durations.ts'
import type { AcceptCommand } from './accept.ts'
import type { Draft, Payment } from './payment.ts'
import { paymentColumns, paymentOf } from './sql-rows.ts'

/** The reference of the payout that the person was shown, and confirmed that theirs is like. Null: they have not been asked. */
export type TwinAnswer = { confirmed: string | null }

const twinMs = dayMs
/** Among so many of the latest payouts of the tenant a twin is looked for: more than a day has, where people fill in forms. */
const payoutsSearchedMax = 20_000

const findLatest = statement(
  'payments.twin',
  `select ${paymentColumns} from (
     select * from payment where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > 0
      order by ordinal desc limit ${payoutsSearchedMax}) p
    where p.created_at > $4 and p.amount = $5 and p.status in ('queued', 'SUCCESS')
      and coalesce(p.account_number, p.phone_number) = $6 and p.bank_slug is not distinct from $7
    order by p.ordinal desc limit 1`,
)

/** The latest payout that a command of a person is like, where it is not the one that they confirmed. */
export async function findTwin(
  db: InLane,
  { tenant, draft, twins }: Pick<AcceptCommand, 'tenant' | 'draft' | 'twins'>,
  nowMs: number,
): Promise<Payment | undefined> {
  const payee = payeeOf(draft)
  if (twins === undefined || payee === undefined) return undefined
  const since = new Date(nowMs - twinMs)
  const values = [db.lane, tenant.id, draft.kind, since, draft.amount, payee.account, payee.bank]
  const [row] = await db.query<Payment>(findLatest, values)
  return row === undefined ? undefined : paymentOf(row)
}

export function isTwin(one: Draft | Payment, other: Draft | Payment): boolean {
  const [a, b] = [payeeOf(one), payeeOf(other)]
  return one.amount === other.amount && a !== undefined && a.account === b?.account && a.bank === b.bank
}

function payeeOf(payout: Draft | Payment): { account: string; bank: string | null } | undefined {
  switch (payout.kind) {
    case 'bank_transfer':
      return { account: payout.accountNumber, bank: payout.bankSlug }
    case 'momo_transfer':
      return { account: payout.phoneNumber, bank: null }
    case 'momo_collection':
      return undefined
  }
}
