// A shop takes money: a customer with an account of her own, an order with an account for one payment, and the mistakes
// that payers make.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '#tests/support/clock.ts'
import { createClient, expectError, expectSuccess, type Client } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, useService } from '#tests/support/service.ts'
import {
  accountOf,
  askToPay,
  available,
  dynamicAccount,
  eventsOf,
  newCustomer,
  newReference,
  pay,
  returnReasonOf,
  settle,
  staticAccount,
} from '#tests/deposits/requests.ts'
import { untilHolds } from '#tests/support/patience.ts'

const clock = createFakeClock()
const service = await useService({ clock })
const shop = service.staging

describe('the shop', () => {
  it('is paid by a customer and for an order, and sees both everywhere', async () => {
    const { staging: client } = await service.addBusiness('Shop')
    const opening = await available(client)
    const customer = await newCustomer(client)
    const own = expectSuccess(
      await client.post('/v1/virtual-accounts/static', { customerReference: customer.reference }),
    )
    const order = await dynamicAccount(client, { amount: 250_000, reference: 'ORDER-1' })
    const first = await pay(client, own.accountNumber, 99, { senderAccountName: 'ADA OBI', narration: 'rent' })
    const second = await pay(client, order.accountNumber, 250_000)

    expect(first).toMatchObject({ status: 'SUCCESSFUL', fee: 0, senderAccountName: 'ADA OBI', narration: 'rent' })
    expect(second).toMatchObject({
      status: 'SUCCESSFUL',
      fee: 2_500,
      senderAccountName: '',
      recipientAccountName: 'Shop',
    })
    expect(await available(client)).toBe(opening + 99 + 247_500)
    expect((await accountOf(client, order.accountNumber)).status).toBe('COMPLETED')
    expect((await accountOf(client, own.accountNumber)).status).toBe('ACTIVE')

    expect(expectSuccess(await client.get('/v1/deposits')).deposits).toEqual([second, first])
    for (const deposit of [first, second]) {
      const { reference, amount } = deposit
      expect(expectSuccess(await client.get(`/v1/deposits/${reference}`))).toEqual(deposit)
      expect(expectSuccess(await client.get(`/v1/deposits/validate/${reference}`))).toEqual({
        exists: true,
        reference,
        status: 'SUCCESSFUL',
        amount,
        currency: 'NGN',
        valid: true,
      })
    }
    const mention = ({ id, type, reference, accountNumber }: typeof own) => ({ id, type, reference, accountNumber })
    const { id, reference, firstName, lastName, email } = customer
    expect(await eventsOf(service.database, first.reference)).toEqual([
      {
        name: 'customer.deposit.success',
        data: { ...first, virtualAccount: mention(own), customer: { id, reference, firstName, lastName, email } },
      },
    ])
    expect(await eventsOf(service.database, second.reference)).toEqual([
      { name: 'deposit.success', data: { ...second, virtualAccount: mention(order) } },
    ])
  })

  it("does not show a deposit to another business, nor to the same one's production", async () => {
    const deposit = await pay(shop, (await staticAccount(shop)).accountNumber, 5_000)
    const other = await service.addBusiness('Other')
    for (const stranger of [other.staging, service.production]) {
      expectError(await stranger.get(`/v1/deposits/${deposit.reference}`), 404, 'NOT_FOUND', /^Deposit not found$/)
      const answer = expectSuccess(await stranger.get(`/v1/deposits/validate/${deposit.reference}`))
      expect(answer).toEqual({ exists: false, reference: deposit.reference, message: 'Deposit not found' })
    }
    expectError(
      await askToPay(other.staging, deposit.recipientAccountNumber, 1),
      404,
      'NOT_FOUND',
      /^Virtual account not found$/,
    )
  })
})

