// Recording, settling and reading deposits on tables that grew from empty, without statistics and with old ones: an
// operation costs the rows that it touches, not the rows that the tables hold.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane, type Tx } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import type { Deposit, OwnedNotice, ReceiveCommand, ReceiveOutcome } from '#deposits/deposit.ts'
import { depositFees } from '#deposits/fees.ts'
import { listDeposits, type ListQuestion } from '#deposits/list.ts'
import { receiveOperation } from '#deposits/record.ts'
import { findDeposits } from '#deposits/queries.ts'
import { findOwners } from '#deposits/notice-claims.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTablesOfEachSort } from '#tests/support/no-statistics.ts'
import { asOwner } from '#tests/support/owner.ts'

const deposits = 12_000
const accounts = 300
const batchSize = 300
/** The most rows, of tables and indexes together, that one operation may read for a deposit. */
const rowsEach = 16

const sorts = await useTablesOfEachSort()

describe.each(sorts)('tables that are analysed when they are: $analysed', ({ database, db, are, expectRows }) => {
  const ctx = createTestContext(db)
  const receiving = receiveOperation({ ctx, fees: depositFees, events: createEventOutbox(ctx.clock) })
  let tenant: Tenant
  let middle: Date
  let made = 0
  let latest: Deposit[] = []

  const staticNumber = (index: number): string => String(3_000_000_000 + (index % accounts))
  const orderNumber = (index: number): string => String(4_000_000_000 + index)

  function noticeOf(changes: Partial<OwnedNotice> = {}): OwnedNotice {
    made += 1
    return {
      provider: 'bank',
      // Like the ids of real providers, these follow no order.
      providerId: `${(made * 7_919) % 1_000_003}-${made}`,
      accountNumber: staticNumber(made),
      amount: toMoney(5_000),
      currency: 'NGN',
      status: 'SUCCESSFUL',
      senderAccountName: 'CHIDI NWOSU',
      senderAccountNumber: '0123456789',
      senderBankName: 'Guaranty Trust Bank',
      narration: 'Invoice 881',
      occurredAtMs: ctx.clock.now(),
      ...changes,
    }
  }

  const hear = (notices: OwnedNotice[]): Promise<Deposit[]> =>
    run(notices.map((notice) => ({ kind: 'notice', tenant, notice })))

  async function run(commands: ReceiveCommand[]): Promise<Deposit[]> {
    const outcomes: ReceiveOutcome[] = await db.transaction((tx) => receiving.run(tx, commands), tenant.lane)
    return outcomes.map((outcome) => {
      if ('deposit' in outcome) return outcome.deposit
      throw new Error(outcome.kind)
    })
  }

  const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

  const accountsSql = `
    insert into virtual_account (lane, tenant_id, account_number, id, ordinal, type, reference, account_name, bank_name,
      bank_slug, currency, status, amount, amount_policy, expires_at, due_at, customer_id, customer_reference, created_at,
      updated_at)
    select $1, $2, (case when n < $3 then 3000000000 else 4000000000 - $3 end + n)::text, gen_random_uuid(), n + 1,
           case when n < $3 then 'static' else 'dynamic' end, case when n < $3 then 'CUS-' || n end, 'ADA OBI',
           'Wema Bank', 'wema-bank', 'NGN', 'ACTIVE', case when n >= $3 then 5000 end, case when n >= $3 then 'exact' end,
           case when n >= $3 then $4::timestamptz end, case when n >= $3 then $4 end,
           case when n < $3 then gen_random_uuid() end, case when n < $3 then 'CUS-' || n end, 'epoch', 'epoch'
      from generate_series(0, 2 * $3::bigint - 1) as n`

  beforeAll(async () => {
    tenant = (await createBusiness(ctx, 'Growing')).tenants.staging
    await asOwner(database, accountsSql, [tenant.lane, tenant.id, accounts, new Date(ctx.clock.now() + 86_400_000)])
    while (made < deposits) {
      ctx.clock.advance(1_000)
      if (made === batchSize) await are('young')
      if (made === deposits / 2) middle = new Date(ctx.clock.now())
      latest = await hear(times(batchSize, () => noticeOf()))
    }
    await are('grown')
  })

  describe('a batch reads what it touches', () => {
    it('when it records', async () => {
      await expectRows(batchSize * rowsEach, async () => {
        const recorded = await hear(times(batchSize, () => noticeOf()))
        expect(new Set(recorded.map(({ status }) => status))).toEqual(new Set(['SUCCESSFUL']))
      })
    })

    it('when it gets reports that it knows', async () => {
      const notices = times(batchSize, () => noticeOf())
      const recorded = await hear(notices)
      await expectRows(batchSize * rowsEach, async () => {
        expect(await hear(notices)).toEqual(recorded)
      })
    })

    it('when it looks up the owners of notices', async () => {
      const notices = times(batchSize, () => noticeOf())
      await hear(notices)
      await expectRows(batchSize * rowsEach, async () => {
        const find = (tx: Tx) =>
          findOwners(
            tx,
            notices.map((notice) => ({ tenant, notice })),
          )
        expect((await db.transaction(find, tenant.lane)).size).toBe(batchSize)
      })
    })

    it('when it settles', async () => {
      const pending = await hear(times(batchSize, () => noticeOf({ status: 'PENDING' })))
      const settle = pending.map((deposit) => ({
        kind: 'settle' as const,
        tenant,
        deposit,
        status: 'SUCCESSFUL' as const,
      }))
      await expectRows(batchSize * rowsEach, async () => {
        const settled = await run(settle)
        expect(settled.map(({ id, status }) => `${id} ${status}`)).toEqual(pending.map(({ id }) => `${id} SUCCESSFUL`))
      })
    })

    it('when it completes what orders wait for', async () => {
      await expectRows(accounts * rowsEach, () =>
        hear(times(accounts, (index) => noticeOf({ accountNumber: orderNumber(index) }))),
      )
      const [row] = await asOwner<{ count: string }>(
        database,
        `select count(*) from virtual_account where status = 'COMPLETED'`,
      )
      expect(Number(row?.count)).toBe(accounts)
    })

    it('when it is asked for single deposits, those that exist and those that do not', async () => {
      const keys = latest.flatMap(({ id }) => [
        { tenantId: tenant.id, id },
        { tenantId: tenant.id, id: newUuid(ctx.clock.now()) },
      ])
      await expectRows(keys.length * rowsEach, async () => {
        expect(await findDeposits(inLane(db, tenant.lane), keys)).toEqual(latest)
      })
    })
  })

  describe('a page reads a page', () => {
    const limit = 20
    const lists: [string, (total: number) => Omit<ListQuestion, 'limit'>][] = [
      ['the first', () => ({ page: 1 })],
      ['one from the middle', (total) => ({ page: Math.floor(total / limit / 2) })],
      ['the last', (total) => ({ page: Math.ceil(total / limit) })],
      ['the first of a range of time', () => ({ page: 1, from: middle })],
      ['a deep one of a range of time', () => ({ page: 100, from: new Date(0), before: new Date('2030-01-01') })],
      ['the first of a status', () => ({ page: 1, status: 'SUCCESSFUL' })],
      ['one of a status that nobody has', () => ({ page: 1, status: 'FAILED' })],
      ['the first of an account', () => ({ page: 1, accountNumber: staticNumber(7) })],
      ['the last of an account', () => ({ page: 2, accountNumber: staticNumber(7) })],
      ['the first of a customer', () => ({ page: 1, customerReference: 'CUS-7' })],
      ['the first of a customer and a status', () => ({ page: 1, customerReference: 'CUS-7', status: 'SUCCESSFUL' })],
    ]

    it.each(lists)('%s', async (_which, question) => {
      const { total } = await listDeposits(ctx, tenant, { page: 1, limit })
      // A page, its count, the sum that the account or customer has received (some 40 deposits), the search for times,
      // and the dead rows that settling has left in the index of unsettled deposits until a vacuum.
      await expectRows(2_000, async () => {
        const page = await listDeposits(ctx, tenant, { ...question(total), limit })
        expect(page.deposits.length).toBe(Math.min(limit, page.total))
      })
    })
  })
})
