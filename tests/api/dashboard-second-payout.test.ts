// A person who sends the same payout twice within a day must confirm it. A program need not, because its references
// already prevent duplicates.

import { describe, expect, it } from 'vitest'
import { neverEnding, transferBody, untilStatus } from '#tests/payments/requests.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const owner = await addPerson(service, { role: 'owner' })
const finance = await addPerson(service, { role: 'finance' })
const here = below(service, 'staging')

let made = 0
/** Differs from other payouts of this amount in its reference alone. */
function payout(amount: number, changes: Record<string, unknown> = {}) {
  made += 1
  return transferBody({ reference: `SECOND-${made}`, amount, accountNumber: neverEnding, ...changes })
}

function send(body: Record<string, unknown>, second?: string, person = owner): Promise<Answer> {
  const headers = second === undefined ? {} : { 'X-Manilla-Second': second }
  return person.call(`${here}/v1/transfers/initiate`, { method: 'POST', body, headers })
}

function expectTwin(answer: Answer, reference: unknown): void {
  expectError(answer, 409, 'SECOND_PAYOUT')
  expect(answer.body.error?.details).toMatchObject([{ field: 'second', message: reference }])
}

describe('a second payout of an amount to an account within a day', () => {
  it('is refused until the first one is named, by each person, and once for each payout', async () => {
    const [first, second, third] = [payout(100_001), payout(100_001), payout(100_001)]
    expectSuccess(await send(first))
    expectTwin(await send(second), first['reference'])
    expectTwin(await send(second, undefined, finance), first['reference'])
    expectTwin(await send(second, 'ANOTHER'), first['reference'])
    expectSuccess(await send(second, String(first['reference'])))
    expectTwin(await send(third, String(first['reference'])), second['reference'])
    // The same reference again is the same payout.
    expect((await send(second)).headers['idempotent-replayed']).toBe('true')
  })

  it('is not refused where anything differs, nor after a day', async () => {
    expectSuccess(await send(payout(100_002)))
    expectSuccess(await send(payout(100_003)))
    expectSuccess(await send(payout(100_002, { accountNumber: '0123456789' })))
    const old = `update payment set created_at = created_at - interval '1 day' where amount = 100002`
    await asOwner(service.database, old)
    expectSuccess(await send(payout(100_002)))
  })

  it('is not refused when the first one failed for good', async () => {
    const first = payout(100_004, { accountNumber: '9990000091' })
    expectSuccess(await send(first))
    await untilStatus(service.staging, String(first['reference']), 'FAILED')
    expectSuccess(await send(payout(100_004, { accountNumber: '9990000091' })))
  })

  it('is sent once from two tabs that send at once, also when both have confirmed', async () => {
    const at = async (bodies: Record<string, unknown>[], second?: string): Promise<number[]> =>
      (await Promise.all(bodies.map((body) => send(body, second)))).map(({ status }) => status).toSorted()
    for (const amount of [100_005, 100_006, 100_007]) {
      const first = [payout(amount), payout(amount), payout(amount)]
      expect(await at(first)).toEqual([200, 409, 409])
      const [sent] = await asOwner<{ reference: string }>(
        service.database,
        `select reference from payment where amount = ${amount}`,
      )
      expect(await at([payout(amount), payout(amount)], sent?.reference)).toEqual([200, 409])
    }
  })

  it('to a wallet is refused too', async () => {
    const wallet = (reference: string) => ({ reference, amount: 50_005, phoneNumber: '08000000008' })
    const pay = (reference: string) => owner.post(`${here}/v1/momo/transfer`, wallet(reference))
    expectSuccess(await pay('WALLET-1'))
    expectTwin(await pay('WALLET-2'), 'WALLET-1')
  })

  it('is sent when a program asks, which knows its references', async () => {
    for (const _ of [1, 2]) expectSuccess(await service.staging.post('/v1/transfers/initiate', payout(100_008)))
  })
})

describe('pausing payouts', () => {
  const path = `${below(service, 'production')}/pause`
  const reason = 'The bank asked us to wait.'

  it('in production needs a recent second factor and a reason, and the log has the pause and its end', async () => {
    const old = await addPerson(service, { role: 'admin', hasFactor: true })
    const now = await addPerson(service, { role: 'admin', hasFactor: true, steppedUp: true })
    for (const isPaused of [true, false]) {
      expectError(await owner.post(path, { isPaused, reason }), 403, 'SECOND_FACTOR_REQUIRED')
      expectError(await old.post(path, { isPaused, reason }), 403, 'STEP_UP_REQUIRED')
      expectError(await now.post(path, { isPaused }), 400, 'VALIDATION_ERROR')
      expectError(await now.post(path, { isPaused, reason: '  ' }), 400, 'VALIDATION_ERROR')
      expect(expectSuccess(await now.post(path, { isPaused, reason }))).toMatchObject({
        isPaused,
        reason: isPaused ? reason : null,
      })
      const act = isPaused ? 'payouts.paused' : 'payouts.resumed'
      const [entry] = expectSuccess(await owner.get(`${below(service)}/audit?act=${act}`)).entries
      expect(entry).toMatchObject({ actor: now.email, environment: 'production', details: { reason } })
    }
  })

  it('in staging needs neither', async () => {
    for (const isPaused of [true, false]) expectSuccess(await owner.post(`${here}/pause`, { isPaused }))
  })
})
