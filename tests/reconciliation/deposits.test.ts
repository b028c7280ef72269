// Incoming money on a provider's list, compared with our deposits.

import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import type { DepositNotice } from '#rails/rail.ts'
import { newCustomer } from '#tests/deposits/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { depositLine, ledgerLine } from '#tests/support/listing-rail.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { createScriptedAccounts } from '#tests/support/scripted-rail.ts'
import { hourMs, useWorld } from './world.ts'

const world = useWorld({ virtualAccounts: createScriptedAccounts() })
let named = 0

async function newAccount(): Promise<string> {
  const { staging } = world.service
  const { reference } = await newCustomer(staging)
  const account = expectSuccess(await staging.post('/v1/virtual-accounts/static', { customerReference: reference }))
  return account.accountNumber
}

/** Makes money that the provider knows and lists. */
function arrive(accountNumber: string, changes: Partial<DepositNotice> = {}) {
  const { rail, clock } = world
  const lineId = `M-${(named += 1)}`
  const atMs = clock.now()
  const notice: DepositNotice = {
    provider: 'acme',
    providerId: lineId,
    account: { number: accountNumber },
    amount: toMoney(250_000),
    currency: 'NGN',
    status: 'SUCCESSFUL',
    senderAccountName: 'ADA OBI',
    senderAccountNumber: '******6789',
    senderBankName: '',
    narration: '',
    occurredAtMs: atMs,
    ...changes,
  }
  const line = depositLine({ lineId, atMs, accountNumber, fee: toMoney(2_500) })
  rail.lines.push(line)
  return { lineId, line, notice, tell: () => rail.money.set(lineId, notice) }
}

const deposits = async () => expectSuccess(await world.service.staging.get('/v1/deposits')).deposits
const floats = (): Promise<{ kind: string; amount: string }[]> =>
  asOwner(world.database, "select kind, amount from float_movement where kind <> 'opening' order by kind")

it('unreported money is read again and received, without a review item', async () => {
  arrive(await newAccount()).tell()
  await world.near()
  expect(await deposits()).toMatchObject([{ amount: 250_000, status: 'SUCCESSFUL' }])
  expect(await world.open()).toEqual([])
  expect(await floats()).toMatchObject([
    { kind: 'deposit', amount: '250000' },
    { kind: 'deposit_cost', amount: '2500' },
  ])
})

it('money of the moment in which the rail was looked at first is received, though its list says it in whole seconds', async () => {
  const firstLookMs = world.clock.now()
  const money = arrive(await newAccount())
  money.line.atMs = firstLookMs - 900
  money.tell()
  await world.near()
  expect(await deposits()).toMatchObject([{ amount: 250_000, status: 'SUCCESSFUL' }])
})

it('missing-here: what cannot be read again is open until it can', async () => {
  const accountNumber = await newAccount()
  const money = arrive(accountNumber)
  await world.near()
  const open = await world.open()
  expect(open).toMatchObject([{ kind: 'missing-here', subject: money.lineId, amount: 250_000n }])
  expect(open[0]?.fact).toContain(`250000 kobo to ${accountNumber}`)
  money.tell()
  await untilHolds(async () => {
    world.clock.advance(5 * 60_000)
    expect(await world.open()).toEqual([])
  })
  expect(await deposits()).toHaveLength(1)
})

it('unknown-account: money without an owner is in suspense, and leaves it when an operator adopts it', async () => {
  const money = arrive('7777777777')
  money.tell()
  await world.near()
  expect(await world.open()).toMatchObject([{ kind: 'unknown-account', subject: money.lineId }])
  expect(await floats()).toMatchObject([{ kind: 'deposit_cost' }, { kind: 'unowned', amount: '250000' }])
  expect(await deposits()).toEqual([])

  const accountNumber = await newAccount()
  const { receive } = world
  await receive({ ...money.notice, account: { number: accountNumber } })
  await untilHolds(async () => {
    world.clock.advance(hourMs)
    expect(await world.open()).toEqual([])
  })
  const kinds = (await floats()).map(({ kind }) => kind)
  expect(kinds).toEqual(['deposit', 'deposit_cost', 'owned', 'unowned'])
})

it('unknown-account: money leaves suspense when it gets an owner, although an operator had closed its break', async () => {
  const money = arrive('7777777777')
  money.tell()
  await world.near()
  for (const one of await world.open()) await world.closeByHand(one)
  const due = () => asOwner(world.database, 'select 1 from rail_line where due_at is not null')
  await untilHolds(async () => {
    world.clock.advance(hourMs)
    expect(await due()).toEqual([])
  })
  await world.receive({ ...money.notice, account: { number: await newAccount() } })
  await world.near()
  const kinds = (await floats()).map(({ kind }) => kind)
  expect(kinds).toEqual(['deposit', 'deposit_cost', 'owned', 'unowned'])
})

