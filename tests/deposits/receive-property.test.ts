// Recording and settling compared with a model: any reports of providers, in any order and any number.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DepositStatus, ReceiveCommand } from '#deposits/deposit.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { Oracle, type OracleAccount } from './oracle.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { ctx } = room
const invariants = [...ledgerInvariants, ...depositInvariants]
const minuteMs = 60_000

const statuses = fc.constantFrom<DepositStatus>('PENDING', 'SUCCESSFUL', 'FAILED', 'SUCCESSFUL')

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('hear' as const),
      id: fc.nat(14),
      account: fc.nat(4),
      change: fc.constantFrom(0, 0, 0, 0, -1, 1),
      status: statuses,
      agoMs: fc.constantFrom(0, 0, 1, 3 * minuteMs, -5_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const), id: fc.nat(14), status: statuses }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, minuteMs, 4 * minuteMs) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

type Row = {
  id: string
  provider_id: string
  account_number: string
  paid_at: Date
  amount: string
  status: string
  return_reason: string | null
  ordinal: string
}

async function play(steps: Step[]): Promise<void> {
  const tenant = await room.newTenant()
  const expiresAtMs = ctx.clock.now() + 5 * minuteMs
  const accounts: OracleAccount[] = [
    { number: await room.openStatic(tenant) },
    { number: await room.openStatic(tenant) },
    { number: await room.openDynamic(tenant, 5_000, 'exact', 5), waitsFor: { amount: 5_000, any: false, expiresAtMs } },
    {
      number: await room.openDynamic(tenant, 4_000_000, 'exact', 5),
      waitsFor: { amount: 4_000_000, any: false, expiresAtMs },
    },
    { number: await room.openDynamic(tenant, 5_000, 'any', 5), waitsFor: { amount: 5_000, any: true, expiresAtMs } },
  ]
  const openedAtMs = ctx.clock.now()
  const oracle = new Oracle(accounts)
  // Each run has notices of its own, because a notice belongs to one business.
  const nameOf = (id: number): string => `N-${id} ${tenant.id}`
  const lane = room.lanes.of(tenant.lane)
  let waiting: { told: Promise<string>; foretold: string }[] = []
  const flush = async (): Promise<void> => {
    const batch = waiting.splice(0)
    expect(await Promise.all(batch.map(({ told }) => told))).toEqual(batch.map(({ foretold }) => foretold))
  }
  const submit = (command: ReceiveCommand, foretold: string): void => {
    waiting.push({ told: lane.submit(room.receiving, command).then(({ kind }) => kind), foretold })
  }
  for (const one of steps) {
    // Steps other than reports run between batches, so that the model knows the order.
    if (one.kind !== 'hear') await flush()
    if (one.kind === 'wait') ctx.clock.advance(one.ms)
    if (one.kind === 'expire') await room.accounts.expire(tenant.lane)
    if (one.kind === 'close' && accounts[1] !== undefined && accounts[1].closedAtMs === undefined) {
      await room.accounts.close(tenant, accounts[1].number)
      accounts[1].closedAtMs = ctx.clock.now()
    }
    if (one.kind === 'settle') {
      const [row] = await asOwner<Row>(database, 'select * from deposit where tenant_id = $1 and provider_id = $2', [
        tenant.id,
        nameOf(one.id),
      ])
      if (row === undefined) continue
      const deposit = { id: row.id as never, accountNumber: row.account_number, paidAt: row.paid_at }
      submit({ kind: 'settle', tenant, deposit, status: one.status }, oracle.settle(nameOf(one.id), one.status))
    }
    if (one.kind === 'hear') {
      const account = accounts[one.account]
      if (account === undefined) throw new Error('no such account')
      const amount = (account.waitsFor?.amount ?? 700) + one.change
      const occurredAtMs = Math.max(ctx.clock.now() - one.agoMs, openedAtMs)
      const paidAtMs = Math.min(occurredAtMs, ctx.clock.now())
      const word = {
        id: nameOf(one.id),
        account: account.number,
        amount,
        status: one.status,
        paidAtMs,
      }
      const notice = room.owned({
        providerId: word.id,
        accountNumber: account.number,
        amount,
        status: one.status,
        occurredAtMs,
      })
      submit({ kind: 'notice', tenant, notice }, oracle.hear(word))
    }
  }
  await flush()

  const rows = await asOwner<Row>(database, 'select * from deposit where tenant_id = $1 order by ordinal', [tenant.id])
  expect(rows.map(({ ordinal }) => ordinal)).toEqual(rows.map((_, index) => String(index + 1)))
  const told = [...oracle.deposits.values()].map(({ id, account, amount, status, reason }) => [
    id,
    account,
    String(amount),
    status,
    reason,
  ])
  expect(rows.map((row) => [row.provider_id, row.account_number, row.amount, row.status, row.return_reason])).toEqual(
    told,
  )
  expect(await balancesOf(ctx.db, tenant)).toMatchObject({ available: BigInt(oracle.credited), reserved: 0n })
  const events = await asOwner<{ event: string }>(
    database,
    `select e.name || ' ' || d.provider_id as event from event e join deposit d on d.lane = e.lane and d.id = e.source_id where e.tenant_id = $1`,
    [tenant.id],
  )
  expect(events.map(({ event }) => event).toSorted()).toEqual(oracle.events.toSorted())
  await room.accounts.expire(tenant.lane)
  for (const { number, waitsFor, closedAtMs, completed } of accounts) {
    const due = waitsFor !== undefined && ctx.clock.now() >= waitsFor.expiresAtMs
    const status = completed === true ? 'COMPLETED' : closedAtMs !== undefined ? 'CLOSED' : due ? 'EXPIRED' : 'ACTIVE'
    expect((await room.accounts.read(tenant, number))?.status).toBe(status)
  }
}

describe('whatever providers say', () => {
  it('deposits, balance, events, accounts and ledger are what the oracle says', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), play), { numRuns: 60 })
    for (const rowsPerPage of [7, 20_000]) expect(await verifyLedger(ctx, { invariants, rowsPerPage })).toEqual([])
  })
})
