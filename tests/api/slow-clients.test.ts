// Clients that send slowly, send too much, or do not read. The limits are small here, and a client goes on for ever
// until it is cut off, so that a busy machine may be late.

import { afterEach, describe, expect, it } from 'vitest'
import { restBytesMax } from '#api/server/answer.ts'
import { createClient, expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { connectRaw, type RawAnswer, type RawConnection } from '#tests/support/raw-http.ts'

const limits = { headersMs: 300, requestMs: 500, idleMs: 400, stalledMs: 700, checkMs: 50 }
const door = await useFrontDoor({ limits })
/** For requests that must arrive before their time is over, also on a busy machine. */
const patientLimits = { headersMs: 1_800, requestMs: 3_000, idleMs: 2_400, stalledMs: 4_200, checkMs: 50 }
const patientDoor = await useFrontDoor({ limits: patientLimits })
const mebibyte = 1024 * 1024

const head = (headers: string, key = door.testKey): string =>
  `POST /staging/v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Request-ID: slow\r\nContent-Type: application/json\r\n${headers}\r\n`

const dribbles = new Set<NodeJS.Timeout>()
afterEach(() => {
  for (const timer of dribbles) clearInterval(timer)
})

/** Sends one byte now and then, for ever. */
function dribble(connection: RawConnection, byte: string): void {
  dribbles.add(setInterval(() => connection.send(byte), 20))
}

/** Good clients are served as usual; this one uses a new connection, because idleMs may just be closing an old one. */
afterEach(async () => {
  const client = createClient(`${door.url}/staging`, door.testKey)
  expectSuccess(await client.get('/v1/notes'))
  client.close()
})

describe('a client that sends slowly', () => {
  it('headers are cut off by headersMs, with an answer', async () => {
    const connection = connectRaw(door.port)
    connection.send('GET /staging/v1/notes HTTP/1.1\r\nX-Endless: ')
    dribble(connection, 'x')
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 400, 'PARSE_ERROR', /^The request took too long to arrive\.$/)
    await connection.closed()
  })

  it('a body is cut off by requestMs, with an answer under its own id, and is not executed', async () => {
    const before = door.endpoints.handled.length
    const connection = connectRaw(door.port)
    connection.send(head('Content-Length: 1000\r\n'))
    dribble(connection, ' ')
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 400, 'PARSE_ERROR', /^The request took too long to arrive\.$/)
    expect(answer?.body.requestId).toBe('slow')
    await connection.closed()
    expect(door.endpoints.handled).toHaveLength(before)
  })

  it('a chunked body without end is cut off as well', async () => {
    const connection = connectRaw(door.port)
    connection.send(head('Transfer-Encoding: chunked\r\n'))
    dribble(connection, '1\r\n \r\n')
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 400, 'PARSE_ERROR', /^The request took too long to arrive\.$/)
    await connection.closed()
  })

  it('a body that was refused is not waited for', async () => {
    const connection = connectRaw(door.port)
    connection.send(head('Content-Length: 1000\r\n', 'sk_test_wrong'))
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 401, 'UNAUTHORIZED')
    await connection.closed()
  })
})

