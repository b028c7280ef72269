// Mobile money as a shop's developer uses it: look up, collect, pass on a code, send, and find all of it again.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useService } from '#tests/support/service.ts'
import { phones, rightCode, untilMomo } from '#tests/payments/momo-requests.ts'
import { balanceOf } from '#tests/payments/requests.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useVerifyingReceiver } from '#tests/support/verifying-receiver.ts'

describe('a shop', async () => {
  const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
  const { staging } = service
  const receiver = await useVerifyingReceiver()

  it('collects with a code, gets the event, sees the deposit, and pays out of it', async () => {
    const events = ['momo.collection.success', 'momo.transfer.success', 'deposit.success']
    const { secret } = expectSuccess(await staging.post('/v1/webhooks', { url: receiver.url, events }))
    receiver.secrets.push(secret)
    const { operator, accountName } = expectSuccess(await staging.get(`/v1/momo/resolve?phoneNumber=${phones.otp}`))
    expect([operator, accountName]).toEqual(['mtn-momo', expect.stringMatching(/\S/)])
    const before = await balanceOf(staging)

    const order = { reference: 'ORDER-1', amount: 500_000, phoneNumber: phones.otp, customerName: accountName }
    expect(expectSuccess(await staging.post('/v1/momo/collection', order))).toMatchObject({
      status: 'OTP_REQUIRED',
      requiresOtp: true,
    })
    const code = { reference: 'ORDER-1', otp: rightCode }
    expectError(
      await staging.post('/v1/momo/collection/verify-otp', { ...code, otp: '111111' }),
      400,
      'INVALID_OTP',
      /2 attempts are left/,
    )
    expectSuccess(await staging.post('/v1/momo/collection/verify-otp', code))
    const paid = await untilMomo(staging, 'collection', 'ORDER-1', 'SUCCESS')
    expect((await balanceOf(staging)).available - before.available).toBe(495_000)
    expect(expectSuccess(await staging.get(`/v1/deposits/validate/${paid.depositReference}`))).toMatchObject({
      exists: true,
      valid: true,
      amount: 500_000,
    })

    const refund = { reference: 'REFUND-1', amount: 100_000, phoneNumber: phones.success }
    expectSuccess(await staging.post('/v1/momo/transfer', refund))
    await untilMomo(staging, 'transfer', 'REFUND-1', 'SUCCESS')
    expect((await balanceOf(staging)).ledger - before.ledger).toBe(495_000 - 101_000)
    expectError(
      await staging.post('/v1/momo/transfer', { ...refund, reference: 'ORDER-1' }),
      409,
      'CONFLICT',
      /by a mobile-money collection/,
    )

    await untilHolds(() => expect(receiver.arrivals).toHaveLength(2))
    const told = receiver.arrivals
    expect(told.every(({ genuine }) => genuine)).toBe(true)
    // There is no deposit.success: a collection has its own event.
    expect(told.map(({ body }) => body.event).toSorted()).toEqual(['momo.collection.success', 'momo.transfer.success'])
    expect(told.find(({ body }) => body.event === 'momo.collection.success')?.body.data).toEqual(paid)
  })
})

describe('time', async () => {
  const clock = createFakeClock()
  const service = await useService({ clock, settings: { SANDBOX_SETTLE_MS: '20' } })
  const { staging } = service

  it('ends a collection without an answer after 15 minutes, and moves no money', async () => {
    const before = await balanceOf(staging)
    const order = { reference: 'SILENT', amount: 500_000, phoneNumber: phones.neverEnding }
    expectSuccess(await staging.post('/v1/momo/collection', order))
    clock.advance(14 * 60_000 + 59_000)
    expect(expectSuccess(await staging.get('/v1/momo/collection/SILENT')).status).toBe('PENDING')
    // The operator must deny it for a quarter of an hour, to a process that asks now and then.
    const ended = await untilHolds(async () => {
      clock.advance(60_000)
      const found = expectSuccess(await staging.get('/v1/momo/collection/SILENT'))
      expect(found.status).toBe('FAILED')
      return found
    })
    expect(ended).toMatchObject({ failureReason: 'EXPIRED', depositReference: null })
    expect(await balanceOf(staging)).toEqual(before)
  })
})
