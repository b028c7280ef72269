// Earlier payouts to an account, found by the search index, so that approvers are shown how a payout differs from them.
// payments/accept.ts (`unconfirmedTwin`) refuses a payout that repeats one of the last day.

import { paymentKindOf } from '#payouts/cells.ts'
import { payeeKey, type EarlierPayout, type FindEarlierPayouts } from '#payouts/draft-rows.ts'
import type { Context } from '#platform/context.ts'
import { arraysOf, statement } from '#platform/db/db.ts'

/**
 * How many of the latest payments to a number are read. Those that failed or went to another bank are then left out.
 */
const perAccountMax = 10
const payeesPerQuery = 500

// Compares the bank and the number of each payment too, because search_term has no banks, and an erasure may have
// removed the number from the payment.
const selectEarlier = statement(
  'reporting.earlier_payouts',
  `select v.institution, v.account_number as "accountNumber", p.reference, p.amount, p.account_name as "accountName",
     p.created_at as at
     from unnest($3::text[], $4::text[], $5::text[]) as v (kind, institution, account_number)
    cross join lateral (
      select ordinal from search_term
       where lane = $1 and tenant_id = $2 and term = v.account_number and kind = v.kind
       order by ordinal desc limit ${perAccountMax}) as f
    cross join lateral (
      select * from payment
       where lane = $1 and tenant_id = $2 and kind = v.kind and ordinal > 0 and ordinal = f.ordinal
       order by ordinal limit 1) as p
    where p.status in ('queued', 'SUCCESS') and coalesce(p.account_number, p.phone_number) = v.account_number
      and coalesce(p.bank_slug, p.operator) = v.institution
    order by p.created_at desc`,
)

type EarlierRow = EarlierPayout & { institution: string; accountNumber: string }

export function createFindEarlierPayouts({ db }: Pick<Context, 'db'>): FindEarlierPayouts {
  return async ({ lane, id }, payees) => {
    const found = new Map<string, EarlierPayout[]>()
    const asked = [...new Map(payees.map((payee) => [payeeKey(payee), payee])).values()]
    for (let from = 0; from < asked.length; from += payeesPerQuery) {
      const some = asked.slice(from, from + payeesPerQuery).map(({ kind, institution, accountNumber }) => ({
        kind: paymentKindOf(kind),
        institution,
        accountNumber,
      }))
      const values = [lane, id, ...arraysOf(some, 'kind', 'institution', 'accountNumber')]
      for (const { institution, accountNumber, ...payout } of await db.query<EarlierRow>(selectEarlier, values)) {
        const key = payeeKey({ institution, accountNumber })
        found.set(key, [...(found.get(key) ?? []), payout])
      }
    }
    return found
  }
}
