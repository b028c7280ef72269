// Refuses a payout that a person may have sent twice by form: from two tabs, or again because the first one is still
// queued. A payout with the same amount and account as another one of the last day is refused, unless the person
// confirms that other payout by its reference. This is decided under the tenant's lock, so only one of two tabs
// succeeds, and a confirmation is valid for one payout.

import { present } from '#platform/assert.ts'
import type { Tenant } from '#platform/context.ts'
import { arraysOf, statement, type InLane } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import type { Draft, Payment } from './payment.ts'
import { paymentColumns, paymentOf, type NewPayment } from './queries.ts'

/** `confirmed`: the reference of the earlier payout that the person confirmed; null if the person saw none. */
export type TwinAnswer = { confirmed: string | null }

/** `twins` undefined: the request has an API key, and its payment is not checked. */
type CheckedCommand = { tenant: Tenant; draft: Draft; twins?: TwinAnswer | undefined }

/**
 * Returns the payout that the person must confirm first, if there is one: the latest among those accepted in this batch,
 * or else the one that `findTwins` found.
 */
export function unconfirmedTwin<Asked extends CheckedCommand>(
  { twins, accepted }: { twins: ReadonlyMap<Asked, Payment>; accepted: readonly NewPayment[] },
  command: Asked,
): Payment | undefined {
  if (command.twins === undefined) return undefined
  const here = accepted.findLast(
    ({ payment }) => payment.tenantId === command.tenant.id && isTwin(payment, command.draft),
  )
  const twin = here?.payment ?? twins.get(command)
  return twin?.reference === command.twins.confirmed ? undefined : twin
}

const twinMs = dayMs
/**
 * An earlier payout is searched among this many of the tenant's latest payouts of one kind: more than people enter by
 * form in a day.
 */
const payoutsSearchedMax = 20_000

// Scans the latest payouts once for all commands of a batch, because a bulk request of a person has up to 1 000. One
// scan for each command kept the lane busy for 36 s; one scan for all takes 0.2 s. Payouts and commands are grouped
// instead of joined, because a planner without statistics would compare each payout with each command (7 s).
const findLatest = statement(
  'payments.twin',
  `with latest as materialized (
     select max(ordinal) as ordinal, array_agg(place) filter (where place is not null) as places
       from (
         select amount, coalesce(account_number, phone_number) as account, bank_slug, account_reference, ordinal,
                case when bank_slug is null and account_number is not null then operator end as business, null::int as place
           from (select * from payment where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > 0
                  order by ordinal desc limit ${payoutsSearchedMax}) as p
          where created_at > $4 and status in ('queued', 'SUCCESS')
          union all
         select amount, account, bank, reference, null, business, place
           from unnest($5::int[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
             as k (place, amount, account, bank, business, reference)) as either
      group by amount, account, bank_slug, account_reference, business
     having count(ordinal) > 0 and count(place) > 0)
   select unnest(places) as place, ${paymentColumns}
     from latest cross join lateral (
       select * from payment where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > 0 and ordinal = latest.ordinal
        limit 1) as p`,
)

/** Returns the latest earlier payout with the same amount and account, by command. */
export async function findTwins<Asked extends CheckedCommand>(
  db: InLane,
  commands: readonly Asked[],
  nowMs: number,
): Promise<Map<Asked, Payment>> {
  const twins = new Map<Asked, Payment>()
  const asked = commands.flatMap((command, place) => {
    const { tenant, draft } = command
    const payee = command.twins === undefined ? undefined : payeeOf(draft)
    return payee === undefined ? [] : [{ ...payee, place, tenantId: tenant.id, kind: draft.kind, amount: draft.amount }]
  })
  for (const ofList of Map.groupBy(asked, ({ tenantId, kind }) => `${tenantId} ${kind}`).values()) {
    const [{ tenantId, kind }] = ofList as [(typeof ofList)[number]]
    const payees = arraysOf(ofList, 'place', 'amount', 'account', 'bank', 'business', 'reference')
    const values = [db.lane, tenantId, kind, new Date(nowMs - twinMs), ...payees]
    for (const { place, ...row } of await db.query<Payment & { place: number }>(findLatest, values)) {
      const command = present(commands[place], 'the row has the place of its command')
      twins.set(command, paymentOf(row))
    }
  }
  return twins
}

function isTwin(one: Draft | Payment, other: Draft | Payment): boolean {
  const [a, b] = [payeeOf(one), payeeOf(other)]
  if (a === undefined || b === undefined || one.amount !== other.amount) return false
  return a.account === b.account && a.bank === b.bank && a.business === b.business && a.reference === b.reference
}

/**
 * `business`: the operator of a till or paybill, because two operators may give out the same number. Null for phone
 * numbers, because people keep them when they change their operator.
 */
type Payee = { account: string; bank: string | null; business: string | null; reference: string | null }

function payeeOf(payout: Draft | Payment): Payee | undefined {
  switch (payout.kind) {
    case 'bank_transfer':
      return { account: payout.accountNumber, bank: payout.bankSlug, business: null, reference: null }
    case 'momo_transfer': {
      const { phoneNumber, accountNumber, accountReference: reference, operator } = payout
      const business = accountNumber === null ? null : operator
      return { account: accountNumber ?? phoneNumber ?? '', bank: null, business, reference }
    }
    case 'momo_collection':
      return undefined
  }
}