describe('a payment that is not what the account waits for', () => {
  async function expectReturned(accountNumber: string, amount: number, reason: string): Promise<void> {
    const before = await available(shop)
    const deposit = await pay(shop, accountNumber, amount)
    expect(deposit.status).toBe('FAILED')
    expect(await returnReasonOf(service.database, deposit)).toBe(reason)
    expect(await available(shop)).toBe(before)
    expect(await eventsOf(service.database, deposit.reference)).toEqual([])
    expect(expectSuccess(await shop.get(`/v1/deposits/validate/${deposit.reference}`))).toMatchObject({
      exists: true,
      valid: false,
    })
  }

  it('is under or over: it goes back, and the right amount still completes the account, once', async () => {
    const { accountNumber } = await dynamicAccount(shop)
    await expectReturned(accountNumber, 249_999, 'UNDERPAID')
    await expectReturned(accountNumber, 250_001, 'OVERPAID')
    expect((await accountOf(shop, accountNumber)).status).toBe('ACTIVE')
    expect((await pay(shop, accountNumber, 250_000)).status).toBe('SUCCESSFUL')
    await expectReturned(accountNumber, 250_000, 'ALREADY_PAID')
  })

  it('is late, to the millisecond', async () => {
    const [inTime, late] = [
      await dynamicAccount(shop, { expiresInMinutes: 5 }),
      await dynamicAccount(shop, { expiresInMinutes: 5 }),
    ]
    clock.advance(5 * 60_000 - 1)
    expect((await pay(shop, inTime.accountNumber, 250_000)).status).toBe('SUCCESSFUL')
    clock.advance(1)
    await expectReturned(late.accountNumber, 250_000, 'EXPIRED')
    await untilHolds(async () => expect((await accountOf(shop, late.accountNumber)).status).toBe('EXPIRED'))
    expect((await accountOf(shop, inTime.accountNumber)).status).toBe('COMPLETED')
    await expectReturned(late.accountNumber, 250_000, 'EXPIRED')
  })

  it('is of any amount where any will do, but only the first', async () => {
    const { accountNumber } = await dynamicAccount(shop, { amountPolicy: 'any' })
    const before = await available(shop)
    expect(await pay(shop, accountNumber, 70_000)).toMatchObject({ status: 'SUCCESSFUL', amount: 70_000, fee: 700 })
    expect(await available(shop)).toBe(before + 69_300)
    await expectReturned(accountNumber, 70_000, 'ALREADY_PAID')
  })

  it('comes to a closed account', async () => {
    const { accountNumber } = await staticAccount(shop)
    expect((await pay(shop, accountNumber, 1_000)).status).toBe('SUCCESSFUL')
    expectSuccess(await shop.delete(`/v1/virtual-accounts/${accountNumber}`))
    await expectReturned(accountNumber, 1_000, 'ACCOUNT_CLOSED')
  })

  it('was made in time and settles late: what counts is when it was paid', async () => {
    const { accountNumber } = await dynamicAccount(shop, { expiresInMinutes: 5 })
    const pending = await pay(shop, accountNumber, 250_000, { status: 'PENDING' })
    clock.advance(5 * 60_000)
    await untilHolds(async () => expect((await accountOf(shop, accountNumber)).status).toBe('EXPIRED'))
    expect((await settle(shop, pending, 'SUCCESSFUL')).status).toBe('SUCCESSFUL')
    expect((await accountOf(shop, accountNumber)).status).toBe('COMPLETED')
  })
})

describe('many at once', () => {
  it('a thousand payments are a thousand deposits, each credited once', async () => {
    const busy = await service.addBusiness('Busy')
    const { accountNumber } = await staticAccount(busy.staging)
    const before = await available(busy.staging)
    const paid = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => pay(busy.staging, accountNumber, 100 + index)),
    )
    expect(new Set(paid.map(({ reference }) => reference)).size).toBe(1_000)
    const credited = paid.reduce((sum, { amount, fee }) => sum + amount - fee, 0)
    expect(await available(busy.staging)).toBe(before + credited)
    const { pagination } = (await busy.staging.get('/v1/deposits?limit=1')).body.meta ?? {}
    expect(pagination?.total).toBe(1_000)
  })

  it('fifty payments to an account that waits for one: one is credited', async () => {
    const { accountNumber } = await dynamicAccount(shop)
    const before = await available(shop)
    const pending = await pay(shop, accountNumber, 250_000, { status: 'PENDING' })
    const [settled, ...paid] = await Promise.all([
      settle(shop, pending, 'SUCCESSFUL'),
      ...Array.from({ length: 50 }, () => pay(shop, accountNumber, 250_000)),
    ])
    expect([settled, ...paid].filter(({ status }) => status === 'SUCCESSFUL')).toHaveLength(1)
    expect(await available(shop)).toBe(before + 247_500)
  })

  it('the same order reference at once opens one account', async () => {
    const reference = newReference('ORDER')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.post('/v1/virtual-accounts/dynamic', { amount: 1_000, reference })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
  })
})

