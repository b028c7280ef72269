import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, test, vi } from 'vitest'
import { untilHolds } from '#tests/support/patience.ts'
import {
  get,
  holdingReceiver,
  listen,
  newNet,
  receiver,
  refused,
  text,
  useLocalServers,
} from './fixtures/local-servers.ts'
import { makeTestCertificate } from './fixtures/test-certificate.ts'

useLocalServers()

describe('TLS', () => {
  async function secureReceiver(hosts: string[], validUntilYear?: number) {
    const certificate = makeTestCertificate(hosts, validUntilYear)
    const names: unknown[] = []
    const server = createHttpsServer(certificate, (request, response) => {
      names.push((request.socket as TLSSocket & { servername?: unknown }).servername)
      response.end('secure')
    })
    server.on('tlsClientError', () => {})
    return { ...(await listen(server)), names, authority: certificate.cert }
  }

  test('is checked against the name in the URL, which the receiver gets too, though the address is pinned', async () => {
    const { port, names, authority, seen } = await secureReceiver(['a.test', '127.0.0.1'])
    const net = newNet({ certificateAuthorities: [authority] })
    for (const host of ['a.test', 'A.TEST', 'a.test.', '127.0.0.1']) {
      expect(text(await get(net, `https://${host}:${port}/`, { headers: { connection: 'close' } }))).toBe('secure')
    }
    expect(names).toEqual(['a.test', 'a.test', 'a.test', false])
    expect(seen.connections).toBe(4)
    const other = await secureReceiver(['a.test'])
    const strict = newNet({ certificateAuthorities: [authority, other.authority] })
    for (const host of [`b.test:${port}`, `sub.a.test:${port}`, `127.0.0.1:${other.port}`]) {
      const result = await get(strict, `https://${host}/`)
      const message = expect.stringMatching(/ALTNAME_INVALID/)
      expect(result, host).toMatchObject({ kind: 'failed', reason: 'tls', sent: false, message })
    }
    expect(other.names).toEqual([])
    expect(names).toHaveLength(4)
    // With a Host header the caller could choose the name that is checked.
    await expect(get(net, `https://b.test:${port}/`, { headers: { Host: 'a.test' } })).rejects.toThrow('Host header')
  })

  test('is refused with a certificate that no authority signed, also where the environment says otherwise', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    vi.spyOn(process, 'emitWarning').mockReturnValue()
    const { port, names } = await secureReceiver(['a.test'])
    const result = await get(newNet(), `https://a.test:${port}/`)
    expect(result).toMatchObject({
      kind: 'failed',
      reason: 'tls',
      sent: false,
      message: expect.stringMatching(/SELF_SIGNED_CERT/),
    })
    expect(names).toEqual([])
  })

  test('is refused with a certificate that has expired', async () => {
    const { port, authority } = await secureReceiver(['a.test'], 2001)
    const result = await get(newNet({ certificateAuthorities: [authority] }), `https://a.test:${port}/`)
    expect(result).toMatchObject({
      kind: 'failed',
      reason: 'tls',
      sent: false,
      message: expect.stringMatching(/CERT_HAS_EXPIRED/),
    })
  })

  test('is not replaced by plain HTTP', async () => {
    const { port } = await receiver((_request, response) => response.end())
    const result = await get(newNet(), `https://a.test:${port}/`)
    expect(result).toMatchObject({ kind: 'failed', reason: 'tls', sent: false })
  })
})