describe('a client that sends nothing', () => {
  it('is closed after headersMs without an answer, because a browser would take the answer for that to its next request', async () => {
    const connection = connectRaw(door.port)
    await connection.closed()
    expect(connection.answers).toEqual([])
  })

  it('after an answer is closed by idleMs, not before', async () => {
    const connection = connectRaw(door.port)
    const startedAt = performance.now()
    connection.send('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
    await connection.closed()
    expect(connection.answers).toHaveLength(1)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(limits.idleMs - 50)
  })
})

describe('a server that stood still', () => {
  /**
   * Blocks this process for longer than a client has for its request. The bytes of the client wait in the kernel
   * meanwhile.
   */
  function standStill(): void {
    const untilMs = performance.now() + patientLimits.requestMs + 2 * patientLimits.checkMs
    while (performance.now() < untilMs);
  }

  const body = '{"reference":"STOOD","amount":1,"title":"late"}'
  const headers = head(`Content-Length: ${body.length}\r\n`, patientDoor.testKey)
  const cut = headers.indexOf('Content-Type')
  it.each([
    ['a request', '', headers + body],
    ['the rest of its headers', headers.slice(0, cut), headers.slice(cut) + body],
    ['the rest of its body', headers + body.slice(0, 9), body.slice(9)],
  ])('answers who sent %s in time', async (_what, before, after) => {
    // The first request of a client takes longest, and the time of the slow client must not run while it waits for
    // that.
    const other = createClient(`${patientDoor.url}/staging`, patientDoor.testKey)
    expectSuccess(await other.get('/v1/notes'))
    const connection = connectRaw(patientDoor.port)
    if (before !== '') connection.send(before)
    expectSuccess(await other.get('/v1/notes'))
    other.close()
    connection.send(after)
    standStill()
    const [answer] = await connection.receive(1)
    expectSuccess(answer as Answer)
    connection.destroy()
  })
})

describe('a client that does not read', () => {
  it('is not served without end, however much it asks', async () => {
    const before = door.endpoints.handled.length
    const asked = 40_000
    const connection = connectRaw(door.port)
    connection.socket.pause()
    const ask = `GET /staging/v1/notes?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${door.testKey}\r\n\r\n`
    connection.send(ask.repeat(asked))
    const cutOff = (): boolean => door.lines.some((line) => line['method'] === 'GET' && line['answered'] === false)
    await expect.poll(cutOff).toBe(true)
    expect(door.endpoints.handled.length - before).toBeLessThan(asked)
    connection.destroy()
  })

  it('is cut off by stalledMs, and its answers with it', async () => {
    const connection = connectRaw(door.port)
    connection.socket.pause()
    connection.send('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20))
    const cutOff = (): boolean =>
      door.lines.some((line) => line['route'] === '/docs/swagger-ui-bundle.js' && line['answered'] === false)
    await expect.poll(cutOff).toBe(true)
    connection.destroy()
  })
})

/** Reads nothing before everything is sent, as a blocking client does. */
async function sendAllThenRead(start: string, bytes: number, filling = ' '): Promise<RawAnswer | undefined> {
  const connection = connectRaw(door.port)
  connection.socket.pause()
  connection.send(start)
  const piece = Buffer.alloc(64 * 1024, filling)
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (connection.socket.destroyed) break
    await new Promise<void>((resolve) => void connection.socket.write(piece, () => resolve()))
  }
  connection.socket.resume()
  const [answer] = await connection.receive(1)
  connection.destroy()
  return answer
}

describe('a client that sends too much', () => {
  const bytes = 4 * mebibyte

  it.each(['keep-alive', 'close'])('can read its 413 when it has sent all (Connection: %s)', async (kept) => {
    const answer = await sendAllThenRead(head(`Content-Length: ${bytes}\r\nConnection: ${kept}\r\n`), bytes)
    expectError(answer as Answer, 413, 'PAYLOAD_TOO_LARGE')
  })

  it('can read its 413 though it never said how much would come', async () => {
    const chunk = `10000\r\n`
    const connection = connectRaw(door.port)
    connection.socket.pause()
    connection.send(head('Transfer-Encoding: chunked\r\n'))
    for (let sent = 0; sent < bytes; sent += 0x10000) {
      await new Promise<void>(
        (resolve) => void connection.socket.write(`${chunk}${' '.repeat(0x10000)}\r\n`, () => resolve()),
      )
    }
    connection.send('0\r\n\r\n')
    connection.socket.resume()
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 413, 'PAYLOAD_TOO_LARGE')
    connection.destroy()
  })

  it('can read its 401, too', async () => {
    const answer = await sendAllThenRead(
      head(`Content-Length: ${bytes}\r\nConnection: close\r\n`, 'sk_test_wrong'),
      bytes,
    )
    expectError(answer as Answer, 401, 'UNAUTHORIZED')
  })

  it('is answered before it has sent all, and cut off when it goes on past all measure', async () => {
    const connection = connectRaw(door.port)
    connection.send(head(`Content-Length: ${10 * restBytesMax}\r\n`))
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 413, 'PAYLOAD_TOO_LARGE')
    const piece = Buffer.alloc(256 * 1024, ' ')
    let sent = 0
    while (!connection.socket.destroyed && sent < 5 * restBytesMax) {
      await new Promise<void>((resolve) => void connection.socket.write(piece, () => resolve()))
      sent += piece.length
    }
    expect(connection.socket.destroyed).toBe(true)
    expect(sent).toBeGreaterThanOrEqual(restBytesMax)
  })

  it('headers are refused with an answer that can be read', async () => {
    const answer = await sendAllThenRead('GET / HTTP/1.1\r\nX-Endless: ', 2 * mebibyte, 'x')
    expectError(answer as Answer, 400, 'PARSE_ERROR', /^The request line and headers are too large\.$/)
  })
})
