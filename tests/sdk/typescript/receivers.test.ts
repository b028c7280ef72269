// The receivers for frameworks, with requests in the form that each framework passes on.

import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { Manilla } from '#sdk/client.ts'
import { createFakeManilla, signWebhook } from '#sdk/testing.ts'
import type { WebhookEvent } from '#sdk/types.ts'
import {
  expressWebhook,
  fastifyWebhook,
  honoWebhook,
  nodeWebhook,
  verifyWebhook,
  webhookHandler,
  type ReceiverOptions,
} from '#sdk/webhooks.ts'

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const body = '{"id":"evt_1","event":"transfer.success","reference":"PAYOUT-1","data":{}}'
const signed = await signWebhook(body, secret)
const forged = await signWebhook(body, 'whsec_other')

const failing = (): never => {
  throw new Error('The database is down.')
}

type Receive = (options: ReceiverOptions, rawBody: string, headers: Record<string, string>) => Promise<unknown>

const request = (rawBody: string, headers: Record<string, string>): Request =>
  new Request('http://localhost/webhooks', { method: 'POST', body: rawBody, headers })

const lowerCase = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

async function express(options: ReceiverOptions, asked: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const response = { status: (code: number) => ({ end: () => resolve(code) }) }
    void expressWebhook(options)(asked as Parameters<ReturnType<typeof expressWebhook>>[0], response, reject)
  })
}

const receivers: [string, Receive][] = [
  ['a handler of requests', async (o, b, h) => (await webhookHandler(o)(request(b, h))).status],
  ['Hono', async (o, b, h) => (await honoWebhook(o)({ req: { raw: request(b, h) } })).status],
  [
    'Express, with no parser',
    (o, b, h) => express(o, Object.assign(Readable.from([Buffer.from(b)]), { headers: lowerCase(h) })),
  ],
  ['Express, with express.raw', (o, b, h) => express(o, { headers: lowerCase(h), body: Buffer.from(b) })],
  [
    'Fastify',
    async (o, b, h) => {
      type Scope = Parameters<ReturnType<typeof fastifyWebhook>>[0]
      const { promise, resolve } = Promise.withResolvers<Parameters<Scope['post']>[1]>()
      const parse = vi.fn<Scope['addContentTypeParser']>()
      await fastifyWebhook('/webhooks', o)({ addContentTypeParser: parse, post: (_path, handler) => resolve(handler) })
      expect(parse.mock.calls[0]?.slice(0, 2)).toEqual(['application/json', { parseAs: 'buffer' }])
      const handle = await promise
      return handle({ headers: lowerCase(h), body: Buffer.from(b) }, { code: (status) => ({ send: () => status }) })
    },
  ],
]

async function node(options: ReceiverOptions, rawBody: string, headers: Record<string, string>): Promise<unknown> {
  const asked = Object.assign(Readable.from([Buffer.from(rawBody)]), { headers: lowerCase(headers) })
  const { promise, resolve } = Promise.withResolvers<number>()
  await nodeWebhook(options)(asked, { writeHead: (status) => ({ end: () => resolve(status) }) })
  return promise
}

describe.each(receivers)('%s', (_name, receive) => {
  it('hands over the event of a signed delivery, and answers 200', async () => {
    const events: WebhookEvent[] = []
    expect(await receive({ secret, onEvent: (event) => events.push(event) }, body, signed)).toBe(200)
    expect(events.map(({ id }) => id)).toEqual(['evt_1'])
  })

  it('answers 400 to a forged one, a changed one and one without a signature, and hands over nothing', async () => {
    const onEvent = vi.fn()
    const answers = [
      await receive({ secret, onEvent }, body, forged),
      await receive({ secret, onEvent }, `${body} `, signed),
      await receive({ secret, onEvent }, body, {}),
    ]
    expect([answers, onEvent.mock.calls]).toEqual([[400, 400, 400], []])
  })

  it('leaves an error of the receiver to the framework, which answers 500, so that the event comes again', async () => {
    await expect(receive({ secret, onEvent: failing }, body, signed)).rejects.toThrow('The database is down.')
  })
})

it('the server of Node answers 200, 400, and 500 with the error on the console', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const onEvent = vi.fn()
  const answers = [await node({ secret, onEvent }, body, signed), await node({ secret, onEvent }, body, forged)]
  answers.push(await node({ secret, onEvent: failing }, body, signed))
  expect([answers, onEvent.mock.calls.length]).toEqual([[200, 400, 500], 1])
  expect(log.mock.calls.flat()).toEqual([expect.objectContaining({ message: 'The database is down.' })])
  log.mockRestore()
})

it('a body that a parser has consumed is reported, not refused', async () => {
  const asked = { headers: lowerCase(signed), body: { id: 'evt_1' }, readableEnded: true }
  await expect(express({ secret, onEvent: () => undefined }, asked)).rejects.toThrow('before express.json()')
  const read = request(body, signed)
  await read.text()
  await expect(webhookHandler({ secret, onEvent: () => undefined })(read)).rejects.toThrow('was read before')
})

