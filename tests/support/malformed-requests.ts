// Requests that no proper client sends. Each part is right most of the time, so that a sample usually has one to three
// faults and gets as far as they allow.

import fc from 'fast-check'
import { anyText } from './any-text.ts'
import { long, methods, oddChunks, oddHeaders, oddJson, rawTargets, targets, versions } from './malformed-parts.ts'

export type RawRequest = {
  name: string
  /** Sent one after the other, each in a packet of its own. */
  pieces: Buffer[]
  /** The client closes its side when it has sent all. */
  ends: boolean
}

export type JsonRequest = { method: string; path: string; headers: Record<string, string>; body: string | Buffer }

const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`

/** Picks the first mostly, otherwise one of the rest. */
function usually<T>(weight: number, usual: T, ...odd: fc.Arbitrary<T>[]): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, ...odd.map((arbitrary) => ({ weight: 1, arbitrary })))
}

const oneOf = (list: string[]): fc.Arbitrary<string> => fc.constantFrom(...list)
const anyBytes = anyText({ maxLength: 40 })

export function rawRequests(key: string): fc.Arbitrary<RawRequest> {
  const good = '{"reference":"N-1","amount":1,"title":"t"}'
  const body = fc.oneof(
    { weight: 3, arbitrary: fc.constant({ framing: `Content-Length: ${good.length}`, text: good }) },
    {
      weight: 2,
      arbitrary: oneOf(oddJson).map((text) => ({
        framing: `Content-Length: ${Buffer.byteLength(text, 'latin1')}`,
        text,
      })),
    },
    {
      weight: 1,
      arbitrary: oneOf(oddJson).map((text) => ({ framing: 'Transfer-Encoding: chunked', text: chunked(text) })),
    },
    { weight: 2, arbitrary: oneOf(oddChunks).map((text) => ({ framing: 'Transfer-Encoding: chunked', text })) },
    { weight: 1, arbitrary: anyBytes.map((text) => ({ framing: `Content-Length: ${text.length + 3}`, text })) },
    { weight: 1, arbitrary: fc.constant({ framing: '', text: '' }) },
  )
  const parts = fc.record({
    method: usually(15, 'POST', oneOf(methods)),
    target: usually(9, '/staging/v1/notes', oneOf(rawTargets), anyBytes),
    version: usually(20, 'HTTP/1.1', oneOf(versions)),
    host: usually(15, 'Host: a', fc.constant('')),
    authorization: usually(9, `Authorization: Bearer ${key}`, fc.constant('')),
    odd: fc.oneof(fc.constant([]), fc.array(oneOf(oddHeaders), { maxLength: 2 })),
    type: usually(9, 'Content-Type: application/json', fc.constant('')),
    body,
    lineEnd: usually(40, '\r\n', fc.constant('\n'), fc.constant('\r')),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
    keeps: usually(8, 1, fc.double({ min: 0, max: 1, noNaN: true })),
    ends: fc.boolean(),
  })
  return parts.map(
    ({
      method,
      target,
      version,
      host,
      authorization,
      odd,
      type,
      body: { framing, text },
      lineEnd,
      cuts,
      keeps,
      ends,
    }) => {
      const lines = [host, authorization, type, framing, ...odd].filter((line) => line !== '')
      const whole = Buffer.from(
        `${method} ${target} ${version}${lineEnd}${lines.join(lineEnd)}${lineEnd}${lineEnd}${text}`,
        'latin1',
      )
      const bytes = whole.subarray(0, Math.ceil(whole.length * keeps))
      return { name: JSON.stringify(bytes.toString('latin1').slice(0, 600)), pieces: cut(bytes, cuts), ends }
    },
  )
}

function cut(bytes: Buffer, at: number[]): Buffer[] {
  const places = [
    0,
    ...at.map((part) => Math.floor(part * bytes.length)).toSorted((left, right) => left - right),
    bytes.length,
  ]
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}

/** Well-formed HTTP around bodies, paths and headers that are not. */
export function jsonRequests(key: string): fc.Arbitrary<JsonRequest> {
  const value = fc.oneof(
    fc.jsonValue({ depthSize: 'medium' }),
    fc.constantFrom<unknown>(
      2 ** 53,
      -(2 ** 53),
      0,
      -1,
      1.5,
      1e308,
      '\0',
      '\ud800',
      '\udfff\ud800',
      '',
      ' ',
      long(5_000),
      '1',
      true,
      [[[[]]]],
      { constructor: 1 },
      { ['__proto__']: 1 },
    ),
  )
  const fields = fc.record(
    {
      reference: usually(3, 'N-1', value),
      amount: usually(3, 1, value),
      title: usually(3, 't', value),
      labels: value,
      [`constructor`]: value,
    },
    { requiredKeys: [] },
  )
  const text = fc.oneof(
    { weight: 4, arbitrary: fields.map((record) => JSON.stringify(record)) },
    { weight: 1, arbitrary: value.map((top) => JSON.stringify(top)) },
    { weight: 1, arbitrary: oneOf(oddJson) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fields, anyBytes, fc.nat(60))
        .map(([record, bytes, at]) => splice(JSON.stringify(record), bytes, at)),
    },
  )
  return fc.record({
    method: usually(4, 'POST', fc.constantFrom('GET', 'PATCH', 'PUT', 'DELETE', 'TRACE')),
    path: usually(
      4,
      '/staging/v1/notes',
      oneOf(
        targets.filter((target) => target.startsWith('/') && target.length < 15_000 && !/[\s\x80-\xff]/.test(target)),
      ),
    ),
    headers: fc.record(
      {
        Authorization: usually(
          8,
          `Bearer ${key}`,
          fc.constantFrom('', 'Bearer', 'Basic x', 'Bearer sk_live_x', `Bearer ${key}x`),
        ),
        'Content-Type': usually(
          8,
          'application/json',
          fc.constantFrom('', 'text/plain', 'application/json; charset=x', 'multipart/form-data; boundary='),
        ),
        'X-Request-ID': fc
          .string({ unit: 'binary-ascii', maxLength: 140 })
          .map((id) => id.replaceAll(/[^\x20-\x7e]/g, '')),
        'X-API-Version': usually(8, 'v1', fc.constantFrom('', 'v2', 'V1')),
      },
      { requiredKeys: ['Authorization', 'Content-Type'] },
    ),
    body: fc.oneof(
      { weight: 6, arbitrary: text },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)) },
    ),
  })
}

function splice(text: string, bytes: string, at: number): string {
  return text.slice(0, at) + bytes + text.slice(at)
}
