import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { subscribe } from '#tests/webhooks/requests.ts'

const service = await shareService()

describe('200', () => {
  it('is empty at first', async () => {
    const answer = await service.production.get('/v1/webhooks')
    expect(expectSuccess(answer)).toEqual({ webhooks: [] })
    expect(answer.body.meta?.pagination).toMatchObject({ page: 1, limit: 20, total: 0, totalPage: 0 })
  })

  it('shows the latest first, page by page, without those of others and those deleted', async () => {
    const made = []
    for (let count = 0; count < 4; count++) made.push(await subscribe(service.staging))
    const other = await service.addBusiness('Other')
    await subscribe(other.staging)
    await subscribe(service.production)
    expectSuccess(await service.staging.delete(`/v1/webhooks/${made[1].id}`))
    const wanted = [made[3], made[2], made[0]].map(({ id }) => id)
    const first = await service.staging.get('/v1/webhooks?limit=2')
    const second = await service.staging.get('/v1/webhooks?limit=2&page=2')
    const shown = [first, second].flatMap((answer) => expectSuccess(answer).webhooks)
    expect(shown.map(({ id }) => id)).toEqual(wanted)
    expect(second.body.meta?.pagination).toEqual({
      page: 2,
      limit: 2,
      total: 3,
      totalPage: 2,
      hasNext: false,
      hasPrev: true,
    })
    for (const one of shown) expect(Object.keys(one)).not.toContain('secret')
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each(['page=0', 'limit=x'])('%s', async (query) => {
    expectError(await service.staging.get(`/v1/webhooks?${query}`), 400, 'VALIDATION_ERROR')
  })
})
