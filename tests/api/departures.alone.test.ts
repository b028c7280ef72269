// Callers that disconnect without notice: whenever they do, the service frees everything that they used, and can be
// stopped.

import { describe, expect, it } from 'vitest'
import { finishesWithin } from '#platform/concurrency.ts'
import { startFrontDoor, type FrontDoor } from '#tests/support/front-door.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { connectRaw, type RawConnection } from '#tests/support/raw-http.ts'

// The service waits 2 s for the rest of a body. A leak would outlast any limit, so these limits may suit a busy
// machine.
const callersPerMoment = 3

/** The bytes that each caller has sent when it disconnects. */
function momentsOf({ testKey }: FrontDoor): Record<string, string> {
  const post = (headers: string, { path = '/v1/notes', key = testKey } = {}): string =>
    `POST /staging${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${headers}\r\n`
  const slow = `GET /staging/v1/slow HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${testKey}\r\n\r\n`
  const half = 'Content-Length: 1000\r\n'
  const chunked = 'Transfer-Encoding: chunked\r\n'
  return {
    'nothing yet': '',
    'half of its headers': 'GET /staging/v1/notes HTTP/1.1\r\nHo',
    'what is not HTTP': 'hello\r\n\r\n',
    'half of a body': `${post(half)}{"title"`,
    'some chunks': `${post(chunked)}8\r\n{"title"\r\n`,
    'half of a chunk': `${post(chunked)}ff\r\n{"title"`,
    'the wish to be asked for its body': post(`${half}Expect: 100-continue\r\n`),
    'half of a body that is too large': `${post('Content-Length: 9000000\r\n')}{"title"`,
    'half of a body, with a wrong key': `${post(half, { key: 'sk_test_wrong' })}{"title"`,
    'half of a body, to no address of ours': `${post(half, { path: '/v1/nowhere' })}{"title"`,
    'a request that takes its time': slow,
    'a request that takes its time, and half of another': `${slow}${post(half)}{"title"`,
    'a request that takes its time, and half of one with a wrong key': `${slow}${post(half, { key: 'sk_test_wrong' })}{"title"`,
  }
}

const departures: [string, (connection: RawConnection) => void][] = [
  ['says that it will send no more', (connection) => void connection.socket.end()],
  ['closes the connection', (connection) => void connection.socket.destroy()],
  ['resets the connection', (connection) => void connection.socket.resetAndDestroy()],
  ['falls silent until it is cut off', () => undefined],
]

/** Counts the resources that keep this process alive: timers and connections. */
function countHeld(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'TCPSocketWrap').length
}

describe('a caller in the middle of whatever it sends', () => {
  it.each(departures)('that %s leaves neither a timer nor a connection behind', async (_way, leave) => {
    const limits = { headersMs: 500, requestMs: 500, idleMs: 500, checkMs: 50 }
    const door = await startFrontDoor({ limits })
    const before = countHeld()
    const sent = Object.values(momentsOf(door)).flatMap((bytes) => Array<string>(callersPerMoment).fill(bytes))
    const connections = await Promise.all(
      sent.map(async (bytes) => {
        const connection = connectRaw(door.port)
        await new Promise<void>((resolve) => void connection.socket.write(bytes, () => resolve()))
        return connection
      }),
    )
    await expect.poll(() => door.endpoints.gates.length).toBe(3 * callersPerMoment)
    for (const connection of connections) leave(connection)
    for (const open of door.endpoints.gates) open()
    await Promise.all(connections.map((connection) => connection.closed()))
    for (const connection of connections) connection.destroy()
    await expect.poll(countHeld).toBeLessThanOrEqual(before)
    expect(await finishesWithin(patienceMs, door.stop())).toBe(true)
  })
})
