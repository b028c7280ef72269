// Pagination fields, which are the same for every list of the API.

import { beforeEach, describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type AnswerBody } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'

const door = await useFrontDoor()

beforeEach(() => (door.endpoints.total.notes = 45))

async function page(
  query: string,
): Promise<{ count: number; pagination: NonNullable<AnswerBody['meta']>['pagination'] | undefined }> {
  const answer = await door.staging.get(`/v1/notes${query}`)
  return { count: expectSuccess(answer).notes.length, pagination: answer.body.meta?.pagination }
}

describe('meta.pagination', () => {
  it.each([
    ['', 20, { page: 1, limit: 20, total: 45, totalPage: 3, hasNext: true, hasPrev: false }],
    ['?page=2', 20, { page: 2, limit: 20, total: 45, totalPage: 3, hasNext: true, hasPrev: true }],
    ['?page=3', 5, { page: 3, limit: 20, total: 45, totalPage: 3, hasNext: false, hasPrev: true }],
    ['?page=4', 0, { page: 4, limit: 20, total: 45, totalPage: 3, hasNext: false, hasPrev: true }],
    ['?page=2147483648', 0, { page: 2147483648, limit: 20, total: 45, totalPage: 3, hasNext: false, hasPrev: true }],
    ['?limit=1', 1, { page: 1, limit: 1, total: 45, totalPage: 45, hasNext: true, hasPrev: false }],
    ['?limit=45', 45, { page: 1, limit: 45, total: 45, totalPage: 1, hasNext: false, hasPrev: false }],
    ['?limit=100', 45, { page: 1, limit: 100, total: 45, totalPage: 1, hasNext: false, hasPrev: false }],
    ['?page=2&limit=15', 15, { page: 2, limit: 15, total: 45, totalPage: 3, hasNext: true, hasPrev: true }],
    ['?page=3&limit=15', 15, { page: 3, limit: 15, total: 45, totalPage: 3, hasNext: false, hasPrev: true }],
    ['?limit=007&page=01', 7, { page: 1, limit: 7, total: 45, totalPage: 7, hasNext: true, hasPrev: false }],
    ['?other=1&page=2&other=2', 20, { page: 2, limit: 20, total: 45, totalPage: 3, hasNext: true, hasPrev: true }],
  ])('of %j is right', async (query, count, pagination) => {
    expect(await page(query)).toEqual({ count, pagination })
  })

  it.each(['101', '1000', '2147483648'])('a limit of %s is taken as 100, and says so', async (limit) => {
    expect((await page(`?limit=${limit}`)).pagination?.limit).toBe(100)
  })

  it('of nothing has no pages, and none before', async () => {
    door.endpoints.total.notes = 0
    const nothing = { limit: 20, total: 0, totalPage: 0, hasNext: false, hasPrev: false }
    expect((await page('')).pagination).toEqual({ page: 1, ...nothing })
    expect((await page('?page=7')).pagination).toEqual({ page: 7, ...nothing })
  })

  it('stands on lists alone', async () => {
    const answer = await door.staging.get('/v1/notes/N-1')
    expectSuccess(answer)
    expect('meta' in answer.body).toBe(false)
  })
})

describe.each(['page', 'limit'])('%s', (name) => {
  it.each([
    '',
    '0',
    '00',
    '-1',
    '1.5',
    '1.0',
    '1e1',
    '0x10',
    '+1',
    '%2B1',
    '%201',
    'abc',
    'NaN',
    'Infinity',
    '2147483649',
    '9'.repeat(400),
    '%D9%A1',
    '1,2',
    'null',
    'true',
  ])('%j is refused, naming the parameter', async (value) => {
    const answer = await door.staging.get(`/v1/notes?${name}=${value}`)
    expectError(answer, 400, 'VALIDATION_ERROR', new RegExp(`^${name} must be`))
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([name])
  })

  it.each([`${name}=1&${name}=1`, `${name}=1&${name}=2&${name}=3`])(
    '%s: given more than once is refused',
    async (query) => {
      expectError(
        await door.staging.get(`/v1/notes?${query}`),
        400,
        'VALIDATION_ERROR',
        new RegExp(`^${name} must be given once$`),
      )
    },
  )

  it('given thousands of times is refused like given twice', async () => {
    expectError(await door.staging.get(`/v1/notes?${`${name}&`.repeat(2_000)}`), 400, 'VALIDATION_ERROR')
  })
})

describe('the query', () => {
  it('both invalid parameters are reported at once', async () => {
    const answer = await door.staging.get('/v1/notes?page=0&limit=x')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual(['page', 'limit'])
  })

  it.each(['__proto__=1', 'constructor=1', 'page[]=2', '%', '%zz=1', '=', '&&&', 'a=%FF', '?'])(
    '%s is passed over',
    async (query) => {
      expect((await page(`?${query}`)).pagination?.page).toBe(1)
    },
  )

  it('NUL in it is refused', async () => {
    const answer = await door.staging.get('/v1/notes?other=a%00b')
    expectError(answer, 400, 'VALIDATION_ERROR', /NUL/)
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual(['query'])
  })
})
