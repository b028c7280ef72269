// Requests whose end, host or rest a proxy in front may read differently than the service. None of them hides a second
// request from that proxy.

import { beforeEach, describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { connectRaw, type RawAnswer } from '#tests/support/raw-http.ts'

const door = await useFrontDoor()
const authorization = `Authorization: Bearer ${door.testKey}\r\n`
const hidden = `GET /staging/v1/notes/HIDDEN HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`
const note = '{"reference":"N-1","amount":1,"title":"A note"}'
const post = (headers: string, body: string, version = '1.1'): string =>
  `POST /staging/v1/notes HTTP/${version}\r\nHost: a\r\n${authorization}Content-Type: application/json\r\n${headers}\r\n\r\n${body}`
const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
const length = `Content-Length: ${note.length}`

/**
 * Reads all answers until the server closes. The caller never closes, so a connection that the server kept open would
 * never end.
 */
async function answersUntilClosed(bytes: string): Promise<RawAnswer[]> {
  const connection = connectRaw(door.port)
  connection.send(bytes)
  await connection.closed()
  connection.destroy()
  return connection.answers
}

const wasFound = (): boolean => JSON.stringify(door.endpoints.handled).includes('HIDDEN')
beforeEach(() => void door.endpoints.handled.splice(0))

describe('a request whose end is not certain is refused, and nothing behind it is read', () => {
  it.each([
    ['a length and chunks', post(`${length}\r\nTransfer-Encoding: chunked`, chunkOf(note) + hidden)],
    ['chunks and a length', post(`Transfer-Encoding: chunked\r\nContent-Length: 4`, chunkOf(note) + hidden)],
    ['two lengths', post(`${length}\r\nContent-Length: 0`, note + hidden)],
    ['two lengths in one', post(`Content-Length: ${note.length}, 0`, note + hidden)],
    ['a length with a sign', post(`Content-Length: +${note.length}`, note + hidden)],
    ['a blank before the colon', post('Transfer-Encoding : chunked', chunkOf(note) + hidden)],
    ['a coding that is none', post('Transfer-Encoding: xchunked', chunkOf(note) + hidden)],
    ['chunks that are not last', post('Transfer-Encoding: chunked, gzip', chunkOf(note) + hidden)],
    ['a header that begins with a blank', post(`${length}\r\n Transfer-Encoding: chunked`, hidden + note)],
    ['a line that ends in LF alone', post(`X: a\nTransfer-Encoding: chunked\r\n${length}`, chunkOf(note) + hidden)],
    ['a line that ends in CR alone', post(`X: a\rTransfer-Encoding: chunked\r\n${length}`, chunkOf(note) + hidden)],
    ['a NUL in a header', post(`X: a\0b\r\n${length}`, note + hidden)],
    ['a chunk that says less than it has', post('Transfer-Encoding: chunked', `1\r\n${note}\r\n0\r\n\r\n${hidden}`)],
    ['a chunk without its length', post('Transfer-Encoding: chunked', `\r\n${note}\r\n0\r\n\r\n${hidden}`)],
    [
      'a chunk whose extension never ends',
      post('Transfer-Encoding: chunked', `1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n${hidden}`),
    ],
  ])('%s', async (_what, bytes) => {
    const answers = await answersUntilClosed(bytes)
    expect(answers).toHaveLength(1)
    expectError(answers[0] as Answer, 400, 'PARSE_ERROR')
    expect(wasFound()).toBe(false)
  })

  it('chunks in HTTP/1.0, which does not know them: the answer is the last one', async () => {
    for (const kept of ['', '\r\nConnection: keep-alive']) {
      const answers = await answersUntilClosed(post(`Transfer-Encoding: chunked${kept}`, chunkOf(note) + hidden, '1.0'))
      expect(answers).toHaveLength(1)
      expect(answers[0]?.headers['connection']).toBe('close')
    }
    expect(wasFound()).toBe(false)
  })
})

describe('a request that calls two hosts is refused', () => {
  it.each(['Host: a\r\nHost: b', 'Host: a\r\nX: y\r\nhOST: a'])('%j', async (hosts) => {
    const answers = await answersUntilClosed(
      `GET /staging/v1/notes HTTP/1.1\r\n${hosts}\r\n${authorization}\r\n${hidden}`,
    )
    expect(answers).toHaveLength(1)
    expectError(answers[0] as Answer, 400, 'PARSE_ERROR', /^There is more than one Host header\.$/)
    expect(wasFound()).toBe(false)
  })
})

describe('a request to speak otherwise', () => {
  it.each([
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMA',
  ])('is answered in HTTP/1.1, whatever it asks: %j', async (headers) => {
    const connection = connectRaw(door.port)
    connection.send(`GET /staging/v1/notes HTTP/1.1\r\nHost: a\r\n${authorization}${headers}\r\n\r\n`)
    const [answer] = await connection.receive(1)
    expectSuccess(answer as Answer)
    expect(connection.interim).toBe(0)
    connection.destroy()
  })

  it('TRACE and CONNECT return nothing of the request', async () => {
    const traced = await answersUntilClosed(
      `TRACE /staging/v1/notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Mirrored: secret\r\n\r\n`,
    )
    expectError(traced[0] as Answer, 405, 'METHOD_NOT_ALLOWED')
    const connected = await answersUntilClosed(
      `CONNECT a:443 HTTP/1.1\r\nHost: a\r\nX-Mirrored: secret\r\n\r\n${hidden}`,
    )
    expectError(connected[0] as Answer, 404, 'ROUTE_NOT_FOUND')
    expect(JSON.stringify([traced, connected])).not.toContain('secret')
    expect(wasFound()).toBe(false)
  })
})
