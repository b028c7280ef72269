// The largest amounts: balances and amounts in progress stay within the exact integers of JSON, and every read
// succeeds.

import { expect, it } from 'vitest'
import { verifyLedger } from '#ledger/verify.ts'
import { collectBody, phones } from '#tests/payments/momo-requests.ts'
import { balanceOf, neverEnding, transferBody, untilStatus } from '#tests/payments/requests.ts'
import { expectError, expectSuccess, type Client } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const most = Number.MAX_SAFE_INTEGER
const opening = 100_000_000_000
const tooMuch = 'amount would take the balance above 9007199254740991, the largest amount'

async function newClient(): Promise<Client> {
  return (await service.addBusiness('Rich')).staging
}

async function expectReadable(client: Client): Promise<void> {
  for (const path of ['/v1/balance', '/v1/balance/ledger', '/v1/transfers', '/v1/momo/collection', '/v1/deposits']) {
    expectSuccess(await client.get(path))
  }
}

it('counts a collection that may still be paid, so that two of them cannot fill the books twice', async () => {
  const client = await newClient()
  const ask = (amount: number) =>
    client.post('/v1/momo/collection', collectBody({ amount, phoneNumber: phones.neverEnding }))
  expectError(await ask(most), 400, 'VALIDATION_ERROR', tooMuch)
  const waiting = expectSuccess(await ask(most - opening - 1_000))
  expectError(await ask(1_001), 400, 'VALIDATION_ERROR', tooMuch)
  expectSuccess(await ask(1_000))
  expectError(await client.post('/v1/sandbox/balance/fund', { amount: 1 }), 400, 'VALIDATION_ERROR', tooMuch)
  // A failed collection makes room again.
  expectSuccess(await client.post(`/v1/sandbox/momo/collection/${waiting.reference}/complete`, { status: 'FAILED' }))
  expectSuccess(await client.post('/v1/sandbox/balance/fund', { amount: most - opening - 1_000 }))
  expectError(await client.post('/v1/sandbox/balance/fund', { amount: 1 }), 400, 'VALIDATION_ERROR', tooMuch)
  await expectReadable(client)
})

it('keeps room for what comes back: held money counts, and a return waits until there is room', async () => {
  const client = await newClient()
  expectSuccess(await client.post('/v1/sandbox/balance/fund', { amount: most - opening }))
  const amount = most - 5_000
  const held = expectSuccess(
    await client.post('/v1/transfers/initiate', transferBody({ amount, accountNumber: neverEnding })),
  )
  expectError(await client.post('/v1/sandbox/balance/fund', { amount: 1 }), 400, 'VALIDATION_ERROR', tooMuch)
  const complete = (status: string) => client.post(`/v1/sandbox/transfers/${held.reference}/complete`, { status })
  expectSuccess(await complete('SUCCESS'))
  expectSuccess(await client.post('/v1/sandbox/balance/fund', { amount: 1 }))
  expectError(
    await complete('REVERSED'),
    400,
    'VALIDATION_ERROR',
    /the returned money would raise the balance above 9007199254740991/,
  )
  expect((await balanceOf(client)).available).toBe(1)
  await expectReadable(client)
  const spent = expectSuccess(await client.get(`/v1/transfers/${held.reference}`))
  expect(spent.status).toBe('SUCCESS')
})

it('survives a thousand payouts of all there is that fail, though each counts in both totals', async () => {
  const client = await newClient()
  expectSuccess(await client.post('/v1/sandbox/balance/fund', { amount: most - opening }))
  const body = () => transferBody({ amount: most - 5_000, accountNumber: neverEnding })
  for (let round = 0; round < 1_100; round++) {
    const { reference } = expectSuccess(await client.post('/v1/transfers/initiate', body()))
    expectSuccess(await client.post(`/v1/sandbox/transfers/${reference}/complete`, { status: 'FAILED' }))
  }
  expect(await balanceOf(client)).toMatchObject({ available: most, reserved: 0, ledger: most })
  await expectReadable(client)
  expect(await verifyLedger(service.ctx)).toEqual([])
  expect(
    await untilStatus(client, expectSuccess(await client.get('/v1/transfers')).transfers[0].reference, 'FAILED'),
  ).toBeDefined()
})
