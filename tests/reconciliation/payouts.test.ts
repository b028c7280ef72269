// Payouts on a provider's list, compared with our payments.

import { describe, expect, it } from 'vitest'
import { askForDay, dayState, parseDay } from '#reconciliation/service.ts'
import { resumeRail } from '#payments/brakes.ts'
import { toMoney } from '#platform/money.ts'
import { untilStatus } from '#tests/payments/requests.ts'
import { ledgerLine, payoutLine } from '#tests/support/listing-rail.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'
import { hourMs, stops, useWorld } from './world.ts'

const world = useWorld()
const stranger = '11111111-1111-4111-8111-111111111111'

/** Makes a payout that its rail has paid and lists, and compares the two. */
async function payAndList() {
  const { reference, railReference } = await world.pay()
  const line = payoutLine({ reference: railReference, atMs: world.clock.now() })
  world.rail.lines.push(line)
  await world.near()
  return { reference, line }
}

it('rows that agree open nothing', async () => {
  const { rail, clock } = world
  const { railReference } = await world.pay()
  rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now() }))
  await world.near()
  expect(await world.open()).toEqual([])
  expect(await asOwner(world.database, 'select 1 from rail_line where due_at is not null')).toEqual([])
})

it('a payment whose notice never came ends by the list', async () => {
  const { rail, clock, service } = world
  const { reference, railReference } = await world.send()
  rail.payout.onStatus = () => succeeded
  rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now() }))
  await world.near()
  await untilStatus(service.staging, reference, 'SUCCESS')
  expect(await world.open()).toEqual([])
})

describe('unknown-payout', () => {
  it('stops the rail: accepted payouts wait, and go on when an operator resumes it', async () => {
    const { rail, clock, service, database } = world
    rail.lines.push(payoutLine({ reference: stranger, atMs: clock.now() }))
    await world.near()
    expect(await world.open()).toMatchObject([{ kind: 'unknown-payout', reference: stranger, amount: 150_000n }])
    expect(await stops(database)).toMatchObject([{ rail: 'acme', why: expect.stringContaining('unknown-payout') }])

    clock.advance(1_000)
    const before = rail.payout.asked.length
    const other = await world.start()
    const reference = 'WAITS-1'
    const body = {
      reference,
      amount: 1_000,
      bankSlug: 'guaranty-trust-bank',
      accountNumber: '0123456789',
      accountName: 'A',
    }
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    const heldUntil = async (): Promise<number> => {
      const [row] = await asOwner<{ due_at: Date }>(database, 'select due_at from payment where reference = $1', [
        reference,
      ])
      return row?.due_at.getTime() ?? 0
    }
    await untilHolds(async () => {
      clock.advance(1_000)
      expect(await heldUntil()).toBeGreaterThan(clock.now() + 5 * 60_000)
    })
    expect(rail.payout.asked).toHaveLength(before)
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).status).toBe('queued')

    rail.payout.onSubmit = () => succeeded
    expect(await resumeRail(service.ctx, [1], { environment: 'staging', rail: 'acme' })).toEqual({
      wasStopped: true,
      woken: 1,
    })
    rail.payout.onStatus = () => succeeded
    await untilHolds(async () => {
      // The record may outlive its lease on this clock; the service then asks about it once more.
      clock.advance(1_000)
      expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).status).toBe('SUCCESS')
    })
    expect(rail.payout.asked.length).toBeGreaterThan(before)
    await world.stop(other)
    const acts = await asOwner<{ act: string }>(
      database,
      "select act from audit_entry where act like 'rail.%' order by number",
    )
    expect(acts.map(({ act }) => act)).toEqual(['rail.stopped', 'rail.resumed'])
  })

  it('is also one whose reference a payment has that was never at this rail', async () => {
    const { rail, clock, database } = world
    const { reference, railReference } = await world.send()
    await asOwner(database, "update payment set rail = 'other', due_at = '2100-01-01' where reference = $1", [
      reference,
    ])
    rail.payout.onStatus = () => succeeded
    rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now() }))
    await world.near()
    expect(await world.open()).toMatchObject([{ kind: 'unknown-payout', reference: railReference }])
    expect(await stops(database)).toMatchObject([{ rail: 'acme' }])
    const [row] = await asOwner(database, 'select status from payment where reference = $1', [reference])
    expect(row).toEqual({ status: 'queued' })
  })

  it('that a person has closed stops nothing again, however often it is listed', async () => {
    const { rail, clock, service, database } = world
    rail.lines.push(payoutLine({ reference: stranger, atMs: clock.now() }))
    await world.near()
    for (const one of await world.open()) await world.closeByHand(one)
    await resumeRail(service.ctx, [1], { environment: 'staging', rail: 'acme' })
    rail.lines.push(payoutLine({ reference: stranger, lineId: `L-${stranger}`, atMs: clock.now(), fee: toMoney(1) }))
    await world.near()
    expect(await world.open()).toEqual([])
    expect(await stops(database)).toEqual([])
  })

  it('is none that was paid before the rail was looked at', async () => {
    const { rail, clock, database } = world
    rail.lines.push(payoutLine({ reference: stranger, atMs: clock.now() - 20 * 60_000 }))
    await world.near()
    expect(await world.open()).toEqual([])
    expect(await stops(database)).toEqual([])
  })
})