describe('connections', () => {
  test('are kept and used again, one after the other', async () => {
    const { url, seen } = await receiver((_request, response) => response.end('x'))
    const net = newNet()
    for (let index = 0; index < 5; index++) await get(net, url, { method: 'POST', body: '{}' })
    expect(seen.connections).toBe(1)
  })

  test('that were opened with loopback permitted never serve a request without that permission', async () => {
    const { port, seen } = await receiver((_request, response) => response.end('x'))
    const net = newNet()
    const url = `http://a.test:${port}/`
    expect(text(await get(net, url))).toBe('x')
    expect(await get(net, url, { allowLoopback: false })).toMatchObject(refused)
    expect(text(await get(net, url))).toBe('x')
    expect(seen.connections).toBe(1)
  })

  test('that the receiver closed meanwhile are replaced without a failure', async () => {
    const { url, seen, server } = await receiver((_request, response) => response.end('x'))
    const connected = once(server, 'connection')
    const net = newNet()
    await get(net, url)
    const [socket] = (await connected) as [Socket]
    // The receiver's side is closed completely only after our side has seen the end and closed too.
    const closed = once(socket, 'close')
    socket.end()
    await closed
    expect(text(await get(net, url))).toBe('x')
    expect(seen.connections).toBe(2)
  })

  test.each([0, 60_000])(
    'that stand idle too long are closed by us, whatever the receiver offers (%i ms)',
    async (offered) => {
      const { url, server, seen } = await receiver((_request, response) => response.end('x'))
      Object.assign(server, { keepAliveTimeout: offered })
      expect(text(await get(newNet({ idleMs: 30 }), url))).toBe('x')
      await untilHolds(() => expect(seen.open).toBe(0))
    },
  )

  test('never exceed the limit of an origin; the others wait their turn', async () => {
    const { url, connections, counts, untilTotal, release } = await holdingReceiver()
    const net = newNet({ connectionsPerOriginMax: 2 })
    const results = Array.from({ length: 7 }, () => get(net, url))
    expect(await connections()).toBe(2)
    for (let total = 2; total <= 7; total++) {
      await untilTotal(total)
      release()
    }
    release()
    for (const result of await Promise.all(results)) expect(text(result)).toBe('held')
    expect([counts.most, await connections()]).toEqual([2, 2])
  })

  test('never exceed the limit in all, and origins take turns: a crowd for one does not shut out another', async () => {
    const [crowded, quiet] = [await holdingReceiver(), await holdingReceiver()]
    const net = newNet({ connectionsMax: 1 })
    const crowd = [get(net, crowded.url), get(net, crowded.url), get(net, crowded.url)]
    const single = get(net, quiet.url)
    await crowded.untilTotal(1)
    expect([await crowded.connections(), await quiet.connections()]).toEqual([1, 0])
    crowded.release()
    await crowded.untilTotal(2)
    crowded.release()
    // Two requests to the crowded origin came first. The third has waited longer, and still comes after the other
    // origin.
    await quiet.untilTotal(1)
    expect(crowded.counts.total).toBe(2)
    quiet.release()
    await crowded.untilTotal(3)
    crowded.release()
    for (const result of await Promise.all([...crowd, single])) expect(text(result)).toBe('held')
    expect([crowded.counts.most, quiet.counts.most]).toEqual([1, 1])
  })

  test('that stand idle make room for another origin when the limit in all is reached', async () => {
    const first = await receiver((_request, response) => response.end('first'))
    const second = await receiver((_request, response) => response.end('second'))
    const net = newNet({ connectionsMax: 1, idleMs: 60_000 })
    expect(text(await get(net, first.url))).toBe('first')
    expect(text(await get(net, second.url))).toBe('second')
    await untilHolds(() => expect([first.seen.open, second.seen.open]).toEqual([0, 1]))
  })

  test('a request that cannot wait longer, or finds too many waiting, was certainly not sent', async () => {
    const { url, counts, untilTotal, release } = await holdingReceiver()
    const net = newNet({ connectionsPerOriginMax: 1, waitingPerOriginMax: 1 })
    const first = get(net, url)
    await untilTotal(1)
    const waiting = get(net, url, { timeoutMs: 50 })
    expect(await get(net, url)).toMatchObject({
      kind: 'failed',
      reason: 'connect',
      sent: false,
      message: expect.stringMatching(/too many/),
    })
    expect(await waiting).toMatchObject({ kind: 'failed', reason: 'timeout', sent: false })
    release()
    expect(text(await first)).toBe('held')
    const next = get(net, url)
    await untilTotal(2)
    release()
    expect(text(await next)).toBe('held')
    expect(counts.total).toBe(2)
  })

  test('a receiver that never answers delays no other', async () => {
    const dead = await receiver(() => {})
    const { url } = await receiver((_request, response) => response.end('x'))
    const net = newNet({ connectionsPerOriginMax: 2, connectionsMax: 4 })
    const giveUp = new AbortController()
    let ended = 0
    const ask = () => get(net, dead.url, { signal: giveUp.signal }).finally(() => (ended += 1))
    const stuck = Array.from({ length: 20 }, ask)
    for (let index = 0; index < 10; index++) expect(text(await get(net, url))).toBe('x')
    expect(ended).toBe(0)
    giveUp.abort()
    for (const result of await Promise.all(stuck)) expect(result).toMatchObject({ kind: 'failed', reason: 'aborted' })
  })

  test('are closed by close() after all accepted requests were answered, also the waiting ones', async () => {
    const { url, port, seen, counts, untilTotal, release } = await holdingReceiver()
    const idle = await receiver((_request, response) => response.end('x'))
    const idleClosed = once(idle.server, 'connection').then(([socket]) => once(socket as Socket, 'close'))
    const net = newNet({ connectionsPerOriginMax: 1, idleMs: 60_000 })
    await get(net, idle.url)
    const [running, waiting] = [get(net, url), get(net, url)]
    await untilTotal(1)
    let closed = false
    const closing = net.close().then(() => (closed = true))
    await idleClosed
    expect(await get(net, `http://127.0.0.1:${port}/`)).toMatchObject({
      kind: 'failed',
      reason: 'aborted',
      sent: false,
    })
    release()
    expect(text(await running)).toBe('held')
    await untilTotal(2)
    expect(closed).toBe(false)
    release()
    expect(text(await waiting)).toBe('held')
    await closing
    await untilHolds(() => expect(seen.open).toBe(0))
    await net.close()
    expect(counts.total).toBe(2)
  })
})
