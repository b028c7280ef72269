// The budget of connections, held against what a process really opens.

import { expect, it } from 'vitest'
import { connectionBudget, connectionsPerProcessMax } from '#base/connections.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { createTestDatabase } from '#tests/support/database.ts'

const lanes = 32
const database = await createTestDatabase()
await asOwner(database, `update installation set lanes = ${lanes}`)
const service = await useService({ database })

it('leaves room for four processes in the hundred connections that PostgreSQL allows unless told otherwise', () => {
  expect(connectionsPerProcessMax * 4).toBeLessThanOrEqual(97)
})

it('is kept by a process that works on many more lanes than it has connections', async () => {
  const businesses = await Promise.all(Array.from({ length: lanes * 3 }, (_, at) => service.addBusiness(`B${at}`)))
  expect(new Set(businesses.map(({ business }) => business.tenants.staging.lane)).size).toBeGreaterThan(
    connectionBudget.lanes,
  )
  const answers = await Promise.all(
    businesses.map(({ staging }) => staging.post('/v1/transfers/initiate', transferBody())),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const [row] = await asOwner<{ count: string }>(
    database,
    `select count(*) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  expect(Number(row?.count)).toBeLessThanOrEqual(connectionsPerProcessMax)
  await service.stop()
  await database.drop()
})
