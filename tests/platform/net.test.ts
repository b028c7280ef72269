import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { createFakeClock } from '#tests/support/clock.ts'
import { answered, get, local, newNet, rawReceiver, receiver, text, useLocalServers } from './fixtures/local-servers.ts'

useLocalServers()

describe('a request whose time to be sent is over', () => {
  test('when its turn on a connection comes, sends no byte, and says so', async () => {
    let requests = 0
    const { url } = await receiver((_request, response) => response.end(`done ${++requests}`))
    const net = newNet()
    let isTime = true
    const mayLeave = (): boolean => isTime
    expect(text(await get(net, url, { mayLeave }))).toBe('done 1')
    isTime = false
    for (let again = 0; again < 2; again++)
      expect(await get(net, url, { mayLeave })).toMatchObject({ kind: 'failed', reason: 'aborted', sent: false })
    isTime = true
    expect(text(await get(net, url, { mayLeave }))).toBe('done 2')
  })
})

describe('an answer', () => {
  test('comes back whole, and the request arrives as it was given', async () => {
    const { url, port } = await receiver((request, response) => {
      const { host, 'x-sent': sent, 'content-length': length } = request.headers
      response.writeHead(201, { 'Content-Type': 'text/plain', 'X-Twice': ['a', 'b'] })
      response.write([request.method, request.url, host, sent, length, ''].join(' '))
      request.pipe(response)
    })
    const result = await get(newNet(), `${url}?a=1#part`, {
      method: 'POST',
      body: 'héllo',
      headers: { 'X-Sent': 'yes' },
    })
    expect(answered(result)).toMatchObject({ status: 201, truncated: false, durationMs: expect.any(Number) })
    expect(text(result)).toBe(`POST /hook?a=1 127.0.0.1:${port} yes 6 héllo`)
    expect(answered(result).headers).toMatchObject({ 'content-type': 'text/plain', 'x-twice': 'a,b' })
    expect(answered(result)).not.toHaveProperty('retryAfterSeconds')
  })

  test('is cut at maxResponseBytes, and the connection of the rest is not used again', async () => {
    const { url, seen } = await receiver((request, response) => response.end(request.url?.repeat(20_000)))
    const net = newNet()
    const cut = await get(net, url, { maxResponseBytes: 7 })
    expect([text(cut), answered(cut).truncated]).toEqual(['/hook/h', true])
    expect(text(await get(net, url)).length).toBe(100_000)
    expect(seen.connections).toBe(2)
  })

  test('of exactly maxResponseBytes is not truncated, and its connection is used again', async () => {
    const { url, seen } = await receiver((_request, response) => response.end('12345'))
    const net = newNet()
    for (const maxResponseBytes of [5, 5, 6]) {
      expect(answered(await get(net, url, { maxResponseBytes }))).toMatchObject({ truncated: false })
    }
    expect(seen.connections).toBe(1)
  })

  test('without an end is cut off, and the receiver notices', async () => {
    const gone = Promise.withResolvers<void>()
    const { url } = await receiver((_request, response) => {
      const more = (): void => void (response.write('x'.repeat(65_536)) && setImmediate(more))
      response.on('drain', more).on('close', () => gone.resolve())
      more()
    })
    expect(answered(await get(newNet(), url, { maxResponseBytes: 100_000 }))).toMatchObject({ truncated: true })
    await gone.promise
  })

  test('that redirects is an answer: the client does not follow it', async () => {
    const target = await receiver((_request, response) => response.end())
    const { url } = await receiver((_request, response) => response.writeHead(302, { location: target.url }).end())
    expect(answered(await get(newNet(), url)).status).toBe(302)
    expect(target.seen.connections).toBe(0)
  })

  test('is not decompressed', async () => {
    const packed = gzipSync('x'.repeat(10_000))
    const { url } = await receiver((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    )
    expect(answered(await get(newNet(), url)).body).toEqual(packed)
  })

  test('is the final one, not an interim one before it', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.writeHead(204).end())
    })
    expect(answered(await get(newNet(), url)).status).toBe(204)
  })

  test.each([
    ['120', 120],
    ['0', 0],
    ['Sun, 06 Nov 1994 09:49:38 GMT', 3_601],
    ['Sunday, 06-Nov-94 08:51:37 GMT', 120],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Sat, 05 Nov 1994 08:49:37 GMT', 0],
    ['Sun, 06 Nov 2094 08:49:37', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['99999999999999999999', undefined],
    ['soon', undefined],
  ])('with Retry-After %j means %j seconds', async (header, seconds) => {
    const { url } = await receiver((_request, response) => response.writeHead(503, { 'Retry-After': header }).end())
    const clock = createFakeClock(Date.parse('1994-11-06T08:49:37.000Z'))
    expect(answered(await get(newNet({ clock }), url)).retryAfterSeconds).toBe(seconds)
  })

  test('comes straight from the receiver, whatever proxy the environment names', async () => {
    const proxy = await receiver((_request, response) => response.end('proxy'))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, proxy.url)
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    const { url } = await receiver((_request, response) => response.end('receiver'))
    expect(text(await get(newNet(), url))).toBe('receiver')
    expect(proxy.seen.connections).toBe(0)
  })
})

