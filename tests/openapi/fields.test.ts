// The description of each field and its validation agree: the description refuses what the service refuses, and nothing
// else.

import { expect, it } from 'vitest'
import type { z } from 'zod'
import { createEndpoints, type Rooms } from '#api/server/routes.ts'
import type { Endpoint } from '#api/server/endpoint.ts'
import { operationOf, resolved, validatorOf, type Json } from './document.ts'

/** Endpoints only use their modules when a request comes. */
const room: object = new Proxy(() => undefined, { get: () => room })
const endpoints = createEndpoints(room as Rooms)

const listed = (text: string): string[] => text.trim().split(/\s+/)
const id = 'whk_01h455vb4pex5vsknk084sn02q'
const times =
  listed(`2026-01-31 2026-01-31T12:00Z 2026-01-31T12:00:00Z 2026-01-31T12:00:00.123456789+01:00 2026-13-01 2026-00-01
  2026-01-32 2026-01-00 26-01-01 yesterday 2026-01-31T 2026-01-31T12:00 2026-01-31T25:00Z 2026-01-31T12:60Z 2026-01-31T12:00:60Z
  2026-01-31T12:00+24:00`)
const phones =
  listed(`08030000000 2348030000000 +2348030000000 +14155550100 07000000000 +2340803000000 8030000000 0803000000
  080300000000 00000000000 +0123456789 234080300000000 +`)
const urls =
  listed(`https://example.com/webhooks?x=1 HTTPS://example.com https://[2a00::1]:8443/ https://exämple.com/ü example.com
  ftp://example.com https:// https:///x https://me@example.com/ https://example.com/#x https://example.com\\x`)
const words =
  listed(`a INV-1 .INV Ọlá 🎉 日本 =1+1 ada@example.com ada@ ada@example SUCCESS transfer.success NGN 0123456789 012345678
  0123456789a 12345678901 1234 123 123456789 whk_ ${id} ${id}0 ${id.toUpperCase()} ${id.replace('01', '81')} ${id.replace('whk', 'evt')}`)
const lengths = [0, 1, 100, 101, 500, 501, 2_048, 2_049].map((length) => 'x'.repeat(length))
/** Control characters, line ends, marks that turn the direction of text, and spaces. */
const marks = Array.from('\0\u0007\u001B\u007F\u0085\u2028\u202E\u2066\u200B\t\n \\').flatMap((mark) => [
  `a${mark}b`,
  `https://example.com/a${mark}b`,
])
const longUrls = [2_048, 2_049].map((length) => 'https://example.com/'.padEnd(length, 'x'))
const texts = [...times, ...phones, ...urls, ...longUrls, ...words, ...lengths, ...marks]
const digits = listed(`0 1 -1 1.5 2147483648 2147483649 9007199254740991 9007199254740992 99999999999999999999`)
const numbers = [0, 1, -1, 1.5, 3, 5, 72, 73, 1_440, 1_441, 9_007_199_254_740_991, 9_007_199_254_740_992]
const keys = (count: number): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
const records = [{}, { k: 1 }, keys(20), keys(21), ...texts.flatMap((text) => [{ k: text }, { [text]: 'v' }])]
const lists = [[], ['x'], ['transfer.success'], ['transfer.success', 'transfer.success']]
const values: unknown[] = [...texts, ...numbers, ...records, ...lists, true]

type Field = { name: string; schema: z.ZodType; described: Json; inQuery: boolean }

function fieldsOf({ operationId, query, body, items }: Endpoint): Field[] {
  const { operation } = operationOf(operationId)
  const parameters = ((operation['parameters'] ?? []) as Json[]).map(resolved)
  const ofQuery = Object.entries(shapeOf(query)).map(([name, schema]) => {
    const described = parameters.find((one) => one['in'] === 'query' && one['name'] === name)?.['schema'] as Json
    return { name: `${operationId}?${name}`, schema, described, inQuery: true }
  })
  const whole = operation['requestBody']?.content['application/json'].schema as Json
  return [...ofQuery, ...inside(operationId, items?.bodyShown ?? body, whole)]
}

function inside(name: string, schema: z.ZodType | undefined, described: Json): Field[] {
  if (schema === undefined) return []
  const { properties } = resolved(described)
  return Object.entries(shapeOf(schema)).map(([field, inner]) => ({
    name: `${name}.${field}`,
    schema: inner,
    described: properties[field],
    inQuery: false,
  }))
}

const shapeOf = (schema: z.ZodType): Record<string, z.ZodType> =>
  (schema as z.ZodObject<Record<string, z.ZodType>>).shape

/** A query holds text, which may stand for a number. */
const inWire = (value: unknown, { described, inQuery }: Field): unknown =>
  inQuery && described['type'] === 'integer' && /^-?\d+$/.test(String(value)) ? Number(value) : value

/** A number in JSON cannot begin with a zero. */
const sendable = (value: unknown, { described, inQuery }: Field): boolean =>
  !inQuery || described['type'] !== 'integer' || !/^0\d/.test(String(value))

const fields = endpoints.flatMap(fieldsOf)

it('finds the fields of all queries and bodies', () => {
  expect(fields.length).toBeGreaterThan(100)
  expect(fields.filter(({ described }) => described === undefined)).toEqual([])
})

it.each(fields.map((field) => [field.name, field] as const))('%s is described as it is judged', (_name, field) => {
  const isDescribed = validatorOf(field.described)
  const judged = (field.inQuery ? [...texts, ...digits] : values)
    .filter((value) => sendable(value, field))
    .map((value) => ({
      value,
      refused: !field.schema.safeParse(value).success,
      describedAsRefused: isDescribed(inWire(value, field)).length > 0,
    }))
  expect(judged.filter(({ refused, describedAsRefused }) => refused !== describedAsRefused)).toEqual([])
})