describe('paging through the whole history while money arrives', () => {
  const limit = 7

  /** Reads every page, with two more payments before each; returns the references in the order of the pages. */
  async function readAll(client: Client, accountNumber: string, to: string): Promise<string[]> {
    const shown: string[] = []
    for (let page = 1; page < 100; page++) {
      await Promise.all([pay(client, accountNumber, 500), pay(client, accountNumber, 500)])
      const answer = await client.get(`/v1/deposits?limit=${limit}&page=${page}&to=${to}`)
      shown.push(...expectSuccess(answer).deposits.map(({ reference }: { reference: string }) => reference))
      if (answer.body.meta?.pagination.hasNext !== true) return shown
    }
    throw new Error('the list has no end')
  }

  it('with the moment of the start as `to` shows exactly those, each once, in order', async () => {
    const { staging: client } = await service.addBusiness('Reader')
    const { accountNumber } = await staticAccount(client)
    const existing: string[] = []
    for (let index = 0; index < 40; index++) existing.unshift((await pay(client, accountNumber, 500 + index)).reference)
    const to = new Date(clock.now()).toISOString()
    clock.advance(1)
    expect(await readAll(client, accountNumber, to)).toEqual(existing)
  })
})

describe('money that is on its way', () => {
  it('settles later: until then it counts for nothing, and then once, whatever is said again', async () => {
    const { accountNumber } = await staticAccount(shop)
    const before = await available(shop)
    const pending = await pay(shop, accountNumber, 20_000, { status: 'PENDING' })
    const validate = async () => expectSuccess(await shop.get(`/v1/deposits/validate/${pending.reference}`))
    expect(pending).toMatchObject({ status: 'PENDING', updatedAt: pending.createdAt })
    expect(await validate()).toMatchObject({ exists: true, status: 'PENDING', valid: false })
    expect(await available(shop)).toBe(before)
    expect(await eventsOf(service.database, pending.reference)).toEqual([])

    clock.advance(60_000)
    const settled = await settle(shop, pending, 'SUCCESSFUL')
    const updatedAt = new Date(clock.now()).toISOString()
    expect(settled).toEqual({ ...pending, status: 'SUCCESSFUL', updatedAt })
    clock.advance(60_000)
    expect(await settle(shop, pending, 'SUCCESSFUL')).toEqual(settled)
    expectError(
      await shop.post(`/v1/sandbox/deposits/${pending.reference}/settle`, { status: 'FAILED' }),
      409,
      'CONFLICT',
    )
    expect(expectSuccess(await shop.get(`/v1/deposits/${pending.reference}`))).toEqual(settled)
    expect(await validate()).toMatchObject({ exists: true, status: 'SUCCESSFUL', valid: true })
    expect(await available(shop)).toBe(before + 19_800)
    expect((await eventsOf(service.database, pending.reference)).map(({ name }) => name)).toEqual([
      'customer.deposit.success',
    ])
  })

  it('that fails credits nothing and leaves the order open', async () => {
    const { accountNumber } = await dynamicAccount(shop)
    const before = await available(shop)
    const pending = await pay(shop, accountNumber, 250_000, { status: 'PENDING' })
    expect((await settle(shop, pending, 'FAILED')).status).toBe('FAILED')
    expect(await available(shop)).toBe(before)
    // No money came, so none goes back.
    expect(await returnReasonOf(service.database, pending)).toBeNull()
    expect((await pay(shop, accountNumber, 250_000)).status).toBe('SUCCESSFUL')
  })
})

describe('a restart in the middle', () => {
  it('forgets nothing: accounts, pending deposits and expiry go on', async () => {
    const secretKey = randomBytes(32)
    const before = await startService({ clock, secretKey })
    const { staging: client, testKey } = before
    const customer = await newCustomer(client, { bvn: '12345678901' })
    const order = await dynamicAccount(client, { expiresInMinutes: 5 })
    const waiting = await dynamicAccount(client, { expiresInMinutes: 5 })
    const pending = await pay(client, order.accountNumber, 250_000, { status: 'PENDING' })
    const opening = await available(client)
    await before.app.stop()

    clock.advance(10 * 60_000)
    const after = await startService({ clock, secretKey, database: before.database })
    const again = createClient(`${after.url}/staging`, testKey)
    expect((await settle(again, pending, 'SUCCESSFUL')).status).toBe('SUCCESSFUL')
    expect(await available(again)).toBe(opening + 247_500)
    await untilHolds(async () => expect((await accountOf(again, waiting.accountNumber)).status).toBe('EXPIRED'))
    // The process opens the sealed BVN again, because the rail needs it.
    expectSuccess(await again.post('/v1/virtual-accounts/static', { customerReference: customer.reference }))
    again.close()
    await after.stop()
    const rows = await asOwner(before.database, 'select status from deposit')
    expect(rows).toEqual([{ status: 'SUCCESSFUL' }])
    await before.database.drop()
  })
})
