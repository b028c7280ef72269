// The transaction that settles a payment writes the float book of its rail, and `ledger verify` proves that it did.

import { expect, it } from 'vitest'
import { depositInvariants } from '#deposits/verify.ts'
import { readFloat } from '#ledger/float.ts'
import { floatInvariants, verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { reconcileInvariants } from '#reconciliation/verify.ts'
import type { RailLine } from '#rails/statement.ts'
import { untilStatus } from '#tests/payments/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { ledgerLine, payoutLine } from '#tests/support/listing-rail.ts'
import { asOwner } from '#tests/support/owner.ts'
import { toMoney } from '#platform/money.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { hourMs, useWorld } from './world.ts'

const world = useWorld()
const sessionId = '9'.repeat(30)

const movements = (): Promise<{ kind: string; debit: string; credit: string; amount: string }[]> =>
  asOwner(world.database, 'select kind, debit, credit, amount from float_movement order by kind')

async function breaches() {
  const all = [...floatInvariants, ...paymentInvariants, ...depositInvariants, ...reconcileInvariants]
  const invariants = all.filter(({ name }) => name.includes('float book'))
  expect(invariants).toHaveLength(5)
  return verifyLedger(world.service.ctx, { invariants })
}

it('has a payout with its cost, as its rail says it, and its return', async () => {
  const { rail, clock, service } = world
  rail.payout.onSubmit = () => ({ kind: 'succeeded', sessionId, cost: toMoney(1_000) })
  const { reference, railReference } = await world.send()
  await untilStatus(service.staging, reference, 'SUCCESS')
  const paid = [
    { kind: 'payout', debit: 'balance', credit: 'tenants', amount: '150000' },
    { kind: 'payout_cost', debit: 'balance', credit: 'cost', amount: '1000' },
  ]
  expect(await movements()).toEqual(paid)
  // The list shows it too, with a fee, which books nothing twice.
  rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now(), fee: toMoney(1_000), state: 'reversed' }))
  rail.payout.onStatus = () => ({ kind: 'reversed', sessionId })
  await world.near()
  await untilStatus(service.staging, reference, 'REVERSED')
  await untilHolds(async () => {
    clock.advance(hourMs)
    expect(await movements()).toEqual([
      ...paid,
      { kind: 'reversal', debit: 'tenants', credit: 'balance', amount: '150000' },
    ])
  })
  expect(await breaches()).toEqual([])
})

it('has nothing of a payment that failed, and nothing of the simulator', async () => {
  const { rail, service } = world
  rail.payout.onSubmit = () => ({ kind: 'failed', reason: 'DORMANT_ACCOUNT' })
  const { reference } = await world.send()
  await untilStatus(service.staging, reference, 'FAILED')
  expect(await movements()).toEqual([])
})

it('has what its rail keeps of a payout that came back before it was seen paid', async () => {
  const { rail, clock, service } = world
  rail.payout.onSubmit = () => ({ kind: 'reversed', sessionId })
  rail.payout.onStatus = rail.payout.onSubmit
  const { reference, railReference } = await world.send()
  await untilStatus(service.staging, reference, 'FAILED')
  const line = payoutLine({ reference: railReference, atMs: clock.now(), fee: toMoney(1_000), state: 'reversed' })
  rail.lines.push(line)
  const cause = { cause: 'payout', reference: line.lineId, atMs: clock.now(), balanceAfter: null } as const
  rail.lines.push(ledgerLine({ lineId: 'C-1', ...cause }, -151_000n), ledgerLine({ lineId: 'C-2', ...cause }, 150_000n))
  await world.near()
  expect(await movements()).toEqual([{ kind: 'payout_cost', debit: 'balance', credit: 'cost', amount: '1000' }])
  for (let day = 1; day <= 3; day += 1) await world.close()
  expect(await breaches()).toEqual([])
})

it('lacks what a version before it settled, until the lists bring it; ledger verify says so', async () => {
  const { rail, clock, database } = world
  await world.pay()
  clock.advance(1_000)
  const { railReference } = await world.pay()
  await asOwner(database, 'delete from float_movement where reference = $1', [railReference])
  expect(await breaches()).toMatchObject([
    {
      invariant: 'what payments moved at a rail is in its float book, each once',
      message: expect.stringContaining('SUCCESS'),
    },
  ])
  rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now() }))
  await world.near()
  expect(await breaches()).toEqual([])
  expect(expectSuccess(await world.service.staging.get('/v1/balance')).balances).toHaveLength(1)
})

