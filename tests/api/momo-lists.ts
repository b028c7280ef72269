// Tests that the lists of transfers and collections of mobile money share.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useService } from '#tests/support/service.ts'
import { momoOperations, phones, type MomoOperation } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

export type MomoList = {
  operation: MomoOperation
  /** The field of the answer that has the rows. */
  rows: string
  statuses: string[]
}

type Row = { reference: string; status: string; createdAt: string }

export async function describeMomoList({ operation, rows: name, statuses }: MomoList): Promise<void> {
  const clock = createFakeClock()
  // Without a worker, which would end these payments, because they are old by this clock.
  const service = await useService({ clock, roles: ['api'] })
  const { path, body } = momoOperations[operation]
  const other = momoOperations[operation === 'transfer' ? 'collection' : 'transfer']

  /** 45 of them, the latest first, in every status, with other operations between them. */
  const history: Row[] = []
  for (let index = 0; index < 45; index++) {
    clock.advance(60_000)
    const row = expectSuccess(await service.staging.post(path, body({ phoneNumber: phones.neverEnding })))
    const status = [undefined, 'SUCCESS', 'FAILED'][index % 3]
    const completing = `/v1/sandbox/momo/${operation}/${row.reference}/complete`
    history.unshift(status === undefined ? row : expectSuccess(await service.staging.post(completing, { status })))
    if (index % 10 !== 0) continue
    expectSuccess(await service.staging.post(other.path, other.body({ phoneNumber: phones.neverEnding })))
    expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ accountNumber: neverEnding })))
  }

  const ask = async (query: string) => {
    const answer = await service.staging.get(`${path}?${query}`)
    return { rows: expectSuccess(answer)[name] as Row[], pagination: answer.body.meta?.pagination }
  }

  describe('200', () => {
    it('shows them all, the latest first, page by page', async () => {
      const pages = await Promise.all([1, 2, 3, 4].map((page) => ask(`limit=20&page=${page}`)))
      expect(pages.flatMap(({ rows }) => rows)).toEqual(history)
      const third = { page: 3, limit: 20, total: 45, totalPage: 3, hasNext: false, hasPrev: true }
      expect(pages[2]?.pagination).toEqual(third)
    })

    it.each(statuses)('keeps those that are %s', async (status) => {
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
      const stranger = await service.addBusiness('Other')
      expect(expectSuccess(await stranger.staging.get(path))[name]).toEqual([])
    })
  })

  describe('400', () => {
    it.each(['status=done', 'page=0', 'limit=x', 'from=yesterday'])('refuses %s', async (query) => {
      const answer = await service.staging.get(`${path}?${query}`)
      expectError(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error?.details?.map(({ field }) => field)).toEqual([query.split('=')[0]])
    })
  })

  describe('401', () => {
    it('refuses without a key', async () => {
      expectError(await service.staging.call(path, { headers: { Authorization: '' } }), 401, 'UNAUTHORIZED')
    })
  })
}
