// The proof of a whole day: fees, the chain of balances and the float book; and data that cannot be fetched.

import { describe, expect, it } from 'vitest'
import { readFloat } from '#ledger/float.ts'
import { toMoney } from '#platform/money.ts'
import { findCheck } from '#reconciliation/schedule.ts'
import { proofOfRails } from '#reconciliation/progress.ts'
import { type Prover, proveWindow } from '#reconciliation/day-proof.ts'
import type { RailLine } from '#rails/statement.ts'
import { ledgerLine, payoutLine } from '#tests/support/listing-rail.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { hourMs, useWorld } from './world.ts'

const world = useWorld({}, { fee: 1_000 })

/** The list's lines for a payout of 150 000 with a fee of 1 000. */
async function payAndList(balanceAfter: bigint, fee = 1_000n): Promise<RailLine[]> {
  const { rail, clock } = world
  const { railReference } = await world.pay()
  const line = payoutLine({ reference: railReference, atMs: clock.now(), fee: toMoney(fee) })
  const change = -(150_000n + fee)
  const entry = ledgerLine(
    { lineId: `E-${rail.lines.length}`, atMs: clock.now(), cause: 'payout', reference: line.lineId, balanceAfter },
    change,
  )
  const added = [line, entry]
  rail.lines.push(...added)
  clock.advance(1_000)
  return added
}

function list(lineId: string, change: bigint, balanceAfter: bigint, more: Partial<RailLine> = {}): RailLine {
  const line = ledgerLine({ lineId, atMs: world.clock.now(), balanceAfter, ...more }, change)
  world.rail.lines.push(line)
  world.clock.advance(1_000)
  return line
}

const accounts = async () => {
  const rows = await asOwner<{ account: string; balance: string }>(
    world.database,
    `select account, sum(amount)::bigint as balance from (
       select credit as account, amount from float_movement union all select debit, -amount from float_movement) as sides
      group by account order by account`,
  )
  return Object.fromEntries(rows.map(({ account, balance }) => [account, BigInt(balance)]))
}

describe('a day without breaks', () => {
  it('leaves the float book at what the provider holds, and says how far it is proved', async () => {
    list('E-A', 1_000_000n, 1_000_000n)
    await payAndList(849_000n)
    list('E-Z', 50_000n, 899_000n, { cause: 'settlement' })
    list('E-ZZ', -99_000n, 800_000n)
    await world.close()
    expect(await world.open()).toEqual([])
    expect(await accounts()).toEqual({
      balance: 800_000n,
      bank: -901_000n,
      cost: 1_000n,
      receivable: -50_000n,
      tenants: 150_000n,
    })
    const [proof] = await proofOfRails(world.service.ctx)
    expect(proof).toMatchObject({ rail: 'acme', openBreaks: 0, stopped: null, why: null })
    const metrics = await world.service.ctx.metrics.text()
    expect(metrics).toMatch(/manilla_rail_breaks_open\{rail="acme",kind="float"\} 0/)
    expect(metrics).toMatch(/manilla_rail_proved_until_seconds\{rail="acme"\} 1768525/)
    expect(metrics).toMatch(/manilla_rail_stopped\{rail="acme"\} 0/)
  })

  it('begins with what the provider held when the rail was looked at first', async () => {
    list('E-A', -10_000n, 490_000n)
    await world.close()
    expect(await accounts()).toMatchObject({ balance: 490_000n, bank: -490_000n })
    expect(await world.open()).toEqual([])
  })
})

it('proves each currency by itself, and names the currency that differs', async () => {
  const ghana = { currency: 'GHS', cause: 'settlement' } as const
  world.rail.otherWallets = [{ currency: 'GHS', amount: toMoney(1_500) }]
  list('E-1', 1_000_000n, 1_000_000n)
  list('G-1', 500n, 1_500n, ghana)
  await payAndList(849_000n)
  await world.close()
  expect(await world.open()).toEqual([])
  const book = await readFloat(world.service.ctx.db, { environment: 'staging', rail: 'acme' })
  const inGhana = book.find(({ currency, account }) => currency === 'GHS' && account === 'balance')
  expect(inGhana).toMatchObject({ country: null, balance: 1_500n })
  expect(await world.service.ctx.metrics.text()).toMatch(
    /manilla_rail_float_minor_units\{rail="acme",currency="GHS",country=""\} 1500/,
  )
  list('G-2', 100n, 1_700n, ghana)
  await world.close()
  const fact = 'our book has 1600 minor units of GHS and the provider 1700; 0 of it is under way, -100 is unexplained'
  expect(await world.open()).toMatchObject([{ kind: 'float', amount: -100n, fact }])
  list('G-3', 100n, 1_700n, ghana)
  await world.close()
  expect(await world.open()).toEqual([])
})

it('float: what the book and the provider differ by and nothing explains; closes itself when it is', async () => {
  list('E-1', 1_000_000n, 1_000_000n)
  const [line, entry] = await payAndList(848_500n, 1_500n)
  // The provider took 1 500, and its list says 1 000.
  Object.assign(line ?? {}, { fee: toMoney(1_000) })
  await world.close()
  const fact = 'our book has 849000 kobo and the provider 848500; 0 of it is under way, 500 is unexplained'
  expect(await world.open()).toMatchObject([{ kind: 'float', amount: 500n, fact }])
  list('E-9', 500n, 849_000n, { cause: 'payout', reference: entry?.reference ?? '' })
  await world.close()
  expect(await world.open()).toEqual([])
})

