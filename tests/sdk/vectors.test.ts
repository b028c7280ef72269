// The shared vectors agree with the API: they have every operation, their requests and answers fit docs/openapi.json,
// and their signatures are the service's own.

import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultsOf, operations, resolved, type Json } from '#tests/openapi/document.ts'
import { readVectors, scenariosOf, useScriptServer } from './vectors.ts'

/** Where each SDK maps operations to its methods. Each of them plays all scenarios. */
const runners = [
  'tests/sdk/typescript/calls.ts',
  'sdk/python/tests/test_vectors.py',
  'sdk/go/manilla_test.go',
  'sdk/php/tests/vectors.php',
]

const files = ['requests', 'answers', 'retries', 'paging', 'bulk', 'waits']

describe('scenarios', () => {
  it('of requests cover each operation, with answers as the API describes them', () => {
    const scenarios = new Map(scenariosOf('requests').map((scenario) => [scenario.name, scenario]))
    for (const { id, operation } of operations) {
      const scenario = scenarios.get(id)
      expect(scenario?.call.operation, id).toBe(id)
      const { schema } = operation['responses']['200'].content['application/json'] as Json
      expect(faultsOf(schema, scenario?.script[0]?.['body']), id).toEqual([])
    }
  })

  it('of requests pass every parameter and every field that the API takes, as the API describes them', () => {
    for (const { id, operation } of operations) {
      const calls = scenariosOf('requests')
        .filter(({ call, expected }) => call.operation === id && expected['error'] === undefined)
        .map(({ call }) => call)
      const queries = ((operation['parameters'] ?? []) as Json[]).filter((parameter) => parameter['in'] === 'query')
      const known = Object.fromEntries(queries.map(({ name, schema }) => [name, schema as Json]))
      expect(namesOf(calls.map(({ query }) => query)), id).toEqual(Object.keys(known).toSorted())
      const given = calls.flatMap(({ query = {} }) => Object.entries(query))
      expect(
        given.flatMap(([name, value]) => faultsOf(known[name] ?? {}, value)),
        id,
      ).toEqual([])
      const content = operation['requestBody']?.content['application/json'] as Json | undefined
      const body = content === undefined ? {} : resolved(content['schema'])
      expect(namesOf(calls.map((call) => call.body)), id).toEqual(Object.keys(body['properties'] ?? {}).toSorted())
      const bodies = content === undefined ? [] : calls.map((call) => call.body)
      expect(
        bodies.flatMap((one) => faultsOf(body, one)),
        id,
      ).toEqual([])
    }
  })

  it.each(runners)('are played by a method of its own for each operation in %s', (file) => {
    const text = readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8')
    const played = new Set(Array.from(text.matchAll(/^\s+['"]?(\w+)['"]?(?::| =>) /gm), ([, name]) => name))
    expect(operations.map(({ id }) => id).filter((id) => !played.has(id))).toEqual([])
  })

  it.each(files)('of %s have names of their own, a step for each request, and known operations', (file) => {
    const scenarios = scenariosOf(file)
    expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
    const waits = ['waitForTransfer', 'waitForMomoTransfer', 'waitForMomoCollection']
    const known = [...operations.map(({ id }) => id), ...waits, 'rawRequest', 'iterateEvents']
    for (const { name, call, script, expected } of scenarios) {
      expect(known, name).toContain(call.operation)
      expect(expected.requests, name).toHaveLength(script.length)
      const wanted = script.map((step, index) => step.request ?? expected.requests[index])
      expect(expected.requests, name).toEqual(wanted)
    }
  })
})

const namesOf = (values: (Json | undefined)[]): string[] =>
  [...new Set(values.flatMap((value) => Object.keys(value ?? {})))].toSorted()

describe('webhooks', () => {
  it('a vector is valid exactly if one of its v1 is the HMAC and its time is recent', () => {
    for (const { name, secrets, header, body, bodyBase64, now, toleranceSeconds, expected } of readVectors('webhooks')[
      'vectors'
    ]) {
      const raw = bodyBase64 === undefined ? Buffer.from(body) : Buffer.from(bodyBase64, 'base64')
      const [, t = ''] = /(?:^|,)t=([^,]*)/.exec(header ?? '') ?? []
      const signed = (secrets as string[]).map((secret) =>
        createHmac('sha256', secret).update(`${t}.`).update(raw).digest('hex'),
      )
      const agrees = signed.some((one) => new RegExp(`(^|,) ?v1=${one}(,|$)`).test(header ?? ''))
      const isRecent = now - Number(t) <= (toleranceSeconds ?? 300)
      const mayBeRefused = ['malformed_header', 'unreadable'].includes(expected.reason)
      expect(agrees && isRecent && !mayBeRefused, name).toBe(expected.valid)
    }
  })
})

describe('the server', async () => {
  const play = await useScriptServer()

  it('answers step by step and records the requests', async () => {
    const { baseUrl, end } = await play([
      { request: 'GET /v1/transfers/A B', body: { a: 1 } },
      { status: 503, headers: { 'Retry-After': '3' }, text: 'x' },
      { cut: 'before' },
      { body: { long: 'x'.repeat(100) }, cut: 'half' },
    ])
    const first = await fetch(`${baseUrl}/v1/transfers/A%20B?page=1`, { headers: { 'X-Request-ID': 'r1' } })
    expect(await first.json()).toEqual({ a: 1 })
    const second = await fetch(`${baseUrl}/v1/x`, { method: 'POST', body: '{"b":2}' })
    expect([second.status, second.headers.get('retry-after'), await second.text()]).toEqual([503, '3', 'x'])
    await expect(fetch(`${baseUrl}/v1/x`)).rejects.toThrow('fetch failed')
    const half = await fetch(`${baseUrl}/v1/x`)
    await expect(half.text()).rejects.toThrow()
    expect((await fetch(`${baseUrl}/v1/more`)).status).toBe(418)
    const { requests, unexpected, left } = await end()
    expect(requests.map(({ request }) => request)).toEqual([
      'GET /v1/transfers/A B',
      'POST /v1/x',
      'GET /v1/x',
      'GET /v1/x',
      'GET /v1/more',
    ])
    expect(requests[0]).toMatchObject({ query: { page: '1' }, headers: { 'x-request-id': 'r1' }, body: null })
    expect(requests[1]?.body).toBe('{"b":2}')
    expect([unexpected, left]).toEqual([1, 0])
  })
})
