import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney, type Money } from '#platform/money.ts'
import { acceptOperation, type AcceptCommand, type AcceptOutcome } from '#payments/accept.ts'
import { setLimits } from '#payments/limits.ts'
import { pausePayouts } from '#payments/brakes.ts'
import type { BankTransferRequest } from '#payments/payment.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { commandFor, createTenant, requestOf, rowOf, startProcess, type Process } from './process.ts'
import { newReference } from './requests.ts'

const database = await useTestDatabase()
let clock: FakeClock
let process: Process
let tenant: Tenant

beforeEach(async () => {
  clock = createFakeClock()
  process = startProcess({ database, clock })
  tenant = await createTenant(process, 'production', 1_000_000n)
})

function commandOf(changes: Partial<BankTransferRequest> = {}, more: Partial<AcceptCommand> = {}): AcceptCommand {
  return commandFor(tenant, requestOf(changes), { fee: toMoney(1_000), ...more })
}

function collectionOf(amount: Money): AcceptCommand {
  const { reference, currency, narration, metadata } = requestOf()
  const payer = { phoneNumber: '+2348000000008', operator: 'mtn-momo', customerName: null }
  const how = { kind: 'momo_collection' as const, approval: { kind: 'handset' as const } }
  return { ...commandOf(), draft: { reference, amount, currency, narration, metadata, ...payer, ...how } }
}

function renamed(command: AcceptCommand): AcceptCommand {
  return { ...command, draft: { ...command.draft, reference: newReference() } }
}

const accept = (commands: AcceptCommand[], by: Process = process): Promise<AcceptOutcome[]> => {
  const accepting = acceptOperation(by.ctx)
  return Promise.all(commands.map((command) => by.lanes.of(tenant.lane).submit(accepting, command)))
}

describe('when several things are wrong', () => {
  it('the first of reference, bank, rail and balance answers', async () => {
    const [first] = await accept([commandOf({ reference: 'R-1' })])
    expect(first?.kind).toBe('accepted')
    const all = { bankSlug: 'no-such-bank', amount: toMoney(9_000_000) }
    const noRail = { rail: { kind: 'missing', why: 'no rail is configured. Missing setting: RAILS_FILE' } as const }
    const outcomes = await accept([
      commandOf({ reference: 'R-1' }, { ...noRail, payeeIsKnown: false }),
      commandOf({ reference: 'R-1', ...all }, noRail),
      commandOf(all, noRail),
      commandOf({ amount: all.amount }, noRail),
      commandOf({}, noRail),
      commandOf({ amount: all.amount }),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'replayed',
      'differs',
      'unknown-bank',
      'missing-rail',
      'missing-rail',
      'insufficient-balance',
    ])
    expect(outcomes[1]).toMatchObject({ field: 'amount' })
    expect(outcomes[3]).toEqual({ kind: 'missing-rail', why: 'no rail is configured. Missing setting: RAILS_FILE' })
    expect(outcomes[5]).toEqual({
      kind: 'insufficient-balance',
      required: 9_001_000n,
      available: 899_000n,
      currency: 'NGN',
    })
  })
})

describe('one batch', () => {
  it('serves in the order of asking until the money is gone, and what costs less may still pass', async () => {
    const outcomes = await accept(
      [400_000n, 500_000n, 200_000n, 90_000n, 1n].map((amount) => commandOf({ amount: toMoney(amount) })),
    )
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'accepted',
      'accepted',
      'insufficient-balance',
      'accepted',
      'accepted',
    ])
  })

  it('that also asks for money is held to limits and pauses where money goes out, and nowhere else', async () => {
    const amounts = [1_000, 1_001]
    const batch = amounts.map(toMoney).flatMap((amount) => [collectionOf(amount), commandOf({ amount })])
    const outcomes = async () => (await accept(batch.map(renamed))).map(({ kind }) => kind)
    await setLimits(process.ctx, tenant, { perPayment: toMoney(1_000) })
    expect(await outcomes()).toEqual(['accepted', 'accepted', 'accepted', 'over-limit'])
    onTestFinished(async () => void (await asOwner(database, 'truncate brake')))
    await pausePayouts(process.ctx, { environment: 'production' })
    expect(await outcomes()).toEqual(['accepted', 'paused', 'accepted', 'paused'])
  })

  it('answers requests of one reference as if they came one after the other', async () => {
    const reference = 'SAME'
    const outcomes = await accept([
      commandOf({ reference, amount: toMoney(9_000_000) }),
      commandOf({ reference }),
      commandOf({ reference, accountName: 'OTHER' }),
      commandOf({ reference, accountNumber: '0000000001' }),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['insufficient-balance', 'accepted', 'replayed', 'differs'])
  })
})