it('a body above 1 MiB is refused, however it is signed, and its rest is not read', async () => {
  const onEvent = vi.fn()
  const large = `{"id":"evt_1","event":"transfer.success","data":"${'x'.repeat(1_048_576)}"}`
  const headers = await signWebhook(large, secret)
  let chunksRead = 0
  function* chunks(): Generator<Buffer> {
    for (let chunk = 0; chunk < 1_000; chunk++) {
      chunksRead += 1
      yield Buffer.alloc(65_536)
    }
  }
  const endless = () => Object.assign(Readable.from(chunks()), { headers: lowerCase(headers) })
  const streamed = { method: 'POST', headers, body: Readable.toWeb(Readable.from(chunks())), duplex: 'half' } as const
  const stream = new Request('http://localhost', streamed)
  const answers = [
    await webhookHandler({ secret, onEvent })(request(large, headers)).then(({ status }) => status),
    await webhookHandler({ secret, onEvent })(stream).then(({ status }) => status),
    await express({ secret, onEvent }, endless()),
    await node({ secret, onEvent }, large, headers),
  ]
  expect([answers, onEvent.mock.calls]).toEqual([[400, 400, 400, 400], []])
  expect(chunksRead).toBeLessThan(200)
})

it('an empty secret is a mistake and verifies nothing', async () => {
  for (const secrets of ['', [], [secret, '']]) {
    await expect(verifyWebhook(body, signed['X-Webhook-Signature'], secrets)).rejects.toThrow('secret is empty')
  }
})

describe('the fake', () => {
  const transfer = {
    reference: 'PAYOUT-1',
    amount: 150_000,
    bankSlug: 'guaranty-trust-bank',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
  }

  it('keeps one payment for each reference, and replays it', async () => {
    const { client, settle } = createFakeManilla()
    expect((await client.transfers.initiate(transfer)).status).toBe('queued')
    await expect(client.transfers.waitFor('PAYOUT-1')).rejects.toMatchObject({ code: 'STILL_PENDING' })
    settle('PAYOUT-1', 'FAILED', 'INVALID_ACCOUNT')
    const again = await client.transfers.initiate(transfer)
    expect([again.status, again.lastResponse.replayed]).toEqual(['queued', true])
    expect(await client.transfers.waitFor('PAYOUT-1')).toMatchObject({ status: 'FAILED', isFinal: true })
    await expect(client.transfers.initiate({ ...transfer, amount: 1 })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(client.transfers.get('PAYOUT-2')).rejects.toMatchObject({ code: 'TRANSFER_NOT_FOUND' })
    const sent = await client.transfers.initiateMany([transfer, { ...transfer, reference: 'PAYOUT-2' }])
    expect(sent).toMatchObject({ accepted: 1, replayed: 1, refused: 0 })
    expect((await client.transfers.list().all()).map(({ reference }) => reference)).toEqual(['PAYOUT-2', 'PAYOUT-1'])
  })

  it('loses answers and refuses, as a test tells it to', async () => {
    const { client, fail, requests, answer } = createFakeManilla()
    fail('lost')
    const { lastResponse } = await client.transfers.initiate(transfer)
    expect(lastResponse.recovered).toBe(true)
    expect(requests.map((one) => one.request)).toEqual(['POST /v1/transfers/initiate', 'GET /v1/transfers/PAYOUT-1'])
    fail({ status: 429, code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 7 })
    await expect(client.balance.get()).rejects.toMatchObject({ kind: 'rate_limit', retryAfterSeconds: 7 })
    answer('GET /v1/banks', { banks: [] })
    expect(await client.banks.list()).toEqual({ banks: [] })
    await expect(client.balance.get()).rejects.toThrow('tell it one with answer()')
  })

  it('a caller can end a call before it is sent, while it is sent and between attempts', async () => {
    const aborted = AbortSignal.abort('no longer needed')
    const { client, requests } = createFakeManilla()
    const unsent = client.transfers.initiate(transfer, { signal: aborted })
    await expect(unsent).rejects.toMatchObject({ code: 'ABORTED', cause: 'no longer needed', unclear: false })
    expect(requests).toEqual([])

    const endedBy = async (attempt: (end: () => void) => Response | Error): Promise<unknown> => {
      const ending = new AbortController()
      const fetchOnce = async (): Promise<Response> => {
        const outcome = attempt(() => ending.abort('stopped'))
        if (outcome instanceof Error) throw outcome
        return outcome
      }
      const own = new Manilla({ apiKey: 'sk_test_1', baseUrl: 'http://fake.invalid', fetch: fetchOnce })
      return own.transfers.initiate(transfer, { signal: ending.signal }).catch((error: unknown) => error)
    }
    const expected = { code: 'ABORTED', cause: 'stopped', unclear: true }
    const whileSent = await endedBy((end) => {
      end()
      return new TypeError('The request was aborted.')
    })
    expect(whileSent).toMatchObject(expected)
    const between = await endedBy((end) => {
      setTimeout(end)
      return new Response('', { status: 503 })
    })
    expect(between).toMatchObject(expected)
  })

  it('a list is its first page when it is awaited, and fails as the page does', async () => {
    const { client, fail } = createFakeManilla()
    await client.transfers.initiateMany([transfer, { ...transfer, reference: 'PAYOUT-2' }])
    const { items, lastResponse } = await client.transfers.list()
    expect([items.length, lastResponse.attempts]).toEqual([2, 1])
    fail({ status: 401, code: 'UNAUTHORIZED' })
    await expect(client.transfers.list()).rejects.toMatchObject({ kind: 'authentication' })
  })
})