describe('unknown-attempt', () => {
  it.each(['failed', 'unknown'] as const)('is told of a strange line that is %s, and stops nothing', async (state) => {
    const { rail, clock, database } = world
    rail.lines.push(payoutLine({ reference: 'their own test', atMs: clock.now(), state }))
    await world.near()
    expect(await world.open()).toMatchObject([{ kind: 'unknown-attempt', reference: 'their own test' }])
    expect(await stops(database)).toEqual([])
  })

  it('becomes an unknown-payout, and stops the rail, when the line is paid after all', async () => {
    const { rail, clock, database } = world
    const line = payoutLine({ reference: stranger, atMs: clock.now(), state: 'failed' })
    rail.lines.push(line)
    await world.near()
    line.state = 'succeeded'
    await world.near()
    expect((await world.open()).map(({ kind }) => kind)).toEqual(['unknown-attempt', 'unknown-payout'])
    expect(await stops(database)).toHaveLength(1)
  })
})

describe('a payout that has left this rail for another', () => {
  async function sendAway() {
    const { database } = world
    const sent = await world.send()
    const [moved] = await asOwner<{ id: string }>(
      database,
      `update payment set rail = 'other', attempts = 2, due_at = '2100-01-01' where reference = $1 returning id`,
      [sent.reference],
    )
    await asOwner(
      database,
      `insert into rail_attempt select lane, tenant_id, id, 'acme', 1, 'refused', created_at from payment where id = $1`,
      [moved?.id],
    )
    return sent
  }

  it.each(['failed', 'unknown'] as const)('and is %s here is no break', async (state) => {
    const { rail, clock, database } = world
    const { railReference } = await sendAway()
    rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now(), state }))
    await world.near()
    expect(await world.open()).toEqual([])
    expect(await stops(database)).toEqual([])
  })

  it('and is paid here stops this rail, which is asked about it at once', async () => {
    const { rail, clock, database } = world
    const { reference, railReference } = await sendAway()
    rail.payout.onStatus = () => succeeded
    rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now() }))
    const asked = rail.payout.asked.length
    await world.near()
    const fact = 'it lists as succeeded what had left it for other'
    expect(await world.open()).toMatchObject([{ kind: 'unknown-payout', reference, fact }])
    expect(await stops(database)).toHaveLength(1)
    expect(rail.payout.asked.length).toBeGreaterThan(asked)
  })
})