describe('an accepted payment', () => {
  it('is dated in the order of its ordinal, whatever the clocks of two processes say', async () => {
    const behind = startProcess({ database, clock: createFakeClock(clock.now() - 3_600_000) })
    const references = ['A', 'B', 'C']
    for (const [index, reference] of references.entries()) {
      await accept([commandOf({ reference: `skewed-${reference}` })], index === 1 ? behind : process)
    }
    const rows = await asOwner<{ ordinal: string; created_at: Date; updated_at: Date }>(
      database,
      "select ordinal, created_at, updated_at from payment where reference like 'skewed-%' order by ordinal",
    )
    const times = rows.map(({ created_at: time }) => time.getTime())
    expect(times).toEqual(times.toSorted())
    expect(rows.map(({ ordinal }) => ordinal)).toEqual(['1', '2', '3'])
    const row = await rowOf(database, 'skewed-B')
    expect(row.updated_at).toEqual(row.created_at)
    // The clock of the accepting process decides when it is due.
    expect(row.due_at?.getTime()).toBe(clock.now() - 3_600_000)
  })

  it('is dated in the order of its ordinal also where no money moves with it', async () => {
    // The simulator serves staging, so that this collection has a rail.
    const staging = await createTenant(process, 'staging')
    const wallet = { phoneNumber: '+2348000000008', operator: undefined, customerName: null }
    const { amount, currency, narration, metadata } = requestOf()
    const aheadMs = 3_600_000
    for (const [index, skewMs] of [0, aheadMs, 0].entries()) {
      const skewed = createFakeClock(clock.now() + skewMs)
      const { payments } = startProcess({ database, clock: skewed, leasesNew: false })
      const asked = { reference: `collected-${index}`, amount, currency, narration, metadata, ...wallet }
      expect(await payments.collect(staging, asked)).toMatchObject({ kind: 'accepted' })
    }
    const rows = await asOwner<{ ordinal: string; created_at: Date }>(
      database,
      "select ordinal, created_at from payment where reference like 'collected-%' order by ordinal",
    )
    expect(rows.map(({ ordinal }) => ordinal)).toEqual(['1', '2', '3'])
    const times = rows.map(({ created_at: time }) => time.getTime() - clock.now())
    expect(times).toEqual([0, aheadMs, aheadMs])
  })

  it('is dated no earlier at each of its moves, either', async () => {
    const ahead = startProcess({ database, clock: createFakeClock(clock.now() + 3_600_000) })
    await accept([commandOf({ reference: 'moved' })])
    await ahead.payments.complete(tenant, 'moved', { kind: 'succeeded', sessionId: null })
    const succeeded = await rowOf(database, 'moved')
    await process.payments.complete(tenant, 'moved', { kind: 'reversed' })
    const reversed = await rowOf(database, 'moved')
    expect(reversed.status).toBe('REVERSED')
    expect(reversed.updated_at.getTime()).toBeGreaterThanOrEqual(succeeded.updated_at.getTime())
  })

  it('keeps text of every kind as it came', async () => {
    const request = requestOf({
      reference: 'text',
      accountName: '{"a",\\null} ’’ 🏦\t',
      narration: 'NULL',
      metadata: '{"k":"\\"v\\\\","":"{}"}',
    })
    await accept([commandOf(request)])
    const [row] = await asOwner<{ account_name: string; narration: string; metadata: string }>(
      database,
      "select account_name, narration, metadata from payment where reference = 'text'",
    )
    expect(row).toEqual({ account_name: request.accountName, narration: request.narration, metadata: request.metadata })
  })
})

describe('a batch that fails', () => {
  it('fails alone: its neighbours are accepted, and nothing of it remains', async () => {
    const stranger = { ...tenant, id: crypto.randomUUID() as Tenant['id'] }
    const accepting = acceptOperation(process.ctx)
    const commands = [commandOf(), commandOf({ reference: 'poison' }, { tenant: stranger }), commandOf()]
    const ends = await Promise.allSettled(
      commands.map((command) => process.lanes.of(tenant.lane).submit(accepting, command)),
    )
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await asOwner(database, "select 1 from payment where reference = 'poison'")).toEqual([])
  })
})
