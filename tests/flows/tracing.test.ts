// One request followed through the service: from its caller, to the bank, to the receiver of its webhook.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadTracing } from '#app.ts'
import { statement } from '#platform/db/db.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { createNet } from '#platform/http-client/client.ts'
import { createTracing } from '#platform/observability/tracing.ts'
import { parseConfig } from '#config.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { startCollector, type CollectedSpan, type Collector } from '#tests/support/collector.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { staticAccount } from '#tests/deposits/requests.ts'
import { collectBody } from '#tests/payments/momo-requests.ts'
import { transferBody } from '#tests/payments/requests.ts'

const receiver = await useReceiver()
const traceId = '0af7651916cd43dd8448eb211c80319c'
const callerSpan = 'b7ad6b7169203331'
const sent = { traceparent: `00-${traceId}-${callerSpan}-01`, tracestate: 'congo=t61rcWkgMzE' }

describe('a transfer whose caller sends a traceparent', () => {
  it('is one trace: the request, the bank, the webhook; the receiver may go on with it', async () => {
    const collector = await startCollector()
    const tracing = await loadTracing(parseConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }))
    const service = await startService({ tracing, settings: { SANDBOX_SETTLE_MS: '10' } })
    receiver.behave('/hook', 200)
    expectSuccess(await service.staging.post('/v1/webhooks', { url: receiver.url(), events: ['transfer.success'] }))
    const body = transferBody()
    expectSuccess(await service.staging.call('/v1/transfers/initiate', { method: 'POST', body, headers: sent }))
    const [delivery] = await receiver.received('/hook', 1)
    await untilHolds(() => expect(namesOf(collector)).toEqual(expect.arrayContaining([initiate, ...calls])))
    const spans = spansOf(collector)
    const request = spans.find(({ name }) => name === initiate)
    const hook = spans.find(({ name }) => name === 'webhook delivery')
    expect(request).toMatchObject({ kind: 2, parentSpanId: callerSpan, status: {} })
    expect(attribute(request, 'http.response.status_code')).toBe('200')
    for (const span of spans.filter((one) => one !== request)) {
      expect(span).toMatchObject({ kind: 3, parentSpanId: request?.spanId })
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
    }
    expect(delivery?.headers['traceparent']).toBe(`00-${traceId}-${hook?.spanId}-01`)
    await service.stop()
  })
})

const initiate = 'POST /v1/transfers/initiate'
/** The service also asks the bank for the outcome, unless the bank has one at once. */
const calls = ['rail submit', 'webhook delivery']

function spansOf({ spans }: Collector, trace = traceId): CollectedSpan[] {
  return spans.filter((span) => span.traceId === trace)
}

function namesOf(collector: Collector, trace = traceId): string[] {
  return spansOf(collector, trace).map(({ name }) => name)
}

function attribute(span: CollectedSpan | undefined, name: string): string | undefined {
  const value = span?.attributes.find(({ key }) => key === name)?.value
  return value?.['stringValue'] ?? value?.['intValue']
}

