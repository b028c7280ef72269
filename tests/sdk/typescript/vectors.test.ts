// The TypeScript SDK does what the shared vectors say, over real HTTP.

import { describe, expect, it, vi } from 'vitest'
import { Manilla } from '#sdk/client.ts'
import { ManillaError } from '#sdk/errors.ts'
import { List } from '#sdk/list.ts'
import { formatNaira, naira } from '#sdk/money.ts'
import { verifyWebhook, type WebhookVerificationError } from '#sdk/webhooks.ts'
import {
  readVectors,
  scenariosOf,
  useScriptServer,
  type Json,
  type Recorded,
  type Scenario,
} from '#tests/sdk/vectors.ts'
import { methods, type Asked } from './calls.ts'

const play = await useScriptServer()
const apiKey = 'sk_test_0000000000000000000000000000000000000000'

type Ran = { result: any; error: any; delaysMs: number[]; requests: Recorded[]; unexpected: number; left: number } // oxlint-disable-line typescript/no-explicit-any

async function run({ call, options = {}, script }: Scenario): Promise<Ran> {
  const { baseUrl, end } = await play(script)
  const delaysMs: number[] = []
  let now = 0
  const clock = {
    now: () => now,
    wait: (ms: number) => {
      now += ms
      delaysMs.push(ms)
      return Promise.resolve()
    },
  }
  const { requestId, ...limits } = options
  const client = new Manilla({ apiKey, baseUrl, clock, ...limits })
  let [result, error]: unknown[] = []
  try {
    result = await outcomeOf(client, call, requestId, script)
  } catch (thrown) {
    error = thrown
  }
  return { result, error, delaysMs, ...(await end()) }
}

async function outcomeOf(
  client: Manilla,
  call: Scenario['call'],
  requestId: string | undefined,
  script: Scenario['script'],
): Promise<unknown> {
  const asked: Asked = {
    path: {},
    query: {},
    ...call,
    body: call['repeat'] !== undefined ? { transfers: itemsOf(call) } : call.body,
  }
  const answer = methods[call.operation]?.(client, asked, { requestId })
  if (!(answer instanceof List) && call['iterate'] !== true) return answer
  if (answer instanceof List && call['iterate'] !== true) {
    const { items, lastResponse } = await answer.page()
    // The vectors name a list by its field in the answer.
    const [name = ''] = Object.keys(script.at(-1)?.['body'].data)
    return { [name]: items, lastResponse }
  }
  const values: unknown[] = []
  for await (const item of answer as AsyncIterable<unknown>) {
    values.push((item as Json)[call['collect']])
    if (values.length === call['stopAfter']) break
  }
  return values
}

function itemsOf({ repeat: { count, item, itemBytes = 0 } }: Json): Json[] {
  const fillers = Math.floor(itemBytes / 500)
  const metadata = Object.fromEntries(Array.from({ length: fillers }, (_, at) => [`filler-${at}`, 'x'.repeat(500)]))
  return Array.from({ length: count }, (_, at) => ({
    ...item,
    reference: item.reference.replace('{i}', at),
    ...(fillers > 0 ? { metadata } : {}),
  }))
}

const pattern = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'matches' in value
    ? expect.stringMatching(new RegExp(String(value.matches)))
    : value

function expectAsSaid({ expected, call }: Scenario, ran: Ran): void {
  const { requests, result, error } = ran
  expect(error === undefined ? 'a result' : String(error)).toMatch(
    expected['error'] === undefined ? 'a result' : /Error/,
  )
  expect(requests.map(({ request }) => request)).toEqual(expected.requests)
  expect([ran.unexpected, ran.left]).toEqual([0, 0])
  expect(ran.delaysMs).toEqual(expected['delaysMs'] ?? ran.delaysMs)
  const [first] = requests
  expect(first?.query).toEqual(expected['query'] ?? first?.query)
  expect(requests.map(({ query }) => query)).toEqual(expected['queries'] ?? requests.map(({ query }) => query))
  const headers = Object.entries((expected['headers'] ?? {}) as Json).map(([name, value]) => [name, pattern(value)])
  expect(first?.headers ?? {}).toMatchObject(Object.fromEntries(headers))
  const body = first?.body === undefined || first.body === null ? null : (JSON.parse(first.body) as unknown)
  expect(body).toEqual(expected['body'] ?? body)
  expect(call['repeat'] === undefined ? new Set(writes(requests)).size : 1).toBeLessThanOrEqual(1)
  expect(new Set(requests.map((one) => one.headers['x-request-id'])).size).toBeLessThanOrEqual(perCall(call, requests))
  const data = (expected['data'] ?? {}) as Json
  expect(Object.fromEntries(Object.keys(data).map((name) => [name, result?.[name]]))).toMatchObject(data)
  const { headers: metaHeaders, ...meta } = (expected['meta'] ?? {}) as Json
  expect(result?.lastResponse ?? {}).toMatchObject(meta)
  expect(Object.fromEntries(result?.lastResponse?.headers ?? [])).toMatchObject(metaHeaders ?? {})
  expect(result).toEqual(expected['items'] ?? result)
  const { kind, results: before, headers: errorHeaders, ...fields } = (expected['error'] ?? {}) as Json
  expect(error ?? {}).toMatchObject(fields)
  expect(Object.fromEntries(error?.headers ?? [])).toMatchObject(errorHeaders ?? {})
  expect([kind ?? error?.kind].flat()).toContain(error?.kind)
  expect(error?.results?.length).toBe(before?.count)
}

