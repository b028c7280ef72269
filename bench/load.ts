// The load generator, a process of its own: autocannon keeps connections busy for some seconds, each with one request at a time.
// The echo server gets the same requests as the service, so the cost of making them is the same for both.

import autocannon from 'autocannon'
import { serveParent } from './child.ts'
import type { BenchRequest, Facts, Scenario } from './scenario.ts'

export type LoadOrder = {
  /** A file of scenarios/, without its extension. */
  scenario: string
  /** The requests to send: `service`, or one of its variants. */
  variant: string
  facts: Facts
  port: number
  connections: number
  seconds: number
  /** Sends this many requests, however long they take, instead of for `seconds`. */
  requests?: number
  /** True: sends the requests of the scenario's `beside` for this variant, instead of the variant's own. */
  isBeside?: true
  /** The number of this round's first request. */
  from: number
}

export type LoadResult = {
  seconds: number
  requests: number
  /** The number of 2xx answers. */
  taken: number
  /** The number of other answers, broken connections and timeouts. */
  failures: number
  firstFailure: string | null
  medianMs: number
  p99Ms: number
  maxMs: number
  /** The number of the next round's first request. */
  next: number
}

async function load(order: LoadOrder): Promise<LoadResult> {
  const { scenario } = (await import(`./scenarios/${order.scenario}.ts`)) as { scenario: Scenario }
  const beside = order.isBeside === true ? scenario.beside?.[order.variant] : undefined
  const make = beside?.request ?? scenario.variants?.[order.variant] ?? scenario.request
  let sequence = order.from
  let firstFailure: string | null = null
  const first = encode(make(order.facts, sequence++))
  const result = await autocannon({
    url: `http://127.0.0.1:${order.port}`,
    connections: order.connections,
    ...(order.requests === undefined ? { duration: order.seconds } : { amount: order.requests }),
    ...(beside === undefined ? {} : { overallRate: beside.perSecondMost }),
    timeout: 30,
    requests: [{ ...first, setupRequest: () => encode(make(order.facts, sequence++)) }],
    setupClient(client) {
      client.on('response', (status) => {
        if (status !== 200) firstFailure ??= `status ${status}`
      })
    },
  })
  return {
    seconds: result.duration,
    requests: result.requests.total,
    taken: result['2xx'],
    // `errors` includes the timeouts.
    failures: result.non2xx + result.errors,
    firstFailure,
    medianMs: result.latency.p50,
    p99Ms: result.latency.p99,
    maxMs: result.latency.max,
    next: sequence,
  }
}

const encoded = new WeakMap<BenchRequest, autocannon.Request>()

/** Encodes a request. If a scenario returns the same object again, it is not encoded again. */
function encode(request: BenchRequest): autocannon.Request {
  const before = encoded.get(request)
  if (before !== undefined) return before
  const { method, path, key, headers: own = {}, body } = request
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...own,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const made = { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  encoded.set(request, made)
  return made
}

serveParent((order: LoadOrder) => load(order))
