import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })

type Transfer = { id: string; reference: string; status: string; createdAt: string }

const pageOf = (answer: Answer): { transfers: Transfer[]; pagination: unknown } => ({
  transfers: expectSuccess(answer).transfers,
  pagination: answer.body.meta?.pagination,
})

async function initiate(client: Client): Promise<Transfer> {
  return expectSuccess(await client.post('/v1/transfers/initiate', transferBody({ accountNumber: neverEnding })))
}

async function complete(client: Client, { reference }: Transfer, status: string): Promise<Transfer> {
  return expectSuccess(await client.post(`/v1/sandbox/transfers/${reference}/complete`, { status }))
}

/** 120 transfers over three days in every status, the latest first. */
async function makeHistory(client: Client): Promise<Transfer[]> {
  const history: Transfer[] = []
  const endings = [[], ['SUCCESS'], ['FAILED'], ['SUCCESS', 'REVERSED'], ['SUCCESS']]
  for (let index = 0; index < 120; index++) {
    // Sometimes two have the same millisecond.
    clock.advance(index % 7 === 0 ? 0 : ((index * 7_919) % 61) * 60_000)
    let transfer = await initiate(client)
    for (const status of endings[(index * 31) % endings.length] ?? [])
      transfer = await complete(client, transfer, status)
    history.unshift(transfer)
  }
  return history
}

const history = await makeHistory(service.staging)
const first = history.at(-1)?.createdAt ?? ''
const days = [...new Set(history.map(({ createdAt }) => createdAt.slice(0, 10)))]

type Question = {
  page: number
  limit: number
  status: string | undefined
  from: string | undefined
  to: string | undefined
}

/** The expected answer of the list, computed the slow way. */
function expected({ page, limit, status, from, to }: Question) {
  const size = Math.min(limit, 100)
  const isAfter = (time: string) =>
    from === undefined || (from.length === 10 ? time.slice(0, 10) >= from : time >= from)
  const isBefore = (time: string) => to === undefined || (to.length === 10 ? time.slice(0, 10) <= to : time <= to)
  const all = history.filter(
    (one) => (status === undefined || one.status === status) && isAfter(one.createdAt) && isBefore(one.createdAt),
  )
  const totalPage = Math.ceil(all.length / size)
  return {
    transfers: all.slice((page - 1) * size, page * size),
    pagination: {
      page,
      limit: size,
      total: all.length,
      totalPage,
      hasNext: page < totalPage,
      hasPrev: page > 1 && all.length > 0,
    },
  }
}

function queryOf(question: Question): string {
  const given = Object.entries(question).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return `/v1/transfers?${given.join('&')}`
}