it('double: an order of ours that was paid by two lines stops the rail, and a person closes it', async () => {
  const { rail, clock, database } = world
  const { reference, railReference } = await world.pay()
  for (const lineId of ['A', 'B']) rail.lines.push(payoutLine({ reference: railReference, lineId, atMs: clock.now() }))
  await world.near()
  const open = await world.open()
  expect(open).toMatchObject([{ kind: 'double', reference, fact: 'paid by its lines A and B' }])
  expect(await stops(database)).toHaveLength(1)
  for (const one of open) await world.closeByHand(one)
  await world.near()
  expect(await world.open()).toEqual([])
})

it('amount: reports both numbers and moves nothing, and an operator closes it', async () => {
  const { rail, clock } = world
  const { reference, railReference } = await world.pay()
  rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now(), amount: toMoney(151_000) }))
  await world.near()
  const open = await world.open()
  expect(open).toMatchObject([{ kind: 'amount', reference, fact: 'it lists 151000 NGN, and we sent 150000 NGN' }])
  for (const one of open) await world.closeByHand(one)
  expect(await world.open()).toEqual([])
})

it('account: reports both numbers at once', async () => {
  const { rail, clock } = world
  const { reference, railReference } = await world.pay({ accountNumber: '0123456789' })
  const line = payoutLine({ reference: railReference, atMs: clock.now(), accountNumber: '0123456789' })
  rail.lines.push(line)
  await world.near()
  expect(await world.open()).toEqual([])
  line.accountNumber = '******6780'
  await world.near()
  expect(await world.open()).toEqual([])
  line.accountNumber = '0123456780'
  await world.near()
  const fact = 'it lists a payout to 0123456780, and we sent it to 0123456789'
  expect(await world.open()).toMatchObject([{ kind: 'account', reference, fact }])
})

it('state: theirs paid and ours FAILED is asked about at once', async () => {
  const { rail, clock, service } = world
  rail.payout.onSubmit = () => ({ kind: 'failed', reason: 'DORMANT_ACCOUNT' })
  const { reference, railReference } = await world.send()
  await untilStatus(service.staging, reference, 'FAILED')
  rail.payout.onStatus = () => succeeded
  rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now() }))
  const asked = rail.payout.asked.length
  await world.near()
  expect(await world.open()).toMatchObject([{ kind: 'state', reference }])
  expect(rail.payout.asked.length).toBeGreaterThan(asked)
})

it('state: theirs failed and ours SUCCESS is asked about once, and closes itself when they agree', async () => {
  const { rail, clock } = world
  const { reference, railReference } = await world.pay()
  const line = payoutLine({ reference: railReference, atMs: clock.now(), state: 'failed' })
  rail.lines.push(line)
  const asked = rail.payout.asked.length
  await world.near()
  expect(await world.open()).toMatchObject([{ kind: 'state', reference }])
  expect(rail.payout.asked.length).toBeGreaterThan(asked)
  line.state = 'succeeded'
  await world.near()
  expect(await world.open()).toEqual([])
})

it('state: opens nothing if another check compared a newer version of the line meanwhile', async () => {
  const { rail, clock, database } = world
  const { railReference } = await world.pay()
  const line = payoutLine({ reference: railReference, atMs: clock.now(), state: 'failed' })
  rail.lines.push(line)
  rail.payout.onStatus = async () => {
    line.state = 'succeeded'
    await asOwner(
      database,
      `update rail_line set state = 'succeeded', due_at = null where reference = '${railReference}'`,
    )
    return succeeded
  }
  await world.near()
  expect(await asOwner(database, 'select state, due_at from rail_line')).toEqual([{ state: 'succeeded', due_at: null }])
  expect(await world.open()).toEqual([])
})

