import { describe, expect, it } from 'vitest'
import { createMetrics } from '#platform/observability/metrics.ts'

describe('metrics', () => {
  it('of two services in one process do not count for each other', async () => {
    const [one, other] = [createMetrics(), createMetrics()]
    one.httpRequests.inc({ route: '/v1/banks', status: 200 })
    expect(await one.registry.metrics()).toContain('manilla_http_requests_total{route="/v1/banks",status="200"} 1')
    expect(await other.registry.metrics()).not.toContain('/v1/banks')
  })

  it('are all written as Prometheus reads them, each with a help text and the prefix manilla_', async () => {
    const shown = await createMetrics().registry.getMetricsAsJSON()
    expect(shown.length).toBeGreaterThan(5)
    for (const { name, help } of shown) {
      expect(name).toMatch(/^manilla_[a-z_]+$/)
      expect(help).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('include those of the process only on request, because they exist once for each process', async () => {
    const [quiet, whole] = [createMetrics(), createMetrics({ process: true })]
    expect(await quiet.registry.metrics()).not.toContain('process_cpu')
    expect(await whole.registry.metrics()).toContain('process_cpu')
  })

  it('count from zero, because a counter that appears with its first event hides that event', async () => {
    const text = await createMetrics().text()
    const counters = [...text.matchAll(/^# TYPE (manilla_\w+) counter$/gm)].map(([, name]) => name ?? '')
    // Only another part of the service knows the values of these metrics' labels; see
    // tests/api/count-from-zero.test.ts.
    const others = [
      'http_requests',
      'lane_splits',
      'database_reconnects',
      'rail_calls_late',
      'rail_notices',
      'payments_moved',
    ].map((name) => `manilla_${name}_total`)
    for (const name of counters.filter((one) => !others.includes(one)))
      expect(text).toMatch(new RegExp(`^${name}(\\{.+\\})? 0$`, 'm'))
    expect(counters.length).toBeGreaterThan(others.length)
  })
})
