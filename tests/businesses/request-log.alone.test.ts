import { describe, expect, it } from 'vitest'
import { createBusiness, findTenant } from '#businesses/business.ts'
import {
  createRequestLog,
  findRequests,
  forgetRequests,
  keptPerMinute,
  listRequests,
  type RequestFacts,
  type RequestQuestion,
} from '#businesses/request-log.ts'
import { present } from '#platform/assert.ts'
import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())

async function newTenant(): Promise<Tenant> {
  const { id } = await createBusiness(ctx, 'A Business')
  return present(await findTenant(ctx, id, 'staging'), 'a business has a tenant')
}

const keyId = '0190a000-0000-7000-8000-000000000001' as Uuid
const factsOf = (facts: Partial<RequestFacts> = {}): RequestFacts => ({
  requestId: 'r1',
  keyId,
  method: 'GET',
  route: '/v1/balance',
  reference: null,
  status: 200,
  errorCode: null,
  durationMs: 3,
  address: '203.0.113.7',
  agent: 'curl/8.5.0',
  body: null,
  faults: null,
  ...facts,
})

const everything: RequestQuestion = {
  statusClass: null,
  route: null,
  keyId: null,
  from: null,
  before: null,
  behind: null,
  limit: 100,
}

async function leftOut(because: string): Promise<number> {
  const { values } = await ctx.metrics.apiRequestsLeftOut.get()
  return values.find(({ labels }) => labels['because'] === because)?.value ?? 0
}

describe('the log of API requests', () => {
  it('stores a limited number in a minute, failed ones counted apart, and counts the others', async () => {
    const [log, tenant] = [createRequestLog(ctx), await newTenant()]
    for (let n = 0; n < keptPerMinute.succeeded + 5; n++) log.note(tenant, false, () => factsOf())
    for (let n = 0; n < keptPerMinute.failed + 7; n++) log.note(tenant, true, () => factsOf({ status: 400 }))
    await log.flush()
    const of = async (statusClass: number) =>
      (await listRequests(ctx, tenant, { ...everything, statusClass, limit: 1_000 })).requests.length
    expect(await of(2)).toBe(keptPerMinute.succeeded)
    expect(await of(4)).toBe(keptPerMinute.failed)
    expect(await leftOut('rate')).toBe(12)
    ctx.clock.advance(60_000)
    log.note(tenant, false, () => factsOf())
    await log.close()
    expect(await of(2)).toBe(keptPerMinute.succeeded + 1)
  })

  it('allows the next requests after a minute, also while the clock is slowed down', async () => {
    const startMs = ctx.clock.now()
    const slowed = { ...ctx.clock, now: () => startMs + (ctx.clock.now() - startMs) / 2 }
    const [log, tenant] = [createRequestLog({ ...ctx, clock: slowed }), await newTenant()]
    for (let minute = 0; minute < 4; minute++) {
      for (let n = 0; n < keptPerMinute.succeeded; n++) log.note(tenant, false, () => factsOf())
      ctx.clock.advance(60_000)
    }
    await log.close()
    const { requests } = await listRequests(ctx, tenant, { ...everything, limit: 1_000 })
    expect(requests).toHaveLength(4 * keptPerMinute.succeeded)
  })

  it('limits the requests in memory, and goes on when the database fails', async () => {
    const log = createRequestLog(ctx)
    const tenants = await Promise.all(Array.from({ length: 5 }, newTenant))
    for (const tenant of tenants) for (let n = 0; n < 600; n++) log.note(tenant, true, () => factsOf({ status: 400 }))
    expect(await leftOut('full')).toBe(0)
    await log.flush()
    expect(await leftOut('full')).toBe(1_000)
    const [tenant] = tenants
    if (tenant === undefined) throw new Error('no tenant')
    ctx.clock.advance(60_000)
    log.note(tenant, true, () => factsOf({ method: 'a method that is too long' }))
    await log.flush()
    expect(await leftOut('database')).toBe(1)
    log.note(tenant, true, () => factsOf({ requestId: 'after' }))
    await log.close()
    expect(await findRequests(ctx, tenant, 'after')).toHaveLength(1)
  })

  it('is listed by class, endpoint, key, id and time, page by page, and of no other tenant', async () => {
    const [log, tenant, other] = [createRequestLog(ctx), await newTenant(), await newTenant()]
    for (let n = 0; n < 5; n++) {
      ctx.clock.advance(1_000)
      log.note(tenant, n % 2 === 1, () => factsOf({ requestId: `n${n}`, status: n % 2 === 1 ? 404 : 200 }))
    }
    const middle = new Date(ctx.clock.now() - 2_000)
    log.note(tenant, true, () => factsOf({ requestId: 'mine', route: '/v1/transfers/initiate', status: 500 }))
    log.note(other, true, () => factsOf({ requestId: 'mine', status: 500 }))
    await log.close()
    const ids = async (question: Partial<RequestQuestion>): Promise<string[]> =>
      (await listRequests(ctx, tenant, { ...everything, ...question })).requests.map(({ requestId }) => requestId)
    expect(await ids({})).toEqual(['mine', 'n4', 'n3', 'n2', 'n1', 'n0'])
    expect(await ids({ statusClass: 4 })).toEqual(['n3', 'n1'])
    expect(await ids({ route: '/v1/transfers/initiate' })).toEqual(['mine'])
    expect(await ids({ keyId: '0190a000-0000-7000-8000-000000000002' as Uuid })).toEqual([])
    expect(await ids({ before: middle })).toEqual(['n1', 'n0'])
    expect(await ids({ from: middle })).toEqual(['mine', 'n4', 'n3', 'n2'])
    const first = await listRequests(ctx, tenant, { ...everything, limit: 4 })
    expect(first.requests).toHaveLength(4)
    const second = await listRequests(ctx, tenant, { ...everything, limit: 4, behind: first.next })
    expect(second.requests.map(({ requestId }) => requestId)).toEqual(['n1', 'n0'])
    expect(second.next).toBeNull()
    expect(await findRequests(ctx, tenant, 'mine')).toMatchObject([{ status: 500, route: '/v1/transfers/initiate' }])
  })

  it('is deleted after a week, a portion at a time', async () => {
    const [log, tenant] = [createRequestLog(ctx), await newTenant()]
    for (let n = 0; n < 5; n++) log.note(tenant, false, () => factsOf())
    await log.flush()
    ctx.clock.advance(7 * 86_400_000 + 1)
    log.note(tenant, false, () => factsOf({ requestId: 'young' }))
    await log.close()
    while ((await forgetRequests(ctx, 3, tenant.lane)) === 3);
    const { requests } = await listRequests(ctx, tenant, everything)
    expect(requests.map(({ requestId }) => requestId)).toEqual(['young'])
  })
})
