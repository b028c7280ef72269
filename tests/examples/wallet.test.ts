// The wallet app of examples/: money that comes by bank or by mobile money is credited once.

import { expect, it } from 'vitest'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'
import { followReadme, post, serveExample } from './program.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })
const wallet = await serveExample(service, 'wallet')

const balanceOf = async (id: string): Promise<unknown> => (await fetch(`${wallet.url}/users/${id}/balance`)).json()

it('credits a bank transfer and a mobile-money collection, each once', async () => {
  const { body: user } = await post(`${wallet.url}/users`, { firstName: 'Ada', lastName: 'Obi' })
  const topUp = { phoneNumber: '08000000002', amount: 250_000 }
  const { body: asked } = await post(`${wallet.url}/users/${user['id']}/top-ups`, topUp)
  expect(asked).toMatchObject({ status: 'OTP_REQUIRED', requiresOtp: true })
  const otpUrl = `${wallet.url}/top-ups/${asked['reference']}/otp`
  const wrong = await post(otpUrl, { otp: '000000' })
  expect([wrong.status, wrong.body['message']]).toEqual([400, expect.stringContaining('attempts')])
  expect((await post(otpUrl, { otp: '123456' })).status).toBe(200)
  await untilHolds(async () => expect(await balanceOf(user['id'])).toEqual({ balance: 250_000 }))

  await service.staging.post('/v1/sandbox/deposits', { accountNumber: user['accountNumber'], amount: 100_000 })
  await untilHolds(async () => expect(await balanceOf(user['id'])).toEqual({ balance: 350_000 }))
})

it('does what its README says', async () => {
  expect(await followReadme(service, 'wallet', wallet)).toMatch(/"OTP_REQUIRED"[^]*"balance":250000[^]*"SUCCESSFUL"/)
})
