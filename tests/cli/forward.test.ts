// Forwards deliveries to a developer's program. Each result is an answer that says what happened.

import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { forwardDelivery, parseForwardUrl } from '#cli/forward.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function listening(server: Server): Promise<URL> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new URL(`http://localhost:${(server.address() as AddressInfo).port}/hook?a=1`)
}

const receiver = (answer: RequestListener): Promise<URL> => listening(createServer(answer))

const packed = { headers: { 'X-Webhook-Id': 'evt_1' }, body: Buffer.from('{"text":"Ọlá"}') }

function post(url: URL, options: { signal?: AbortSignal; answerMs?: number } = {}) {
  const { signal = new AbortController().signal, answerMs = 10_000 } = options
  return forwardDelivery(url, packed, { signal, limits: { answerMs } })
}

describe('forwarding', () => {
  it('sends path, headers and the very bytes, and measures the whole answer', async () => {
    const got: unknown[] = []
    const url = await receiver((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method, url: path, headers } = request
        got.push([method, path, headers['x-webhook-id'], headers['content-length'], Buffer.concat(chunks)])
        response.writeHead(204).end()
      })
    })
    expect(await post(url)).toEqual({ responseCode: 204, error: null, durationMs: expect.any(Number) })
    expect(got).toEqual([['POST', '/hook?a=1', 'evt_1', String(packed.body.length), packed.body]])
  })

  it.each([
    [
      'an error with its text, in one line and without what a terminal would obey',
      500,
      {},
      'a\n\u001b[2Jb\u0000',
      'a [2Jb',
    ],
    ['an error with nothing to say', 503, {}, '', 'not a success'],
    ['a redirect, which it does not follow', 302, { Location: '/x' }, '', 'redirects are not followed (/x)'],
    [
      'a redirect without what a terminal would obey',
      302,
      { Location: '/x\u009B2J' },
      '',
      'redirects are not followed (/x 2J)',
    ],
    ['the beginning of a long text', 404, {}, 'x'.repeat(1_000_000), 'x'.repeat(200)],
  ])('tells %s', async (_what, status, headers, text, error) => {
    const url = await receiver((_request, response) => response.writeHead(status, headers).end(text))
    expect(await post(url)).toMatchObject({ responseCode: status, error })
  })

  it('tells that no program listens, on a port that was closed', async () => {
    const server = createTcpServer()
    const url = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await post(url)).toMatchObject({
      responseCode: null,
      error: 'nothing listens on this address; start your receiver',
    })
  })

  it('tells that a name is not known', async () => {
    const url = new URL('http://no-such-name.invalid/')
    expect(await post(url)).toMatchObject({ responseCode: null, error: 'unknown host name' })
  })

  it('tells that the connection broke', async () => {
    const url = await listening(createTcpServer((socket) => socket.once('data', () => socket.destroy())))
    const error = 'the connection was closed before the response was complete'
    expect(await post(url)).toMatchObject({ responseCode: null, error })
  })

  it.each<[string, RequestListener]>([
    ['no answer', () => undefined],
    ['an answer without an end', (_request, response) => void response.writeHead(200).write('a')],
  ])('gives up on %s', async (_what, answer) => {
    const error = 'no complete response within 0.1 s'
    expect(await post(await receiver(answer), { answerMs: 100 })).toMatchObject({ responseCode: null, error })
  })

  it('stops at once when it is asked to', async () => {
    const stop = new AbortController()
    const url = await receiver(() => stop.abort())
    expect(await post(url, { signal: stop.signal })).toMatchObject({ error: 'stopped before the response' })
  })
})

describe('an address to forwardDelivery to', () => {
  it.each(['http://localhost:3000', 'https://receiver.local/hook', 'http://[::1]:3000/', 'http://192.168.1.7/'])(
    '%s is taken',
    (text) => {
      expect(parseForwardUrl(text).href).toContain(text)
    },
  )

  it.each([
    ['localhost:3000', /write http:\/\/localhost:3000$/],
    ['3000', /write http:\/\/localhost:3000$/],
    ['/hook', /takes an http or https URL, not .*\.$/],
    ['', /takes an http or https URL, not .*\.$/],
    ['http://a@localhost', /no user name/],
  ])('%s is refused', (text, sentence) => {
    expect(() => parseForwardUrl(text)).toThrow(sentence)
  })
})