const writes = (requests: Recorded[]): (string | null)[] =>
  requests.filter(({ request }) => !request.startsWith('GET')).map(({ body }) => body)

/** Each page, part and poll is a call of its own with its own id. */
function perCall(call: Scenario['call'], requests: Recorded[]): number {
  const isOne = call['iterate'] === undefined && call['repeat'] === undefined && call['waitMs'] === undefined
  return isOne ? 1 : requests.length
}

describe.each(['requests', 'answers', 'retries', 'paging', 'waits'])('%s', (file) => {
  it.each(scenariosOf(file).map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
    expectAsSaid(scenario, await run(scenario))
  })
})

describe('bulk', () => {
  it.each(scenariosOf('bulk').map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
    const ran = await run(scenario)
    expectAsSaid(scenario, ran)
    const { expected } = scenario
    const parts = ran.requests.map(({ body }) => (JSON.parse(body ?? '') as Json)['transfers'].length as number)
    expect(parts).toEqual(expected['parts'] ?? parts)
    const largest = Math.max(0, ...ran.requests.map(({ body }) => Buffer.byteLength(body ?? '')))
    expect(largest).toBeLessThanOrEqual(expected['maxBodyBytes'] ?? largest)
    const { count, refusedIndexes, ...totals } = (expected['results'] ?? {}) as Json
    const results = (ran.result?.results ?? []) as { index: number; reference: string; outcome: string }[]
    expect(results).toHaveLength(count ?? 0)
    expect(results.map(({ index, reference }) => [index, reference])).toEqual(
      results.map((_one, at) => [at, `BULK-${at}`]),
    )
    expect(ran.result ?? {}).toMatchObject(totals)
    const refused = results.filter(({ outcome }) => outcome === 'refused').map(({ index }) => index)
    expect(refused).toEqual(refusedIndexes ?? [])
  })
})

describe('webhooks', () => {
  const vectors = readVectors('webhooks')['vectors'] as Json[]
  it.each(vectors.map((one) => [one['name'], one] as const))('%s', async (_name, vector) => {
    const { secrets, header, body, bodyBase64, now, toleranceSeconds, expected } = vector
    const raw = bodyBase64 === undefined ? body : new Uint8Array(Buffer.from(bodyBase64, 'base64'))
    const verified = verifyWebhook(raw, header, secrets, { now: new Date(now * 1000), tolerance: toleranceSeconds })
    const outcome = await verified.then(
      ({ event, id }) => ({ valid: true, event, id }),
      (error: unknown) => ({ valid: false, reason: (error as WebhookVerificationError).reason }),
    )
    expect(outcome).toEqual(expected)
  })
})

describe('amounts', () => {
  const { requests, naira: texts, format, answers } = readVectors('amounts')

  it.each((requests as Json[]).map(({ json, accepted }) => [json, accepted] as const))(
    'an amount of %s in a request is accepted: %s',
    async (json, accepted) => {
      const answer = { body: { success: true, data: { reference: 'A', amount: 1, isFinal: false } } }
      const scenario = { name: '', call: { operation: 'fundBalance', body: { amount: JSON.parse(json) } } }
      const { error, requests: sent } = await run({ ...scenario, script: [answer], expected: { requests: [] } })
      expect([error?.kind, sent.length]).toEqual(accepted === true ? [undefined, 1] : ['argument', 0])
      const [{ body } = { body: '' }] = sent
      expect(body).toBe(accepted === true ? `{"amount":${json}}` : '')
    },
  )

  it.each((texts as Json[]).map(({ text, kobo }) => [text, kobo] as const))('naira(%j) is %s kobo', (text, kobo) => {
    const made = (): number | null => {
      try {
        return naira(text)
      } catch (error) {
        return error instanceof ManillaError ? null : Number.NaN
      }
    }
    expect(made()).toBe(kobo)
  })

  it.each((format as Json[]).map(({ text, kobo }) => [kobo, text] as const))(
    '%s kobo are shown as %s',
    (kobo, text) => {
      expect(formatNaira(kobo)).toBe(text)
    },
  )

  it.each((answers as Json[]).map(({ json, exact, mayRefuse }) => [json, exact, mayRefuse] as const))(
    'an amount of %s in an answer is %s exactly, or refused: %s',
    async (json, exact, mayRefuse) => {
      const text = `{"success":true,"data":{"reference":"A","amount":${json}}}`
      const step = { request: 'GET /v1/transfers/A', text }
      const call = { operation: 'getTransfer', path: { reference: 'A' } }
      const script = [step, step, step, step]
      const { result, error } = await run({ name: '', call, script, expected: { requests: [] } })
      expect(error?.kind ?? String(result.amount)).toBe(mayRefuse === true ? 'unreadable' : exact)
    },
  )
})

describe('a client', () => {
  const clients = readVectors('client')['clients'] as Json[]
  it.each(clients.map((one) => [one['name'], one] as const))('with %s', (_name, vector) => {
    const { variables = {}, apiKey: key, baseUrl, expected } = vector
    vi.stubEnv('MANILLA_BASE_URL', variables['MANILLA_BASE_URL'])
    const made = (): object | null => {
      try {
        const { environment, baseUrl: address } = new Manilla({ apiKey: key, baseUrl })
        return { environment, baseUrl: address }
      } catch (error) {
        if (error instanceof ManillaError && error.kind === 'argument') return null
        throw error
      }
    }
    expect(made()).toEqual(expected)
    vi.unstubAllEnvs()
  })
})