describe('200', () => {
  it('shows the latest twenty first', async () => {
    const { transfers, pagination } = pageOf(await service.staging.get('/v1/transfers'))
    expect(transfers).toEqual(history.slice(0, 20))
    expect(pagination).toEqual({ page: 1, limit: 20, total: 120, totalPage: 6, hasNext: true, hasPrev: false })
  })

  it('pages and filters as one would by hand', async () => {
    const moments = history.map(({ createdAt }) => createdAt)
    const between = moments.map((time) => new Date(Date.parse(time) + 1).toISOString())
    const moment = fc.option(fc.constantFrom(...moments, ...between, ...days, '2020-01-01', '2030-12-31'), {
      nil: undefined,
    })
    const question = fc.record({
      page: fc.integer({ min: 1, max: 8 }),
      limit: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(100, 101, 5_000)),
      status: fc.constantFrom(undefined, 'queued', 'SUCCESS', 'FAILED', 'REVERSED'),
      from: moment,
      to: moment,
    })
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        expect(pageOf(await service.staging.get(queryOf(asked)))).toEqual(expected(asked))
      }),
      { numRuns: 150 },
    )
  })

  it('takes times with an offset, and a range that ends before it begins as an empty one', async () => {
    const local = first.replace('Z', '+00:00')
    expect(
      pageOf(await service.staging.get(`/v1/transfers?to=${encodeURIComponent(local)}`)).transfers.at(-1)?.createdAt,
    ).toBe(first)
    const { transfers, pagination } = pageOf(await service.staging.get('/v1/transfers?from=2030-01-02&to=2030-01-01'))
    expect({ transfers, pagination }).toMatchObject({
      transfers: [],
      pagination: { total: 0, totalPage: 0, hasPrev: false },
    })
  })

  it('answers past the end with nothing, and the right total', async () => {
    const { transfers, pagination } = pageOf(await service.staging.get('/v1/transfers?page=2147483648&limit=100'))
    expect(transfers).toEqual([])
    expect(pagination).toEqual({
      page: 2_147_483_648,
      limit: 100,
      total: 120,
      totalPage: 2,
      hasNext: false,
      hasPrev: true,
    })
  })

  it('shows nothing to a business that sent nothing', async () => {
    const other = await service.addBusiness('Other')
    for (const client of [other.staging, service.production]) {
      const { transfers, pagination } = pageOf(await client.get('/v1/transfers'))
      expect(transfers).toEqual([])
      expect(pagination).toEqual({ page: 1, limit: 20, total: 0, totalPage: 0, hasNext: false, hasPrev: false })
    }
  })

  it('is exact while transfers are coming in: each answer is the list of one moment', async () => {
    const busy = await service.addBusiness('Busy')
    const seen: { transfers: Transfer[]; pagination: { page: number; limit: number; total: number } }[] = []
    const moments = new Set<number>()
    const isEnough = (): boolean => moments.size >= 8
    const write = async (): Promise<Transfer[]> => {
      const written: Transfer[] = []
      while (!isEnough()) written.push(await initiate(busy.staging))
      return written
    }
    const writing = Promise.all(Array.from({ length: 20 }, write))
    for (let page = 1; !isEnough(); page = (page % 3) + 1) {
      const answer = pageOf(await busy.staging.get(`/v1/transfers?page=${page}&limit=7`)) as (typeof seen)[number]
      seen.push(answer)
      moments.add(answer.pagination.total)
    }
    const made = (await writing).flat()
    const all: Transfer[] = []
    for (let page = 1; all.length < made.length; page++) {
      const { transfers } = pageOf(await busy.staging.get(`/v1/transfers?page=${page}&limit=100`))
      expect(transfers).not.toEqual([])
      all.unshift(...transfers.toReversed())
    }
    expect(new Set(all.map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)))
    for (const { transfers, pagination } of seen) {
      const end = pagination.total - (pagination.page - 1) * pagination.limit
      const ids = all.slice(Math.max(0, end - pagination.limit), Math.max(0, end)).toReversed()
      expect(transfers.map(({ id }) => id)).toEqual(ids.map(({ id }) => id))
    }
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['limit=0', 'limit'],
    ['limit=', 'limit'],
    ['status=success', 'status'],
    ['status=', 'status'],
    ['status=queued&status=FAILED', 'status'],
    ['from=yesterday', 'from'],
    ['to=2026-13-01', 'to'],
    ['to=2026-01-15T10:00:00', 'to'],
  ])('%s', async (query, field) => {
    const answer = await service.staging.get(`/v1/transfers?${query}`)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
  })

  it('says that a parameter may be given only once, whatever its type', async () => {
    const twice = await service.staging.get('/v1/transfers?status=queued&status=FAILED')
    expectError(twice, 400, 'VALIDATION_ERROR', 'status must be given once')
    expectError(
      await service.staging.get('/v1/banks?search=a&search=b'),
      400,
      'VALIDATION_ERROR',
      'search must be given once',
    )
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(
      await service.staging.call('/v1/transfers', { headers: { Authorization: '' } }),
      401,
      'UNAUTHORIZED',
      /^Session not found/,
    )
  })
})
