import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useService } from '#tests/support/service.ts'
import { collectBody, phones, sendBody } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

const clock = createFakeClock()
const service = await useService({ clock })

type Row = { reference: string; status: string; createdAt: string }

/** 45 of them, the latest first, in every status, with other operations between them. */
const history: Row[] = []
for (let index = 0; index < 45; index++) {
  clock.advance(60_000)
  const row = expectSuccess(
    await service.staging.post('/v1/momo/transfer', sendBody({ phoneNumber: phones.neverEnding })),
  )
  const status = [undefined, 'SUCCESS', 'FAILED'][index % 3]
  history.unshift(
    status === undefined
      ? row
      : expectSuccess(await service.staging.post(`/v1/sandbox/momo/transfer/${row.reference}/complete`, { status })),
  )
  if (index % 10 !== 0) continue
  const others = { phoneNumber: phones.neverEnding }
  expectSuccess(await service.staging.post('/v1/momo/collection', collectBody(others)))
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ accountNumber: neverEnding })))
}

const ask = async (query: string) => {
  const answer = await service.staging.get(`/v1/momo/transfer?${query}`)
  return { rows: expectSuccess(answer).transfers as Row[], pagination: answer.body.meta?.pagination }
}

describe('200', () => {
  it('shows them all, the latest first, page by page', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => ask(`limit=20&page=${page}`)))
    expect(pages.flatMap(({ rows }) => rows)).toEqual(history)
    expect(pages[2]?.pagination).toEqual({
      page: 3,
      limit: 20,
      total: 45,
      totalPage: 3,
      hasNext: false,
      hasPrev: true,
    })
  })

  it.each(['queued', 'SUCCESS', 'FAILED', 'REVERSED'])('keeps those that are %s', async (status) => {
    const wanted = history.filter((row) => row.status === status)
    const { rows, pagination } = await ask(`status=${status}&limit=10&page=2`)
    expect(rows).toEqual(wanted.slice(10, 20))
    expect(pagination?.total).toBe(wanted.length)
  })

  it('keeps a range of time, both ends included', async () => {
    const [to, from] = [history[5]?.createdAt ?? '', history[12]?.createdAt ?? '']
    expect((await ask(`from=${from}&to=${to}`)).rows).toEqual(history.slice(5, 13))
  })

  it("shows nothing of another business's", async () => {
    const other = await service.addBusiness('Other')
    expect(expectSuccess(await other.staging.get('/v1/momo/transfer')).transfers).toEqual([])
  })
})

describe('400', () => {
  it.each(['status=done', 'page=0', 'limit=x', 'from=yesterday'])('refuses %s', async (query) => {
    const answer = await service.staging.get(`/v1/momo/transfer?${query}`)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual([query.split('=')[0]])
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(
      await service.staging.call('/v1/momo/transfer', { headers: { Authorization: '' } }),
      401,
      'UNAUTHORIZED',
    )
  })
})
