// One journey of a program that uses the SDK, against the whole service: money in, money out, and the events of both.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { Manilla } from '#sdk/client.ts'
import { naira } from '#sdk/money.ts'
import type { WebhookEvent } from '#sdk/types.ts'
import { expressWebhook } from '#sdk/webhooks.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })
const client = new Manilla({ apiKey: service.testKey, baseUrl: `${service.url}/staging` })
const run = `SDK-${Date.now()}`

it('takes money for an order, pays it out, and gets the events of both', async () => {
  const events: WebhookEvent[] = []
  let secret = ''
  const receiver = createServer((request, response) => {
    const answer = { status: (code: number) => ({ end: () => response.writeHead(code).end() }) }
    const receive = expressWebhook({ secret, onEvent: (event) => events.push(event) })
    void receive(request, answer, () => response.writeHead(500).end())
  }).listen(0, '127.0.0.1')
  afterAll(() => receiver.close())
  await untilHolds(() => expect(receiver.listening).toBe(true))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`
  const webhook = await client.webhooks.create({ url, events: ['transfer.success', 'deposit.success'] })
  secret = webhook.secret

  const order = await client.virtualAccounts.openDynamic({ amount: naira('5,000.00'), reference: `${run}-ORDER` })
  const deposit = await client.sandbox.deposit({ accountNumber: order.accountNumber, amount: 500_000 })
  expect(await client.deposits.validate(deposit.reference)).toMatchObject({ exists: true, valid: true })

  const request = {
    reference: `${run}-PAYOUT`,
    amount: naira('1500.00'),
    bankSlug: 'guaranty-trust-bank',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
  }
  const sent = await client.transfers.initiate(request)
  expect([sent.status, sent.lastResponse.replayed]).toEqual(['queued', false])
  expect((await client.transfers.initiate(request)).lastResponse.replayed).toBe(true)
  await expect(client.transfers.initiate({ ...request, amount: 1 })).rejects.toMatchObject({ kind: 'conflict' })
  expect((await client.transfers.waitFor(request.reference)).status).toBe('SUCCESS')

  const bulk = Array.from({ length: 3 }, (_, at) => ({ ...request, reference: `${run}-BULK-${at}` }))
  expect(await client.transfers.initiateMany(bulk)).toMatchObject({ accepted: 3, refused: 0 })
  const references: string[] = []
  for await (const { reference } of client.transfers.list({ limit: 2 })) references.push(reference)
  expect(references).toEqual([...bulk.map(({ reference }) => reference).toReversed(), request.reference])

  await untilHolds(() => expect(events.map(({ event }) => event)).toContain('transfer.success'))
  await untilHolds(() =>
    expect(events.find((one) => one.reference === deposit.reference)?.event).toBe('deposit.success'),
  )
  await expect(client.transfers.get('NO-SUCH')).rejects.toMatchObject({ kind: 'not_found', status: 400 })
})
