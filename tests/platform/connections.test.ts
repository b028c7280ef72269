// The budget of connections, compared with the connections that a process really opens.

import { describe, expect, it } from 'vitest'
import {
  connectionBudget,
  connectionsPerProcessMax,
  judgeConnections,
  readConnections,
  requireConnections,
  type Queryable,
} from '#platform/db/db.ts'
import { OperatorError } from '#platform/errors.ts'
import { createLog } from '#platform/observability/log.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const lanes = 32
const database = await useTestDatabase()
await asOwner(database, `update installation set lanes = ${lanes}`)
const service = await useService({ database })

it('allows four processes with the hundred connections of a default PostgreSQL', () => {
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
})

describe('the limit of PostgreSQL', () => {
  it.each([
    [{ allowed: 97, held: 3 }, 'ok', 'PostgreSQL allows 97, of which others hold 3 now, so 3 more processes fit'],
    [{ allowed: 97, held: 73 }, 'ok', 'others hold 73 now, so 1 more process fits'],
    [{ allowed: 97, held: 74 }, 'warning', 'others hold 74 now, so 23 are left and requests will be answered 503'],
    [{ allowed: 97, held: 120 }, 'warning', 'so 0 are left'],
    [{ allowed: 23, held: 0 }, 'failed', 'allows 23: raise max_connections by 1 or more, and restart PostgreSQL'],
  ])('is held against the budget: %j', (connections, state, words) => {
    expect(judgeConnections(connections)).toEqual({ state, message: expect.stringContaining(words) })
  })

  it('is read from PostgreSQL, with the number of other sessions', async () => {
    const [db, other] = [database.connect(), database.connect()]
    await readConnections(other)
    const { allowed, held } = await readConnections(db)
    expect(allowed).toBeGreaterThan(connectionsPerProcessMax)
    expect(held).toBeGreaterThan(0)
  })

  it('stops a process that can never have its connections, and warns if they are in use now', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) })
    const asked = (allowed: number, held: number) => {
      const db = { query: () => Promise.resolve([{ allowed, held }]) } as unknown as Queryable
      return requireConnections({ db, log })
    }
    await expect(asked(20, 0)).rejects.toThrow(OperatorError)
    await expect(asked(23, 0)).rejects.toThrow(/^A process holds at most 24 .* restart PostgreSQL\.$/)
    await asked(97, 3)
    expect(lines).toEqual([])
    await asked(97, 90)
    expect(lines.join('')).toContain('so 7 are left')
  })
})
