// A watcher is told of each commit of this process, with the tenant, until it stops.

import { expect, it } from 'vitest'
import type { Uuid } from '#platform/ids.ts'
import { watchFigures } from '#stats/stats.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()

it('reports a payment as soon as it is committed, with its tenant', async () => {
  const tenant = service.business.tenants.staging.id
  const told: Uuid[] = []
  const unwatch = watchFigures((tenantIds) => told.push(...tenantIds))
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody()))
  expect(told.filter((id) => id === tenant).length).toBeGreaterThan(0)
  unwatch()
  const before = told.length
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody()))
  expect(told).toHaveLength(before)
})
