// Invariants of money after all work has ended, read from the rows: each query returns the rows that break its rule,
// with the numbers that contradict each other.

import { expect } from 'vitest'
import { asOwner } from '#tests/support/owner.ts'
import { manilla } from '#tests/cli/support.ts'
import { eventually } from '#tests/support/patience.ts'
import type { Load, Sent } from './load.ts'

type Database = { ownerUrl: string }

/** The opening balance of a currency on staging: a billion, in minor units. */
function openingOf(currency: string): number {
  return currency === 'XOF' ? 1_000_000_000 : 100_000_000_000
}

/**
 * Another process claims a payment of a dead process when its lease ends, a little more than ten seconds after its
 * acceptance.
 */
export async function untilAllHaveEnded(database: Database): Promise<void> {
  await eventually('the end of every payment', async () =>
    (await asOwner(database, 'select 1 from payment where completed_at is null limit 1')).length === 0
      ? true
      : undefined,
  )
}

/** Every payment of the load exists once and has ended as its account says, and there is no other payment. */
export async function expectMoneyMovedOnce(database: Database, load: Load): Promise<void> {
  const sent = [...load.sent.values()]
  const rows = await asOwner<{ shown: string }>(
    database,
    `select concat_ws(' ', reference, kind, currency, amount, fee, status) as shown from payment order by ordinal`,
  )
  const told = sent.map(({ kind, currency, payment, fee, ends }) =>
    [payment.reference, kind, currency, payment.amount, fee, ends].join(' '),
  )
  expect(rows.map(({ shown }) => shown).toSorted()).toEqual(told.toSorted())
  await expectBooksRight(database)
  const expected = [...Map.groupBy(sent, ({ currency }) => currency)].map(([currency, all]) => {
    const available = openingOf(currency) + all.reduce((sum, one) => sum + movedBy(one), 0)
    return { currency, available, reserved: 0, ledger: available }
  })
  const { body } = await load.client.get('/v1/balance')
  expect(body.data?.balances).toEqual(expected)
  const list = await load.client.get('/v1/transfers?limit=1')
  expect(list.body.meta?.pagination.total).toBe(sent.filter(({ kind }) => kind === 'bank_transfer').length)
}

function movedBy({ kind, payment, fee, ends }: Sent): number {
  if (ends === 'FAILED') return 0
  return kind === 'momo_collection' ? payment.amount - fee : -payment.amount - fee
}

/** Checks the invariants of any set of final payments. */
export async function expectBooksRight(database: Database): Promise<void> {
  for (const [rule, query] of Object.entries(brokenRules)) {
    expect({ [rule]: await asOwner(database, query) }).toEqual({ [rule]: [] })
  }
  // The service's own proof must agree.
  const verified = await manilla(['ledger', 'verify', '--json'], { env: { DATABASE_URL: database.ownerUrl } })
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, breaches: [] })
  expect(verified.code).toBe(0)
}

const brokenRules: Record<string, string> = {
  'a payout is held once and then paid or released once': `
    select p.reference, p.status, m.moved
      from payment p
      left join (select source_id, array_agg(kind || ' ' || debit || '>' || credit || ' ' || amount order by kind) as moved
                   from ledger_movement group by source_id) m on m.source_id = p.id
     where p.kind <> 'momo_collection' and m.moved is distinct from case p.status
       when 'SUCCESS' then array['hold available>reserved ' || p.amount + p.fee, 'payout reserved>rail ' || p.amount,
                                 'payout_fee reserved>fees ' || p.fee]
       when 'FAILED' then array['hold available>reserved ' || p.amount + p.fee, 'release reserved>available ' || p.amount + p.fee]
       else array['hold available>reserved ' || p.amount + p.fee] end
     limit 20`,
  'a collection that succeeded is one deposit of its currency, and no other is': `
    select p.reference, p.status, d.currency, m.moved
      from payment p
      left join deposit d on d.id = p.deposit_id
      left join (select source_id, array_agg(kind || ' ' || debit || '>' || credit || ' ' || amount order by kind) as moved
                   from ledger_movement group by source_id) m on m.source_id = p.deposit_id
     where p.kind = 'momo_collection' and (d.currency is distinct from case p.status when 'SUCCESS' then p.currency end
        or m.moved is distinct from case p.status when 'SUCCESS' then
             array['deposit rail>available ' || p.amount, 'deposit_fee available>fees ' || p.fee] end)
     limit 20`,
  'a movement belongs to a payout, a deposit or the opening, and has its currency': `
    select m.reference, m.kind, m.currency from ledger_movement m
      left join payment p on p.id = m.source_id and p.kind <> 'momo_collection' left join deposit d on d.id = m.source_id
     where coalesce(p.currency, d.currency, case m.kind when 'opening' then m.currency end) is distinct from m.currency limit 20`,
  'a deposit of mobile money belongs to a collection': `
    select d.id from deposit d left join payment p on p.deposit_id = d.id
     where d.provider = 'momo' and p.id is null limit 20`,
  'the totals of an account are the sums of its movements': `
    select a.tenant_id, a.name, a.debits, a.credits, a.movements, m.debits, m.credits, m.movements
      from ledger_account a
      left join lateral (
        select coalesce(sum(amount) filter (where debit = a.name), 0) as debits,
               coalesce(sum(amount) filter (where credit = a.name), 0) as credits, count(*) as movements
          from ledger_movement m
         where m.tenant_id = a.tenant_id and m.currency = a.currency and a.name in (m.debit, m.credit)) m on true
     where (a.debits, a.credits, a.movements) is distinct from (m.debits, m.credits, m.movements)`,
  'all accounts of a tenant in a currency sum to zero': `
    select tenant_id, currency, sum(credits - debits) from ledger_account
     group by tenant_id, currency having sum(credits - debits) <> 0`,
  'the entries of a statement are dense and follow from each other': `
    select * from (
      select tenant_id, entry, balance_after, row_number() over w as expected_entry,
             sum(case when credit = 'available' then amount else -amount end) over w as expected_balance
        from ledger_movement where entry is not null window w as (partition by tenant_id, currency order by entry)) s
     where entry <> expected_entry or balance_after <> expected_balance limit 20`,
  'the places in a list are dense': `
    select tenant_id, kind from payment group by tenant_id, kind having max(ordinal) <> count(*) or min(ordinal) <> 1`,
  'an ended payment has exactly one event, which says how it ended': `
    select p.reference, p.status, e.names
      from payment p
      left join (select source_id, array_agg(name || ' ' || (data::json ->> 'status')) as names from event group by source_id) e
        on e.source_id = p.id
     where e.names is distinct from
           array[case p.kind when 'bank_transfer' then 'transfer' else replace(p.kind, '_', '.') end
             || case p.status when 'SUCCESS' then '.success SUCCESS' else '.failed FAILED' end] limit 20`,
  'an event belongs to a payment': `
    select e.reference, e.name from event e left join payment p on p.id = e.source_id where p.id is null limit 20`,
}