describe('a failure', () => {
  test('a receiver that never answers is given up at the time limit, and its connection is closed', async () => {
    const gone = Promise.withResolvers<void>()
    const { url } = await receiver((request) => void request.socket.on('close', () => gone.resolve()))
    const result = await get(newNet(), url, { timeoutMs: 1_000 })
    expect(result).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
      sent: true,
      message: expect.stringMatching(/within 1000 ms/),
    })
    expect(result.durationMs).toBeGreaterThanOrEqual(999)
    await gone.promise
  })

  test.each([
    ['headers', 'HTTP/1.1 200 OK\r\nx-slow: '],
    ['body', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'],
  ])('a receiver that dribbles its %s is cut off at the time limit', async (_name, beginning) => {
    const { port } = await rawReceiver((socket) => {
      socket.write(beginning)
      const timer = setInterval(() => socket.write('x'), 10)
      socket.on('close', () => clearInterval(timer))
    })
    const result = await get(newNet(), `http://127.0.0.1:${port}/`, { timeoutMs: 1_000 })
    const message = expect.stringMatching(/within 1000 ms/)
    expect(result).toMatchObject({ kind: 'failed', reason: 'timeout', sent: true, message })
  })

  test('a receiver that resets after the request may have acted: sent, and sent once', async () => {
    let requests = 0
    const { url } = await receiver((request) => {
      requests++
      request.socket.resetAndDestroy()
    })
    const result = await get(newNet(), url)
    expect(result).toMatchObject({ kind: 'failed', reason: 'protocol', sent: true })
    expect(requests).toBe(1)
  })

  test('a receiver that resets in the middle of its answer may have acted', async () => {
    const { url } = await receiver((request, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('123', () => request.socket.resetAndDestroy())
    })
    expect(await get(newNet(), url)).toMatchObject({ kind: 'failed', reason: 'protocol', sent: true })
  })

  test('a receiver that resets every connection never sees a request', async () => {
    // Without TLS the request may already be on its way, so `sent` can be either; with TLS it cannot.
    const { port } = await rawReceiver((socket) => socket.resetAndDestroy())
    const [clear, secure] = [
      await get(newNet(), `http://127.0.0.1:${port}/`),
      await get(newNet(), `https://a.test:${port}/`),
    ]
    expect(clear).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^(protocol|connect)$/) })
    expect(secure).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^(tls|connect)$/), sent: false })
  })

  test('a port without a listener: certainly not sent', async () => {
    const { server, port } = await rawReceiver(() => {})
    server.close()
    const message = 'no connection was made (ECONNREFUSED)'
    for (const host of ['127.0.0.1', 'two.test']) {
      const net = newNet({ resolve: () => Promise.resolve([...local, { address: '127.0.0.2', family: 4 }]) })
      const result = await get(net, `https://${host}:${port}/`)
      expect(result).toMatchObject({ kind: 'failed', reason: 'connect', sent: false, message })
    }
  })

  test.each([
    ['no HTTP', 'hello\r\n\r\n', 'not valid HTTP/1.1'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'not valid HTTP/1.1'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(20)}\r\n`, 'too large'],
  ])('a receiver that answers with %s', async (_name, bytes, message) => {
    const { port } = await rawReceiver((socket) => void socket.once('data', () => socket.end(bytes)))
    const result = await get(newNet(), `http://127.0.0.1:${port}/`)
    expect(result).toMatchObject({
      kind: 'failed',
      reason: 'protocol',
      sent: true,
      message: expect.stringContaining(message),
    })
  })

  test.each([
    '',
    'hook',
    '/hook',
    'ftp://a.test/',
    'file:///etc/passwd',
    'http://',
    'https://user:pass@a.test/',
    'https://user@a.test/',
  ])('the URL %j is not called', async (url) => {
    expect(await get(newNet(), url)).toMatchObject({ kind: 'failed', reason: 'protocol', sent: false })
  })

  test('a header that would split the request is not sent, and is not repeated in the message', async () => {
    const { url } = await receiver((_request, response) => response.end())
    const result = await get(newNet(), url, { headers: { 'x-note': 'secret\r\nx-other: 1' } })
    expect(result).toMatchObject({
      kind: 'failed',
      reason: 'protocol',
      sent: false,
      message: 'the request is not valid HTTP',
    })
  })

  test.each([
    [
      'that does not exist',
      () => Promise.reject(Object.assign(new Error('10.0.0.53 says no'), { code: 'ENOTFOUND' })),
      'the host name leads to no public address',
    ],
    ['without addresses', () => Promise.resolve([]), 'the host name leads to no public address'],
  ])('a name %s', async (_name, resolve, message) => {
    const result = await get(newNet({ resolve }), 'http://a.test/')
    expect(result).toMatchObject({ kind: 'failed', reason: 'dns', sent: false, message })
  })

  test('a name that is never resolved, and a TLS handshake that never ends, meet the connect limit', async () => {
    const { port } = await rawReceiver(() => {})
    const deaf = newNet({ connectTimeoutMs: 50, resolve: () => new Promise(() => {}) })
    const results = await Promise.all([
      get(deaf, `http://a.test:${port}/`),
      get(newNet({ connectTimeoutMs: 50 }), `https://a.test:${port}/`),
    ])
    for (const result of results) expect(result).toMatchObject({ kind: 'failed', reason: 'timeout', sent: false })
  })

  test('a time limit that ends before the connection is made: certainly not sent, and the connecting stops', async () => {
    const gone = Promise.withResolvers<void>()
    const { port } = await rawReceiver((socket) => void socket.resume().on('close', () => gone.resolve()))
    const result = await get(newNet(), `https://a.test:${port}/`, { timeoutMs: 1_000 })
    expect(result).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
      sent: false,
      message: expect.stringMatching(/could not be sent/),
    })
    await gone.promise
  })

  test('a caller who cancels learns whether the request had left', async () => {
    const arrived = Promise.withResolvers<void>()
    const { url, port, seen } = await receiver(() => arrived.resolve())
    const net = newNet({ resolve: () => new Promise(() => {}) })
    const aborted = { kind: 'failed', reason: 'aborted' }
    expect(await get(net, url, { signal: AbortSignal.abort() })).toMatchObject({ ...aborted, sent: false })
    expect(seen.connections).toBe(0)
    const [resolving, answering] = [new AbortController(), new AbortController()]
    const unresolved = get(net, `http://a.test:${port}/`, { signal: resolving.signal })
    const unanswered = get(net, url, { signal: answering.signal })
    await arrived.promise
    resolving.abort()
    answering.abort()
    expect(await unresolved).toMatchObject({ ...aborted, sent: false })
    expect(await unanswered).toMatchObject({ ...aborted, sent: true })
  })
})
