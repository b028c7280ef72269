// Every counter that an alert may ask about exists before its first event.

import { expect, it } from 'vitest'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody } from '#tests/payments/requests.ts'

const service = await useService({ roles: ['api'] })

it('counts of requests, batches, connections and rails begin with zero', async () => {
  const asker = createClient(service.url)
  const before = (await asker.get('/metrics')).text
  asker.close()
  for (const status of [200, 400, 401, 413, 429, 499, 500, 503]) {
    expect(before).toContain(`manilla_http_requests_total{route="/v1/transfers/initiate",status="${status}"} 0\n`)
  }
  expect(before).toContain('manilla_http_requests_total{route="/ready",status="503"} 0\n')
  expect(before).toContain('manilla_http_requests_total{route="none",status="404"} 0\n')
  expect(before).toContain('manilla_database_reconnects_total{connection="readers"} 0\n')
  for (const call of ['submit', 'status', 'code', 'account']) {
    expect(before).toContain(`manilla_rail_calls_late_total{rail="simulator",call="${call}"} 0\n`)
  }
  for (const why of ['stopped', 'misconfigured', 'resting', 'float', 'no-rail', 'refused'])
    expect(before).toContain(`manilla_payments_moved_total{why="${why}"} 0\n`)
  for (const outcome of ['delivered', 'failed', 'gone']) {
    expect(before).toContain(`manilla_webhook_attempts_total{outcome="${outcome}"} 0\n`)
  }
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody()))
  expect(await service.ctx.metrics.text()).toMatch(/^manilla_lane_splits_total\{lane="1"\} 0$/m)
})
