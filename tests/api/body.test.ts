// Accepted and refused request bodies, and the messages of refusals.

import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { connectRaw } from '#tests/support/raw-http.ts'

const door = await useFrontDoor()
const json = { 'Content-Type': 'application/json' }
const note = { reference: 'N-1', amount: 150_000, title: 'A note' }
const kib = 1024

beforeEach(() => void door.endpoints.handled.splice(0))

const post = (body: string | Buffer, headers: Record<string, string> = json): Promise<Answer> =>
  door.staging.call('/v1/notes', { method: 'POST', headers, body })

describe('the content type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset=UTF-8',
    'application/json ; a=b',
  ])('%s is taken', async (type) => void expectSuccess(await post(JSON.stringify(note), { 'Content-Type': type })))

  it.each([
    '',
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'xapplication/json',
  ])('%j is refused with 400, never 415', async (type) => {
    const answer = await post(JSON.stringify(note), type === '' ? {} : { 'Content-Type': type })
    expectError(
      answer,
      400,
      'PARSE_ERROR',
      /^Could not parse the request body\. Set Content-Type: application\/json\.$/,
    )
  })
})

describe('the text', () => {
  it.each([
    '{',
    '{"a":1',
    "{'a':1}",
    '{"a":1,}',
    '{"a":1}}',
    'undefined',
    '{"a":NaN}',
    '{"a":01}',
    '{"a":"\n"}',
    '\0',
    '{"a":"\0"}',
    '//',
    '{"a":"\\x"}',
  ])('%j is not JSON', async (text) => expectError(await post(text), 400, 'PARSE_ERROR', /not valid JSON/))

  it.each(['[]', '[{}]', '"text"', '1', 'true', 'null'])('%s is not an object', async (text) => {
    expectError(await post(text), 400, 'PARSE_ERROR', /must be a JSON object/)
  })

  it.each([
    ['UTF-16', Buffer.from(`\ufeff${JSON.stringify(note)}`, 'utf16le')],
    ['Latin-1', Buffer.from(JSON.stringify({ ...note, title: 'é' }), 'latin1')],
    ['half a character', Buffer.from([...Buffer.from('{"a":"'), 0xe2, 0x82, ...Buffer.from('"}')])],
    ['a surrogate in UTF-8', Buffer.from([...Buffer.from('{"a":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])],
  ])('%s is not UTF-8', async (_name, bytes) =>
    expectError(await post(bytes), 400, 'PARSE_ERROR', /not valid (UTF-8|JSON)/),
  )

  it('a byte order mark is passed over', async () => {
    expectSuccess(await post(`\ufeff${JSON.stringify(note)}`))
  })

  it('the replacement character is a character like any other', async () => {
    expect(expectSuccess(await door.staging.post('/v1/notes', { ...note, title: 'a\ufffdb' })).title).toBe('a\ufffdb')
  })

  it.each(['gzip', 'br', 'x-unknown'])('%s is refused by name', async (encoding) => {
    const answer = await post(gzipSync(JSON.stringify(note)), { ...json, 'Content-Encoding': encoding })
    expectError(answer, 400, 'PARSE_ERROR', /without Content-Encoding/)
  })
})

describe('no body', () => {
  it.each([
    ['nothing', ''],
    ['Content-Length: 0', 'Content-Length: 0\r\n'],
    ['Content-Length: 0 with a type', 'Content-Length: 0\r\nContent-Type: application/json\r\n'],
    ['no chunks', 'Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n'],
  ])('%s is refused where a body is needed, and taken where it is optional', async (_name, headers) => {
    const connection = connectRaw(door.port)
    const end = headers.includes('chunked') ? '0\r\n\r\n' : ''
    for (const path of ['notes', 'nudges']) {
      connection.send(
        `POST /staging/v1/${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${door.testKey}\r\n${headers}\r\n${end}`,
      )
    }
    const [needed, optional] = await connection.receive(2)
    connection.destroy()
    expectError(needed as Answer, 400, 'PARSE_ERROR', /empty; send a JSON object/)
    expect(expectSuccess(optional as Answer)).toEqual({ force: false })
  })

  it('an optional body that is sent is checked', async () => {
    expect(expectSuccess(await door.staging.post('/v1/nudges', { force: true }))).toEqual({ force: true })
    expectError(
      await door.staging.post('/v1/nudges', { force: 'yes' }),
      400,
      'VALIDATION_ERROR',
      /^force must be true or false$/,
    )
  })

  it('a body on a read is passed over, whatever it is', async () => {
    expectSuccess(await door.staging.call('/v1/notes', { method: 'GET', body: 'not JSON' }))
  })
})

describe('the size', () => {
  const padded = (bytes: number): string => JSON.stringify(note).padEnd(bytes)

  it('100 KiB are taken, one byte more is not', async () => {
    expectSuccess(await post(padded(100 * kib)))
    expectError(await post(padded(100 * kib + 1)), 413, 'PAYLOAD_TOO_LARGE', /100 KiB/)
  })

  it('counts the same when the length is not announced', async () => {
    const chunked = { ...json, 'Transfer-Encoding': 'chunked' }
    for (const [bytes, status] of [
      [100 * kib, 200],
      [100 * kib + 1, 413],
    ] as const) {
      const connection = connectRaw(door.port)
      const head = Object.entries({ ...chunked, Host: 'a', Authorization: `Bearer ${door.testKey}` }).map((pair) =>
        pair.join(': '),
      )
      connection.send(`POST /staging/v1/notes HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
      const text = padded(bytes)
      for (let at = 0; at < bytes; at += 30 * kib) {
        const chunk = text.slice(at, at + 30 * kib)
        connection.send(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
      }
      connection.send('0\r\n\r\n')
      const [answer] = await connection.receive(1)
      expect(answer?.status).toBe(status)
      connection.destroy()
    }
  })

  it('a connection outlives a body that was too large', async () => {
    expectError(await post(padded(500 * kib)), 413, 'PAYLOAD_TOO_LARGE')
    expectSuccess(await post(padded(50 * kib)))
  })
})

describe('bodies made to hurt', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    '%s is a name like any other',
    async (name) => {
      const text = `{"reference":"N-1","amount":1,"title":"t","${name}":{"polluted":true},"labels":{"${name}":"kept or dropped"}}`
      expect(expectSuccess(await post(text)).title).toBe('t')
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
      const alone = await post(`{"${name}":{"reference":"N-1","amount":1,"title":"t"}}`)
      expectError(alone, 400, 'VALIDATION_ERROR', /^reference is required/)
    },
  )

  it.each([
    ['lists', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['objects', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)],
    ['lists that never end', '['.repeat(100_000)],
  ])('10 000 levels of %s are read or refused, and nothing breaks', async (_name, deep) => {
    const answer = await post(`{"reference":"N-1","amount":1,"title":"t","labels":null,"deep":${deep}}`)
    expect([200, 400]).toContain(answer.status)
    const searched = await post(`{"reference":"N-1","amount":1,"title":"t","nul":"\\u0000","deep":${deep}}`)
    expect(searched.status).toBe(400)
  })

  it('a NUL beside fifty thousand values is found without running out of stack', async () => {
    const many = Array.from({ length: 48_000 }, () => 0).join(',')
    expectError(await post(`{"many":[${many}],"nul":"\\u0000"}`), 400, 'VALIDATION_ERROR', /NUL/)
  })

  it('a field that is sent twice has its last value, in validation and in the handler', async () => {
    expectError(
      await post('{"reference":"N-1","amount":1,"title":"t","amount":"1"}'),
      400,
      'VALIDATION_ERROR',
      /^amount/,
    )
    expect(expectSuccess(await post('{"reference":"N-1","amount":"1","title":"t","amount":2}')).amount).toBe(2)
  })

  it('thousands of names are read', async () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 8_000 }, (_, index) => [`n${index}`, index])))
    expectError(await post(text), 400, 'VALIDATION_ERROR', /^reference is required/)
  })
})

describe('Expect: 100-continue', () => {
  const head = (version: string, key: string, expectation = '100-continue'): string =>
    `POST /staging/v1/notes HTTP/${version}\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
    `Expect: ${expectation}\r\nContent-Length: ${JSON.stringify(note).length}\r\n\r\n`

  it('a caller with a key is asked for the body', async () => {
    const connection = connectRaw(door.port)
    connection.send(head('1.1', door.testKey))
    await expect.poll(() => connection.interim).toBe(1)
    connection.send(JSON.stringify(note))
    const [answer] = await connection.receive(1)
    connection.destroy()
    expectSuccess(answer as Answer)
  })

  it('a caller without one is refused before sending it', async () => {
    const connection = connectRaw(door.port)
    connection.send(head('1.1', 'sk_test_wrong'))
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 401, 'UNAUTHORIZED')
    expect(connection.interim).toBe(0)
    connection.destroy()
  })

  it.each([
    ['Content-Type: application/json', 'Content-Type: text/plain', /Set Content-Type/],
    ['Content-Type: application/json', 'Content-Type: application/json\r\nContent-Encoding: gzip', /Content-Encoding/],
  ])('instead of %s, %s: is refused before sending it', async (right, wrong, message) => {
    const connection = connectRaw(door.port)
    connection.send(head('1.1', door.testKey).replace(right, wrong))
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 400, 'PARSE_ERROR', message)
    expect(connection.interim).toBe(0)
    connection.destroy()
  })

  it.each([
    ['1.0', '100-continue'],
    ['1.1', 'something-else'],
  ])('HTTP/%s, %s: no interim answer, the body is taken', async (version, expectation) => {
    const connection = connectRaw(door.port)
    connection.send(head(version, door.testKey, expectation) + JSON.stringify(note))
    const [answer] = await connection.receive(1)
    expectSuccess(answer as Answer)
    expect(connection.interim).toBe(0)
    connection.destroy()
  })
})
