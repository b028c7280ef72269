// Clients that close their side after the request, as `nc` and some libraries do: they get their answer, and the
// service keeps nothing of them.

import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { startFrontDoor, useFrontDoor } from '#tests/support/front-door.ts'
import { connectRaw, type RawConnection } from '#tests/support/raw-http.ts'

const door = await useFrontDoor()
const headers = `Host: a\r\nAuthorization: Bearer ${door.testKey}\r\n`
const get = `GET /staging/v1/notes HTTP/1.1\r\n${headers}\r\n`
const note = '{"reference":"N-1","amount":1,"title":"A note"}'
const post = `POST /staging/v1/notes HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${note.length}\r\n\r\n`
const slow = `GET /staging/v1/slow HTTP/1.1\r\n${headers}\r\n`

const clients: RawConnection[] = []
afterAll(() => {
  for (const client of clients) client.destroy()
})

/**
 * Sends the bytes and closes the client's side at once, so that the end arrives with the last byte or right after it.
 */
function askAndEnd(bytes: string, port = door.port): RawConnection {
  const client = connectRaw(port)
  clients.push(client)
  client.socket.end(bytes)
  return client
}

/** Reads all answers until the server has closed. */
async function answersTo(bytes: string): Promise<Answer[]> {
  const client = askAndEnd(bytes)
  await client.closed()
  return client.answers
}

describe('a client that ends its side', () => {
  it('behind a request is answered, and the connection is closed', async () => {
    const [answer, ...others] = await answersTo(get)
    expectSuccess(answer as Answer)
    expect(others).toEqual([])
  })

  it('behind a write learns that it was done, once', async () => {
    const before = door.endpoints.handled.length
    const [answer] = await answersTo(post + note)
    expectSuccess(answer as Answer)
    expect(door.endpoints.handled).toHaveLength(before + 1)
  })

  it('behind several requests has all answers, in their order', async () => {
    const answers = await answersTo(get + post + note + get)
    expect(answers.map(({ status, body }) => [status, 'reference' in (body.data as object)])).toEqual([
      [200, false],
      [200, true],
      [200, false],
    ])
  })

  it('while its request is under way is answered when that is done', async () => {
    const client = askAndEnd(slow)
    await expect.poll(() => door.endpoints.gates.length).toBe(1)
    // The service has read the end by then, because this request was sent later.
    expectSuccess((await answersTo(get))[0] as Answer)
    for (const open of door.endpoints.gates.splice(0)) open()
    await client.closed()
    expectSuccess(client.answers[0] as Answer)
  })

  it('in the middle of a request gets an error, and nothing is done', async () => {
    const before = door.endpoints.handled.length
    for (const half of [post + note.slice(0, 9), get.slice(0, 40)]) {
      const [answer] = await answersTo(half)
      expectError(answer as Answer, 400, 'PARSE_ERROR')
    }
    expect(door.endpoints.handled).toHaveLength(before)
  })

  it('before it has asked is closed without an answer', async () => {
    expect(await answersTo('')).toEqual([])
  })
})

/** Counts the sockets of this process, which has both sides. */
const countSockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length

describe('a thousand that end their side', () => {
  const limits = { headersMs: 500, requestMs: 500, idleMs: 500, stalledMs: 500, checkMs: 50 }
  const count = 1_000

  it.each([
    ['and ask nothing', ''],
    ['behind a request', get],
    ['in the middle of a request', post],
    ['while their requests are under way', slow],
  ])('%s hold no connection, though no client reads or closes', async (_when, bytes) => {
    const crowded = await startFrontDoor({ limits })
    const key = crowded.testKey
    const others = countSockets()
    const asked = Array.from({ length: count }, () => {
      const client = askAndEnd(bytes.replace(door.testKey, key), crowded.port)
      client.socket.pause()
      return client
    })
    await expect.poll(() => crowded.endpoints.gates.length).toBe(bytes === slow ? count : 0)
    for (const open of crowded.endpoints.gates.splice(0)) open()
    // The remaining sockets belong to the clients.
    await expect.poll(countSockets).toBeLessThanOrEqual(others + count)
    for (const client of asked) client.destroy()
    await crowded.stop()
  })

  it('are cut off by stalledMs when more is answered than they read', async () => {
    const crowded = await startFrontDoor({ limits })
    const others = countSockets()
    const asked = Array.from({ length: 10 }, () => {
      const client = askAndEnd('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20), crowded.port)
      client.socket.pause()
      return client
    })
    const cutOff = (): number =>
      crowded.lines.filter((line) => line['route'] === '/docs/swagger-ui-bundle.js' && line['answered'] === false)
        .length
    await expect.poll(cutOff).toBeGreaterThanOrEqual(asked.length)
    await expect.poll(countSockets).toBeLessThanOrEqual(asked.length + others)
    for (const client of asked) client.destroy()
    await crowded.stop()
  })
})
