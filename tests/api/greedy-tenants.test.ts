// A business that takes more than its share, over real sockets: the shared resources stay free for the others.

import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { unreadBytesPerTenantMax } from '#api/server/connections.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { connectRaw, type RawConnection } from '#tests/support/raw-http.ts'

const gates: (() => void)[] = []
let begun = 0
let pages = 0
/** More than the kernel buffers for a connection whose other end does not read. */
const pageBytes = 16 * 1024 * 1024
const common = {
  scope: 'any' as const,
  tag: 'Test',
  summary: 'For tests',
  description: 'For tests.',
  data: z.record(z.string(), z.unknown()),
}

const list: Endpoint = endpoint({
  ...common,
  method: 'GET',
  path: '/v1/long-list',
  operationId: 'listLong',
  paginated: true,
  handle: async () => {
    begun += 1
    await new Promise<void>((resolve) => gates.push(resolve))
    return { data: {} }
  },
})
const largePage: Endpoint = endpoint({
  ...common,
  method: 'GET',
  path: '/v1/large-page',
  operationId: 'listLarge',
  paginated: true,
  handle: async () => {
    pages += 1
    return { data: { text: 'x'.repeat(pageBytes) } }
  },
})

const door = await useFrontDoor({ moreEndpoints: [list, largePage] })
const clients: RawConnection[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
})
const ask = (path: string): string =>
  `GET /staging${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${door.testKey}\r\n\r\n`

function connect(): RawConnection {
  const client = connectRaw(door.port)
  clients.push(client)
  return client
}

describe('a business that asks for many lists at once', () => {
  it('gets two of them at a time, and delays neither its other requests nor another business', async () => {
    const lists = Array.from({ length: 10 }, () => door.staging.get('/v1/long-list'))
    await expect.poll(() => begun).toBe(2)
    expectSuccess(await door.staging.get('/v1/notes/N-1'))
    expectSuccess(await door.production.get('/v1/notes'))
    expect(begun).toBe(2)
    const opening = setInterval(() => gates.shift()?.(), 1)
    for (const answer of await Promise.all(lists)) expectSuccess(answer)
    clearInterval(opening)
    expect(begun).toBe(10)
  })

  it('and hangs up is not worked for', async () => {
    const before = begun
    const underWay = [door.staging.get('/v1/long-list'), door.staging.get('/v1/long-list')]
    await expect.poll(() => begun).toBe(before + 2)
    const left = connect()
    left.send(ask('/v1/notes/N-1') + ask('/v1/long-list')) // The server parses both at once: a caller that has the first answer has its second request in the queue.
    await left.receive(1)
    left.socket.resetAndDestroy() // Resets the connection, because a client that only closes its side still gets its answer.
    const hangUps = (): boolean => door.lines.some((line) => line['status'] === 499)
    await expect.poll(hangUps).toBe(true)
    const last = door.staging.get('/v1/long-list')
    const opening = setInterval(() => gates.shift()?.(), 1)
    for (const answer of await Promise.all([...underWay, last])) expectSuccess(answer)
    clearInterval(opening)
    expect(begun).toBe(before + 3)
  })
})

describe('a business that asks for large pages and reads none', () => {
  it('is refused before they fill the memory, and served again when they are gone', async () => {
    const asked = 20
    for (let index = 0; index < asked; index++) {
      const client = connect()
      client.socket.pause()
      client.send(ask('/v1/large-page'))
    }
    let answer: Answer | undefined
    await expect.poll(async () => (answer = await door.staging.get('/v1/notes/N-1')).status, { interval: 50 }).toBe(503)
    expectError(answer as Answer, 503, 'SERVICE_UNAVAILABLE', /^Too many unread responses/)
    expect(pages).toBeLessThan(asked)
    expect(pages * pageBytes).toBeLessThan(2 * unreadBytesPerTenantMax)
    expectSuccess(await door.production.get('/v1/notes'))
    for (const client of clients) client.destroy()
    await expect.poll(async () => (await door.staging.get('/v1/notes/N-1')).status).toBe(200)
  })
})
