// A new developer's first day with bank transfers, from the first call to the books, with a restart of the service in
// the middle of it.

import { afterAll, describe, expect, it } from 'vitest'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { createClient, expectError, expectSuccess, type Client } from '#tests/support/client.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { balanceOf, untilStatus } from '#tests/payments/requests.ts'

const database = await createTestDatabase()
const settings = { SANDBOX_SETTLE_MS: '200' }
let service: TestService = await startService({ database, settings })
const { testKey } = service
let client: Client = service.staging
const opening = 100_000_000_000

afterAll(async () => {
  client.close()
  await service.stop()
  await database.drop()
})

async function restart(): Promise<void> {
  client.close()
  await service.stop()
  service = await startService({ database, settings })
  client = createClient(`${service.url}/staging`, testKey)
}

const payout = {
  reference: 'PAYOUT-1001',
  amount: 150_000,
  bankSlug: 'guaranty-trust-bank',
  accountNumber: '0123456789',
  accountName: '',
  narration: 'Invoice 881',
  metadata: { orderId: '881' },
}
let accepted: Record<string, unknown> = {}

describe('a new developer', () => {
  it('looks around: money to try things with, banks, whose account it is, what it will cost', async () => {
    expect(await balanceOf(client)).toEqual({ currency: 'NGN', available: opening, reserved: 0, ledger: opening })
    const { banks } = expectSuccess(await client.get('/v1/banks?search=guaranty'))
    expect(banks.map(({ slug }: { slug: string }) => slug)).toContain(payout.bankSlug)
    const query = `accountNumber=${payout.accountNumber}&bankSlug=${payout.bankSlug}`
    const resolved = expectSuccess(await client.get(`/v1/bank/resolve?${query}`))
    payout.accountName = resolved.accountName
    expect(payout.accountName).not.toBe('')
    expect(expectSuccess(await client.get('/v1/fees?type=transfer&amount=150000')).totalDebit).toBe(151_000)
  })

  it('asks for a transfer that does not exist, and the error says to send it', async () => {
    expectError(await client.get('/v1/transfers/PAYOUT-1001'), 400, 'TRANSFER_NOT_FOUND', /^Transfer not found$/)
  })

  it('sends it, and sends it again because the answer might have been lost', async () => {
    accepted = expectSuccess(await client.post('/v1/transfers/initiate', payout))
    expect(accepted).toMatchObject({ status: 'queued', totalDebit: 151_000 })
    const again = await client.post('/v1/transfers/initiate', payout)
    expect(expectSuccess(again)).toEqual(accepted)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect((await balanceOf(client)).available).toBe(opening - 151_000)
  })

  it('restarts the service at the worst moment, and the transfer still succeeds, once', async () => {
    const sent = { ...payout, reference: 'PAYOUT-1002' }
    expectSuccess(await client.post('/v1/transfers/initiate', sent))
    await restart()
    const ended = await untilStatus(client, 'PAYOUT-1002', 'SUCCESS')
    expect(ended.sessionId).toMatch(/^\d{30}$/)
    await untilStatus(client, 'PAYOUT-1001', 'SUCCESS')
    expect(await balanceOf(client)).toMatchObject({ available: opening - 302_000, reserved: 0 })
  })

  it('sends the first one again a day later: still the first answer, whatever has become of it', async () => {
    const again = await client.post('/v1/transfers/initiate', payout)
    expect(expectSuccess(again)).toEqual(accepted)
    expect((await balanceOf(client)).ledger).toBe(opening - 302_000)
    expectError(await client.post('/v1/transfers/initiate', { ...payout, amount: 1 }), 409, 'CONFLICT', /amount/)
  })

  it('tries what goes wrong: a dead account, a bank that does not exist, more than there is', async () => {
    const dead = { ...payout, reference: 'PAYOUT-1003', accountNumber: '9990000006' }
    expectSuccess(await client.post('/v1/transfers/initiate', dead))
    expect((await untilStatus(client, 'PAYOUT-1003', 'FAILED')).failureReason).toBe('DORMANT_ACCOUNT')
    const unknown = { ...payout, reference: 'PAYOUT-1004', bankSlug: 'bank-of-nowhere' }
    expectError(await client.post('/v1/transfers/initiate', unknown), 400, 'INVALID_BANK')
    const much = { ...payout, reference: 'PAYOUT-1004', amount: opening }
    expectError(await client.post('/v1/transfers/initiate', much), 400, 'INSUFFICIENT_BALANCE')
    expectError(await client.post('/v1/transfers/initiate', { ...payout, amount: 0 }), 400, 'VALIDATION_ERROR')
    expect(await balanceOf(client)).toMatchObject({ available: opening - 302_000, reserved: 0 })
  })

  it('plays the bank: completes one by hand and takes it back', async () => {
    const waiting = { ...payout, reference: 'PAYOUT-1005', accountNumber: '9990000009' }
    expectSuccess(await client.post('/v1/transfers/initiate', waiting))
    for (const status of ['SUCCESS', 'REVERSED']) {
      const answer = await client.post('/v1/sandbox/transfers/PAYOUT-1005/complete', { status })
      expect(expectSuccess(answer).status).toBe(status)
    }
    expect((await balanceOf(client)).available).toBe(opening - 302_000)
  })

  it('closes the day: the list and the statement tell all of it, and the books are right', async () => {
    const list = await client.get('/v1/transfers')
    const shown = expectSuccess(list).transfers.map(({ reference, status }: Record<string, string>) => [
      reference,
      status,
    ])
    expect(shown).toEqual([
      ['PAYOUT-1005', 'REVERSED'],
      ['PAYOUT-1003', 'FAILED'],
      ['PAYOUT-1002', 'SUCCESS'],
      ['PAYOUT-1001', 'SUCCESS'],
    ])
    expect(list.body.meta?.pagination.total).toBe(4)
    const { entries } = expectSuccess(await client.get('/v1/balance/ledger'))
    expect(entries.map(({ type }: { type: string }) => type)).toEqual([
      'fee_refund',
      'reversal',
      'hold',
      'release',
      'hold',
      'hold',
      'hold',
      'opening',
    ])
    expect(entries[0].balanceAfter).toBe(opening - 302_000)
    const invariants = [...ledgerInvariants, ...paymentInvariants]
    expect(await verifyLedger(service.ctx, { invariants })).toEqual([])
  })
})