describe('a call of a rail over HTTP', () => {
  it('carries the trace of what it is made for, and nothing outside of it', async () => {
    const collector = await startCollector()
    const tracing = createTracing({ endpoint: collector.endpoint, metrics: createMetrics(), everyMs: 10 })
    const net = createNet({ traceHeaders: () => tracing.headers() })
    onTestFinished(() => net.close())
    const call = () => net.request({ url: receiver.url('/rail'), method: 'POST', body: '{}', allowLoopback: true })
    receiver.behave('/rail', 200, 200)
    const trace = tracing.receive(sent).run(() => tracing.current() ?? null)
    await tracing.follow({ name: 'rail submit', trace, attributes: {} }, call)
    await call()
    const [first, second] = await receiver.received('/rail', 2)
    expect(first?.headers['tracestate']).toBe(sent.tracestate)
    expect(first?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-(?!${callerSpan})[0-9a-f]{16}-01$`))
    expect(second?.headers).not.toHaveProperty('traceparent')
    expect(second?.headers).not.toHaveProperty('tracestate')
    await tracing.close()
  })
})

describe('an api and a worker that are processes of their own', () => {
  async function startBoth(): Promise<{ api: TestService; collector: Collector; stop(): Promise<void> }> {
    const collector = await startCollector()
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, SANDBOX_SETTLE_MS: '10' }
    const tracing = await loadTracing(parseConfig(settings))
    const api = await startService({ tracing, settings, roles: ['api'] })
    const worker = await startService({ tracing, settings, roles: ['worker'], database: api.database })
    const stop = async (): Promise<void> => {
      await worker.stop()
      await api.stop()
    }
    return { api, collector, stop }
  }

  const idOf = (index: number): string => String(index).repeat(32)
  const traced = (index: number) => ({ traceparent: `00-${idOf(index)}-${callerSpan}-01`, tracestate: 'congo=t61' })

  it('are one trace, from the request to the bank and the webhook: of a transfer, of many, of a collection, of a deposit', async () => {
    const { api, collector, stop } = await startBoth()
    const { staging } = api
    receiver.behave('/both', 200)
    const events = ['transfer.success', 'momo.collection.success', 'deposit.success', 'customer.deposit.success']
    expectSuccess(await staging.post('/v1/webhooks', { url: receiver.url('/both'), events }))
    const { accountNumber } = await staticAccount(staging)
    const ask = async (index: number, path: string, body: unknown): Promise<void> =>
      void expectSuccess(await staging.call(path, { method: 'POST', body, headers: traced(index) }))
    await ask(1, '/v1/transfers/initiate', transferBody())
    await ask(2, '/v1/transfers/bulk', { transfers: [transferBody(), transferBody()] })
    await ask(3, '/v1/momo/collection', collectBody())
    await ask(4, '/v1/sandbox/deposits', { accountNumber, amount: 100_000 })
    await receiver.received('/both', 5)
    await untilHolds(() => {
      const names = [1, 2, 3, 4].map((index) => namesOf(collector, idOf(index)))
      expect(names[0]).toEqual(expect.arrayContaining([initiate, ...calls]))
      expect(names[1]).toEqual(expect.arrayContaining(['POST /v1/transfers/bulk', ...calls]))
      expect(names[1]?.filter((name) => name === 'webhook delivery')).toHaveLength(2)
      expect(names[2]).toEqual(expect.arrayContaining(['POST /v1/momo/collection', ...calls]))
      expect(names[3]?.toSorted()).toEqual(['POST /v1/sandbox/deposits', 'webhook delivery'])
    })
    for (const index of [1, 2, 3, 4]) {
      const spans = spansOf(collector, idOf(index))
      const request = spans.find(({ kind }) => kind === 2)
      expect(request?.parentSpanId).toBe(callerSpan)
      for (const span of spans.filter((one) => one !== request)) expect(span.parentSpanId).toBe(request?.spanId)
    }
    const arrived = receiver
      .at('/both')
      .map(({ headers }) => [headers['traceparent']?.slice(3, 35), headers['tracestate']])
    expect(arrived.toSorted()).toEqual([1, 2, 2, 3, 4].map((index) => [idOf(index), 'congo=t61']))
    await stop()
  })
})

describe('a process without an endpoint, beside those that trace', () => {
  it('notes no trace of what it accepts', async () => {
    const service = await startService({ settings: { SANDBOX_SETTLE_MS: '10' } })
    const body = transferBody()
    expectSuccess(await service.staging.call('/v1/transfers/initiate', { method: 'POST', body, headers: sent }))
    const noted = () =>
      service.ctx.db.query(statement('tests.traces', 'select trace from payment union all select trace from event'), [])
    await untilHolds(async () => expect(await noted()).toEqual([{ trace: null }, { trace: null }]))
    await service.stop()
  })
})

describe('a collector that wants a key', () => {
  it('is sent the headers of the setting', async () => {
    const collector = await startCollector()
    const tracing = await loadTracing(
      parseConfig({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%2Cb,content-type=text/plain',
      }),
    )
    const started = tracing?.(createMetrics())
    started?.receive({}).end({ name: 'a', attributes: {}, failed: false })
    await started?.close()
    expect(collector.headers).toMatchObject({ 'api-key': 'a,b', 'content-type': 'application/json' })
    expect(collector.spans).toHaveLength(1)
  })
})

describe('a collector that takes nothing', () => {
  it('costs spans, which are counted, and nothing else', async () => {
    const collector = await startCollector()
    collector.status = 503
    const metrics = createMetrics()
    const tracing = createTracing({ endpoint: collector.endpoint, metrics, everyMs: 10_000_000 })
    const end = () => tracing.receive({}).end({ name: 'a', attributes: {}, failed: false })
    for (let index = 0; index < 10_000; index++) end()
    const dropped = async () => (await metrics.spansDropped.get()).values[0]?.value ?? 0
    // The tracer drops spans beyond its queue at once, without waiting.
    expect(await dropped()).toBe(10_000 - 8_192 - 512)
    await tracing.close()
    expect(await dropped()).toBe(10_000)
    expect(collector.spans).toEqual([])
  })
})

describe('a collector that answers byte by byte without an end', () => {
  it('is given up after the time limit of a request, so that the next spans can be sent', async () => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const metrics = createMetrics()
    const tracing = createTracing({ endpoint, metrics, everyMs: 10, requestMs: 200 })
    tracing.receive({}).end({ name: 'a', attributes: {}, failed: false })
    await untilHolds(async () => expect((await metrics.spansDropped.get()).values[0]?.value).toBe(1))
    await tracing.close()
  })
})