it('float: differs by no more than rounding where the provider counts fractions, and reports more than that', async () => {
  const fraction = 400_000
  list('E-1', 1_000n, 11_001n, { fraction })
  list('E-2', 1_000n, 12_001n, { fraction })
  await world.close()
  expect(await accounts()).toMatchObject({ balance: 12_001n })
  expect(await world.open('float')).toEqual([])
  list('E-3', 1_000n, 13_010n, { fraction })
  await world.close()
  expect(await world.open('float')).toMatchObject([{ amount: -8n }])
})

it('fee: reports a day once, in naira, that cost more than the fee table says; an operator closes it', async () => {
  list('E-1', 1_000_000n, 1_000_000n)
  await payAndList(846_500n, 3_500n)
  await world.close()
  const open = await world.open('fee')
  expect(open).toMatchObject([{ kind: 'fee', amount: 2_500n }])
  for (const one of open) await world.closeByHand(one)
  expect(await world.open()).toEqual([])
})

describe('stale', () => {
  it('reports a list without an end at once, while the other lists go on', async () => {
    const { rail, clock } = world
    const page = rail.statement.page.bind(rail.statement)
    const asked: string[] = []
    let isEndless = true
    rail.statement.page = async (question) => {
      const answer = await page(question)
      asked.push(question.list)
      const endless = isEndless && question.list === 'payouts' && answer.kind === 'page'
      return endless ? { ...answer, next: 'the same' } : answer
    }
    list('E-1', 1_000n, 1_000n)
    clock.advance(5 * 60_000)
    await untilHolds(async () => {
      clock.advance(1_000)
      expect(await world.open('stale')).toHaveLength(1)
      expect((await accounts())['balance']).toBe(1_000n)
      expect((await proofOfRails(world.service.ctx))[0]?.why ?? '').toContain('payouts: its page 2')
    })
    const [open] = await world.open('stale')
    expect(open).toMatchObject({
      reference: 'payouts',
      fact: expect.stringContaining('leads back to a page before it'),
    })
    expect(asked.filter((one) => one === 'payouts').length).toBeLessThan(5)
    expect(asked).toContain('deposits')
    // The service fetches it again an hour later.
    clock.advance(10 * 60_000)
    isEndless = false
    await untilHolds(async () => {
      clock.advance(10 * 60_000)
      expect(await world.open('stale')).toEqual([])
    })
  })

  it('is opened when the lists could not be fetched for 26 hours, and closes itself when they are', async () => {
    const { rail, clock } = world
    rail.isDown = true
    await untilHolds(async () => {
      clock.advance(hourMs)
      expect((await world.open('stale')).length).toBeGreaterThan(0)
    })
    const [first] = await world.open('stale')
    expect(first?.fact).toContain('no answer')
    expect(clock.now() - (first?.aboutAt.getTime() ?? 0)).toBeGreaterThanOrEqual(26 * hourMs)
    rail.isDown = false
    await untilHolds(async () => {
      clock.advance(60_000)
      expect(await world.open('stale')).toEqual([])
    })
  })
})

it('deletes all lines that are older than 400 days when a day closes', async () => {
  const { database, clock } = world
  const insertOld = `
    insert into rail_line (environment, rail, list, line_id, direction, cause, reference, amount, currency, state, at, seen_at)
    select 'staging', 'acme', 'payouts', 'OLD-' || number, 'out', 'payout', '', 1, 'NGN', 'succeeded', $1, $1
      from generate_series(1, 12000) as number`
  await asOwner(database, insertOld, [new Date(clock.now() - 401 * 24 * hourMs)])
  await world.close()
  expect(await asOwner(database, "select 1 from rail_line where line_id like 'OLD-%' limit 1")).toEqual([])
})

it('asks about payouts that are not listed for two minutes at most, and reports them all', async () => {
  const { database, clock, service } = world
  const paidAt = new Date(clock.now())
  const insertPaid = `
    insert into float_movement (environment, rail, currency, kind, subject, lane, reference, debit, credit, amount, at)
    select 'staging', 'acme', 'NGN', 'payout', 'PAID-' || number, 1, 'PAID-' || number, 'balance', 'tenants', 1, $1
      from generate_series(1, 40) as number`
  await asOwner(database, insertPaid, [paidAt])
  clock.advance(48 * hourMs)
  let asked = 0
  const check = await findCheck(service.ctx.db, { environment: 'staging', rail: 'acme' }, 'close')
  if (check === undefined) throw new Error('the rail has no check')
  const prover: Prover = {
    ctx: service.ctx,
    rails: { float: () => ({ kind: 'missing' }) } as unknown as Prover['rails'],
    laneNumbers: () => Promise.resolve([1]),
    agreedCost: () => undefined,
    payments: {
      hear() {
        asked += 1
        clock.advance(20_000)
        return Promise.resolve({ kind: 'unanswered', detail: 'no answer' })
      },
    },
  }
  const window = { fromAt: new Date(paidAt.getTime() - hourMs), toAt: new Date(paidAt.getTime() + hourMs) }
  expect((await proveWindow(prover, { ...check, ...window })).kind).toBe('done')
  expect(asked).toBe(6)
  expect(await world.open('missing-there')).toHaveLength(40)
})