it('late-reversal: a return that its rail confirms ends the payment; until it does, the break is open', async () => {
  const { rail, clock, service } = world
  const { reference, line } = await payAndList()
  line.state = 'reversed'
  await world.near()
  expect(await world.open()).toMatchObject([{ kind: 'late-reversal', reference }])
  rail.payout.onStatus = () => ({ kind: 'reversed', sessionId: null })
  await untilHolds(async () => {
    clock.advance(hourMs)
    expect(await world.open()).toEqual([])
  })
  await untilStatus(service.staging, reference, 'REVERSED')
})

it('a rail that cannot answer about a return is asked again within minutes, and no break accuses it', async () => {
  const { rail, service } = world
  const { reference, line } = await payAndList()
  line.state = 'reversed'
  rail.payout.onStatus = () => ({ kind: 'unknown', detail: 'our own limit of calls', sent: false })
  await world.near()
  expect(await world.open()).toEqual([])
  rail.payout.onStatus = () => ({ kind: 'reversed', sessionId: null })
  await world.near()
  await untilStatus(service.staging, reference, 'REVERSED')
  expect(await asOwner(world.database, 'select 1 from rail_break')).toEqual([])
})

it('late-reversal: a rail that has not answered about a return for an hour is reported', async () => {
  const { rail } = world
  const { reference, line } = await payAndList()
  line.state = 'reversed'
  rail.payout.onStatus = () => ({ kind: 'unknown', detail: 'no answer' })
  await untilHolds(async () => {
    await world.near()
    expect(await world.open()).toMatchObject([{ kind: 'late-reversal', reference }])
  })
})

it('a return that only the ledger of the provider shows is asked about again if its rail could not confirm it', async () => {
  const { rail, clock, database, service } = world
  const { reference, line } = await payAndList()
  // A worker asks no more whether it was returned.
  await asOwner(database, 'update payment set due_at = null where reference = $1', [reference])
  rail.payout.onStatus = () => ({ kind: 'unknown', detail: 'no answer' })
  const change = {
    lineId: 'C-1',
    atMs: clock.now(),
    cause: 'payout',
    reference: line.lineId,
    balanceAfter: null,
  } as const
  rail.lines.push(ledgerLine(change, 150_000n))
  await world.near()
  rail.payout.onStatus = () => ({ kind: 'reversed', sessionId: null })
  await untilHolds(async () => {
    clock.advance(hourMs)
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).status).toBe('REVERSED')
  })
  const due = () => asOwner(database, 'select 1 from rail_line where due_at is not null')
  await untilHolds(async () => {
    clock.advance(hourMs)
    expect(await due()).toEqual([])
  })
})

it('missing-there: what we called paid and no list shows after a day; it closes itself when its day lists it', async () => {
  const { rail, clock, service } = world
  const { reference, railReference } = await world.pay()
  const paidAtMs = clock.now()
  await world.close()
  expect(await world.open()).toEqual([])
  await world.close()
  expect(await world.open()).toMatchObject([{ kind: 'missing-there', reference, amount: 150_000n }])
  rail.lines.push(payoutLine({ reference: railReference, atMs: paidAtMs }))
  // It is too late for the windows of the loops, so an operator asks for its day.
  await world.close()
  expect(await world.open('missing-there')).toHaveLength(1)
  const name = { environment: 'staging' as const, rail: 'acme' }
  expect(await askForDay(service.ctx, name, parseDay('2026-01-15', clock.now()) ?? 0)).toBe(true)
  await untilHolds(async () => {
    clock.advance(1_000)
    expect(await dayState(service.ctx, name)).toEqual({ kind: 'done' })
  })
  expect(await world.open('missing-there')).toEqual([])
})

it('missing-there: a payout that was returned before its day closed need not be listed', async () => {
  const { rail, clock, service } = world
  const { reference } = await world.pay()
  rail.payout.onStatus = () => ({ kind: 'reversed', sessionId: null })
  await untilHolds(async () => {
    clock.advance(hourMs)
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).status).toBe('REVERSED')
  })
  await world.close()
  await world.close()
  expect(await world.open('missing-there')).toEqual([])
})