it('amount: the list differs from the notice; an operator closes it', async () => {
  const money = arrive(await newAccount(), { amount: toMoney(240_000) })
  money.tell()
  await world.near()
  const open = await world.open()
  expect(open).toMatchObject([{ kind: 'amount', fact: 'it lists 250000 NGN, and the deposit is 240000 NGN' }])
  for (const one of open) await world.closeByHand(one)
  await world.near()
  expect(await world.open()).toEqual([])
})

it('account: what it lists came for another account than the deposit', async () => {
  const money = arrive(await newAccount())
  money.tell()
  money.line.accountNumber = '9999999999'
  await world.near()
  const fact = expect.stringContaining('it lists money for 9999999999, and the deposit is one of')
  expect(await world.open()).toMatchObject([{ kind: 'account', subject: money.lineId, fact }])
  const log = world.service.lines.join('')
  expect(log).toContain('reconciliation mismatch')
  expect(log).not.toContain('9999999999')
})

it('state: what it lists as come in had FAILED here', async () => {
  const accountNumber = await newAccount()
  const money = arrive(accountNumber)
  await world.receive({ ...money.notice, status: 'FAILED' })
  await world.near()
  expect(await world.open()).toMatchObject([{ kind: 'state', subject: money.lineId }])
})

describe('unsettled', () => {
  const day = (days: number) => days * 24 * hourMs
  let entries = 0

  function settle(reference: string, amount = 247_500n): void {
    const { rail, clock } = world
    const entry = { lineId: `E-${(entries += 1)}`, atMs: clock.now(), cause: 'settlement', reference } as const
    rail.lines.push(ledgerLine({ ...entry, balanceAfter: null }, amount))
  }

  async function paidIn(): Promise<string> {
    const money = arrive(await newAccount())
    money.tell()
    await world.near()
    return money.lineId
  }

  const unsettled = () => world.open('unsettled')

  it('nothing is wrong with deposits that are settled the next day', async () => {
    for (let days = 0; days < 4; days += 1) {
      const id = await paidIn()
      await world.close()
      settle(id)
      expect(await unsettled()).toEqual([])
    }
  })

  it('names a deposit that the next two settlements leave out, and closes itself when it is settled', async () => {
    const lost = await paidIn()
    for (let days = 0; days < 2; days += 1) {
      const id = await paidIn()
      await world.close()
      expect(await unsettled()).toEqual([])
      settle(id)
      world.clock.advance(1_000)
      await world.near()
    }
    await world.close()
    const fact = expect.stringContaining(
      `1 deposits of 2026-01-15, 250000 kobo, were never settled; the first are ${lost}`,
    )
    expect(await unsettled()).toMatchObject([{ reference: lost, amount: 250_000n, fact }])
    settle(lost)
    await world.close()
    expect(await unsettled()).toEqual([])
  })

  it('reports unsettled money after a week if the ledger shows no settlement', async () => {
    await paidIn()
    for (let days = 0; days < 7; days += 1) {
      await world.close()
      expect(await unsettled()).toEqual([])
    }
    await world.close()
    const fact = expect.stringMatching(/^it owes 247500 kobo .* its ledger shows no settlement$/)
    expect(await unsettled()).toMatchObject([{ subject: '2026-01', amount: 247_500n, fact }])
    world.clock.advance(day(1))
    settle('a batch')
    await world.close()
    expect(await unsettled()).toEqual([])
  })

  it('reports unsettled money if settlements name no deposit', async () => {
    await paidIn()
    await paidIn()
    for (let days = 0; days < 3; days += 1) {
      await world.close()
      if (days > 0) settle('a batch', 123_750n)
    }
    await world.close()
    const fact = expect.stringMatching(/^it owes 247500 kobo .* it has settled twice since then$/)
    expect(await unsettled()).toMatchObject([{ amount: 247_500n, fact }])
  })

  it('reports the same unsettled money once, also while later deposits are settled', async () => {
    await paidIn()
    await paidIn()
    for (let days = 0; days < 6; days += 1) {
      await paidIn()
      await world.close()
      settle('a batch')
    }
    const rows = await asOwner(world.database, "select subject, closed_at from rail_break where kind = 'unsettled'")
    expect(rows).toMatchObject([{ closed_at: null }])
    settle('a batch')
    settle('a batch')
    await world.close()
    await world.close()
    expect(await unsettled()).toEqual([])
  })
})