it('has nothing that no payment caused; ledger verify names what has', async () => {
  const { clock, database } = world
  await world.pay()
  clock.advance(1_000)
  const { reference } = await world.pay()
  expect(await breaches()).toEqual([])
  await asOwner(
    database,
    'update float_movement set amount = amount + 1 where subject = (select id::text from payment where reference = $1)',
    [reference],
  )
  await asOwner(
    database,
    "insert into float_movement select environment, rail, currency, 'deposit', 'T-1', 1, 'T-1', 'tenants', 'receivable', 7, at from float_movement limit 1",
  )
  expect(await breaches()).toMatchObject([
    { message: expect.stringContaining('the float book of its rail does not say so') },
    { message: 'the float book of acme (staging) has a deposit that none of ours caused', ids: ['T-1'] },
    { message: 'the float book of acme (staging) has a payout that none of ours caused' },
  ])
})

it('has all that the provider listed once its day is closed; ledger verify names what it has not', async () => {
  const { clock, database, rail } = world
  const paid = await world.pay()
  const [payout, lost] = [`L-${paid.railReference}`, 'L-lost']
  const change = (lineId: string, amount: bigint, more: Partial<RailLine> = {}) =>
    rail.lines.push(ledgerLine({ lineId, atMs: clock.now(), balanceAfter: null, ...more }, amount))
  rail.lines.push(payoutLine({ reference: paid.railReference, atMs: clock.now() }))
  change('C-1', -150_000n, { cause: 'payout', reference: payout })
  change('C-2', 700_000n)
  change('C-3', 90_000n, { cause: 'settlement' })
  // A payout was sent and returned that belongs to no payment.
  change('C-4', -20_000n, { cause: 'payout', reference: lost })
  change('C-5', 20_000n, { cause: 'payout', reference: lost })
  await world.near()
  await asOwner(database, "delete from float_movement where subject in ('C-2', $1) or reference = $2", [
    payout,
    paid.railReference,
  ])
  await asOwner(database, "update float_movement set amount = amount + 1 where subject = 'C-3'")
  const found = async () =>
    (await breaches()).flatMap(({ invariant, ids }) => (/each change/.test(invariant) ? ids : []))
  expect(await found()).toEqual([])
  await world.close()
  expect(await found()).toEqual(['C-2', 'C-3'])
  await world.close()
  await world.close()
  expect(await found()).toEqual(['C-1', 'C-2', 'C-3'])
})

it('lacks an unknown payout until an operator has closed its break', async () => {
  const { clock, rail } = world
  rail.lines.push(payoutLine({ reference: 'nobody', atMs: clock.now() }))
  const change = { lineId: 'C-1', cause: 'payout', reference: 'L-nobody', balanceAfter: null } as const
  rail.lines.push(ledgerLine({ ...change, atMs: clock.now() }, -150_000n))
  for (let day = 0; day < 3; day += 1) await world.close()
  expect(await breaches()).toMatchObject([{ ids: ['C-1'], message: expect.stringContaining('acme (staging)') }])
  for (const one of await world.open('unknown-payout')) await world.closeByHand(one)
  expect(await breaches()).toEqual([])
})

it('keeps what it came to each night, and adds only what came since', async () => {
  const { database, service } = world
  await world.pay()
  const sums = async () => {
    const found = await readFloat(service.ctx.db, { environment: 'staging', rail: 'acme' })
    return Object.fromEntries(
      found.filter(({ balance }) => balance !== 0n).map(({ account, balance }) => [account, balance]),
    )
  }
  const before = await sums()
  await world.close()
  const totals = await asOwner<{ balance: string; tenants: string; until_at: Date }>(
    database,
    'select * from float_wallet_total',
  )
  expect(totals).toMatchObject([{ balance: '-150000', tenants: '150000' }])
  expect(await sums()).toEqual(before)
  await world.pay()
  expect(await sums()).toEqual({ balance: -300_000n, tenants: 300_000n })
  // The proof does not read movements again that are in the total.
  await asOwner(database, 'update float_movement set amount = amount * 2 where at < $1', [totals[0]?.until_at])
  expect(await sums()).toEqual({ balance: -300_000n, tenants: 300_000n })
  expect((await breaches()).map(({ message }) => message)).toContainEqual(
    expect.stringContaining('is -150000, its movements come to -300000'),
  )
})
