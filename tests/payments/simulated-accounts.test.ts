// The account numbers of staging, each from the request to the end, as a developer meets them.

import { describe, expect, it } from 'vitest'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectSuccess, type Client } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'
import { eventsOf } from './process.ts'
import { balanceOf, newReference, transferBody, untilStatus } from './requests.ts'

const settleMs = 50
const service = await useService({ settings: { SANDBOX_SETTLE_MS: String(settleMs) } })
const clock = createFakeClock()
const still = await useService({ clock, settings: { SANDBOX_SETTLE_MS: String(settleMs) } })

async function send(client: Client, accountNumber: string): Promise<string> {
  const reference = newReference(accountNumber)
  const data = expectSuccess(await client.post('/v1/transfers/initiate', transferBody({ reference, accountNumber })))
  expect(data.status).toBe('queued')
  return reference
}

describe('a transfer to', () => {
  it.each(['0123456789', '9990000001', '0000000000'])('%s succeeds', async (accountNumber) => {
    const before = await balanceOf(service.staging)
    const reference = await send(service.staging, accountNumber)
    const data = await untilStatus(service.staging, reference, 'SUCCESS')
    expect(data.sessionId).toMatch(/^999999\d{24}$/)
    const tookMs = Date.parse(data.completedAt) - Date.parse(data.createdAt)
    expect(tookMs).toBeGreaterThanOrEqual(settleMs)
    expect(await balanceOf(service.staging)).toEqual({
      ...before,
      available: before.available - 151_000,
      ledger: before.ledger - 151_000,
    })
    expect(await eventsOf(service.database, reference)).toEqual(['transfer.success'])
  })

  it.each([
    ['9990000007', 'INVALID_ACCOUNT'],
    ['9990000008', 'ACCOUNT_NAME_MISMATCH'],
    ['9990000006', 'DORMANT_ACCOUNT'],
    ['9990000005', 'DO_NOT_HONOR'],
    ['9990000034', 'SUSPECTED_FRAUD'],
    ['9990000061', 'LIMIT_EXCEEDED'],
    ['9990000091', 'BANK_UNAVAILABLE'],
    ['9990000099', 'PROVIDER_ERROR'],
  ])('%s fails with %s and gives everything back', async (accountNumber, failureReason) => {
    const before = await balanceOf(service.staging)
    const reference = await send(service.staging, accountNumber)
    expect(await untilStatus(service.staging, reference, 'FAILED')).toMatchObject({ failureReason, sessionId: null })
    expect(await balanceOf(service.staging)).toEqual(before)
    expect(await eventsOf(service.database, reference)).toEqual(['transfer.failed'])
  })

  it('9990000009 stays queued until a tester completes it', async () => {
    const reference = await send(still.staging, '9990000009')
    for (const ms of [60_000, 3_600_000, 86_400_000]) {
      clock.advance(ms)
      // Another transfer succeeds while this one does not move.
      const other = await send(still.staging, '9990000001')
      clock.advance(settleMs)
      await untilStatus(still.staging, other, 'SUCCESS')
      expect(expectSuccess(await still.staging.get(`/v1/transfers/${reference}`)).status).toBe('queued')
    }
    const answer = await still.staging.post(`/v1/sandbox/transfers/${reference}/complete`, { status: 'SUCCESS' })
    expect(expectSuccess(answer).status).toBe('SUCCESS')
  })

  it('9990000097 is unknown for half a minute and has succeeded when it is asked about after that', async () => {
    const reference = await send(still.staging, '9990000097')
    const read = async () => expectSuccess(await still.staging.get(`/v1/transfers/${reference}`))
    clock.advance(29_000)
    expect((await read()).status).toBe('queued')
    // The next question depends on whether a process has just asked.
    const ended = await untilHolds(async () => {
      clock.advance(30_000)
      const data = await read()
      expect(data.status).toBe('SUCCESS')
      return data
    })
    expect(ended.sessionId).toMatch(/^\d{30}$/)
    expect(await eventsOf(still.database, reference)).toEqual(['transfer.success'])
  })

  it('9990000050 succeeds and comes back after five seconds', async () => {
    const before = await balanceOf(still.staging)
    const reference = await send(still.staging, '9990000050')
    clock.advance(settleMs)
    const succeeded = await untilStatus(still.staging, reference, 'SUCCESS')
    clock.advance(4_999)
    expect(expectSuccess(await still.staging.get(`/v1/transfers/${reference}`)).status).toBe('SUCCESS')
    clock.advance(1)
    const reversed = await untilStatus(still.staging, reference, 'REVERSED')
    expect(reversed).toEqual({
      ...succeeded,
      status: 'REVERSED',
      updatedAt: reversed.updatedAt,
      completedAt: reversed.completedAt,
    })
    expect(Date.parse(reversed.updatedAt) - Date.parse(succeeded.updatedAt)).toBe(5_000)
    expect(await balanceOf(still.staging)).toEqual(before)
    expect(await eventsOf(still.database, reference)).toEqual(['transfer.success', 'transfer.reversed'])
  })
})
