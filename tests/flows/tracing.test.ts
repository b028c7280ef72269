// One request followed through us: from its caller, to the bank, to the receiver of its webhook.

import { describe, expect, it, onTestFinished } from 'vitest'
import { loadTracing } from '#app.ts'
import { createMetrics } from '#base/metrics.ts'
import { createNet } from '#base/net.ts'
import { createTracing } from '#base/tracing.ts'
import { parseConfig } from '#config.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { startCollector, type CollectedSpan } from '#tests/support/collector.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { startService, testSecretKey } from '#tests/support/service.ts'
import { startManilla } from '#tests/cli/support.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { transferBody } from '#tests/payments/requests.ts'

const receiver = await useReceiver()
const database = await useTestDatabase()
const traceId = '0af7651916cd43dd8448eb211c80319c'
const callerSpan = 'b7ad6b7169203331'
const sent = { traceparent: `00-${traceId}-${callerSpan}-01` }

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
    await untilHolds(() => expect(spansOf(collector.spans)).toHaveLength(4))
    const [request, submit, status, hook] = spansOf(collector.spans)
    expect(request).toMatchObject({
      name: 'POST /v1/transfers/initiate',
      kind: 2,
      parentSpanId: callerSpan,
      status: {},
    })
    expect(attribute(request, 'http.response.status_code')).toBe('200')
    for (const [span, name] of [
      [submit, 'rail submit'],
      [status, 'rail status'],
      [hook, 'webhook delivery'],
    ] as const) {
      expect(span).toMatchObject({ name, kind: 3, parentSpanId: request?.spanId })
      expect(BigInt(span?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(span?.startTimeUnixNano ?? 0))
    }
    expect(delivery?.headers['traceparent']).toBe(`00-${traceId}-${hook?.spanId}-01`)
    await service.stop()
  })
})

function spansOf(spans: CollectedSpan[]): CollectedSpan[] {
  const order = ['POST /v1/transfers/initiate', 'rail submit', 'rail status', 'webhook delivery']
  return spans
    .filter((span) => span.traceId === traceId)
    .toSorted((left, right) => order.indexOf(left.name) - order.indexOf(right.name))
}

function attribute(span: CollectedSpan | undefined, name: string): string | undefined {
  const value = span?.attributes.find(({ key }) => key === name)?.value
  return value?.['stringValue'] ?? value?.['intValue']
}

describe('a call of a rail over HTTP', () => {
  it('carries the trace of what it is made for, and nothing outside of it', async () => {
    const collector = await startCollector()
    const tracing = createTracing({ endpoint: collector.endpoint, metrics: createMetrics(), everyMs: 10 })
    const net = createNet({ traceparent: () => tracing.current() })
    onTestFinished(() => net.close())
    const call = () => net.request({ url: receiver.url('/rail'), method: 'POST', body: '{}', allowLoopback: true })
    receiver.behave('/rail', 200, 200)
    const span = tracing.receive(sent.traceparent)
    span.remember('tenant reference')
    await tracing.follow({ name: 'rail submit', about: 'tenant reference', attributes: {} }, call)
    await call()
    const [first, second] = await receiver.received('/rail', 2)
    expect(first?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-(?!${callerSpan})[0-9a-f]{16}-01$`))
    expect(second?.headers).not.toHaveProperty('traceparent')
    await tracing.close()
  })
})

describe('a collector that takes nothing', () => {
  it('costs spans, which are counted, and nothing else', async () => {
    const collector = await startCollector()
    collector.status = 503
    const metrics = createMetrics()
    const tracing = createTracing({ endpoint: collector.endpoint, metrics, everyMs: 10_000_000 })
    const end = () => tracing.receive(undefined).end({ name: 'a', attributes: {}, failed: false })
    for (let index = 0; index < 10_000; index++) end()
    const dropped = async () => (await metrics.spansDropped.get()).values[0]?.value ?? 0
    // What is beyond the queue is dropped at once, without waiting for anybody.
    expect(await dropped()).toBe(10_000 - 8_192 - 512)
    await tracing.close()
    expect(await dropped()).toBe(10_000)
    expect(collector.spans).toEqual([])
  })
})

describe('a process without an endpoint', () => {
  const seeModules = `data:text/javascript,${encodeURIComponent(
    `import { registerHooks } from 'node:module'
     registerHooks({ load(url, context, next) { process.stderr.write('LOADED ' + url + '\\n'); return next(url, context) } })`,
  )}`

  async function modulesOf(settings: Record<string, string>): Promise<string[]> {
    const env = {
      DATABASE_URL: database.serviceUrl,
      SECRET_KEY: testSecretKey.toString('base64'),
      PORT: '0',
      NODE_OPTIONS: `--import ${seeModules}`,
      ...settings,
    }
    const server = await startManilla(['serve'], { env })
    await server.says(/listening on/)
    server.signal('SIGTERM')
    const { stderr } = await server.ended
    return [...stderr.matchAll(/^LOADED .*\/src\/base\/([\w-]+)\.ts$/gm)].map(([, name]) => name ?? '')
  }

  it('loads nothing of it', async () => {
    const parts = ['tracing', 'traceparent', 'spans']
    const without = await modulesOf({})
    expect(without).toContain('net')
    expect(without.filter((name) => parts.includes(name))).toEqual([])
    expect(await modulesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toEqual(
      expect.arrayContaining(parts),
    )
  })
})
