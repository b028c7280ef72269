// The address holds the state of the page, and restores it.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeSearch, parseSearch, printSearch, readPaging } from '#dashboard/table/search.ts'

const words = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ minLength: 1, unit: 'grapheme' }))

describe('the words of an address', () => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(words, (search) => {
        expect(parseSearch(printSearch(search))).toEqual({ ...search })
      }),
    )
  })

  it('leave out empty values', () => {
    expect(printSearch({ status: '', page: undefined })).toBe('')
  })

  it('go back to the first page when a filter changes, and only then', () => {
    const search = { status: 'FAILED', page: '4', createdUntil: '2026-11-22T12:00:00Z' }
    expect(changeSearch(search, { status: 'SUCCESS' })).toEqual({ status: 'SUCCESS' })
    expect(changeSearch(search, { page: '5' })).toEqual({ ...search, page: '5' })
    expect(changeSearch(search, { columns: 'a,b' })).toEqual({ ...search, columns: 'a,b' })
    expect(changeSearch(search, { entry: 'aud_1' })).toEqual({ ...search, entry: 'aud_1' })
    expect(changeSearch(search, { status: undefined })).toEqual({})
  })

  it.each([
    [{}, { page: 1, limit: 20 }],
    [
      { page: '3', limit: '100' },
      { page: 3, limit: 100 },
    ],
    [
      { page: '-1', limit: '5000' },
      { page: 1, limit: 20 },
    ],
    [
      { page: 'x', limit: 'y' },
      { page: 1, limit: 20 },
    ],
  ])('of %j are the page %j', (search, paging) => {
    expect(readPaging(search)).toEqual(paging)
  })
})
