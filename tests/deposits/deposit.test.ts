// A deposit at its edges: its reference, and the meaning of each status that a provider reports.

import { describe, expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { depositReference, depositStatuses, meaningOf, parseDepositReference, type Deposit } from '#deposits/deposit.ts'

describe('the reference of a deposit', () => {
  const id = newUuid(Date.parse('2026-01-15T09:30:00.000Z'))
  const reference = depositReference(id)

  it('is its id in capitals, and leads back to it', () => {
    expect(reference).toMatch(/^DEP[0-9A-Z]{26}$/)
    expect(parseDepositReference(reference)).toBe(id)
  })

  it.each([
    ['in small letters', reference.toLowerCase()],
    ['that lacks a letter', reference.slice(0, -1)],
    ['with a letter too many', `${reference}0`],
    ['of something else', reference.replace('DEP', 'TRF')],
    ['with a letter that ids do not have', `${reference.slice(0, -1)}U`],
    ['that is the word of an endpoint', 'validate'],
  ])('is none %s', (_, text) => {
    expect(parseDepositReference(text)).toBeUndefined()
  })
})

describe('a report about a deposit', () => {
  const meanings = (deposit: Pick<Deposit, 'status' | 'returnReason'>) =>
    Object.fromEntries(depositStatuses.map((word) => [word, meaningOf(deposit as Deposit, word)]))

  it('moves a PENDING deposit to its end', () => {
    expect(meanings({ status: 'PENDING', returnReason: null })).toEqual({
      PENDING: 'nothing new',
      SUCCESSFUL: 'moves',
      FAILED: 'moves',
    })
  })

  it('contradicts what has ended otherwise', () => {
    expect(meanings({ status: 'SUCCESSFUL', returnReason: null })).toEqual({
      PENDING: 'nothing new',
      SUCCESSFUL: 'nothing new',
      FAILED: 'contradiction',
    })
    expect(meanings({ status: 'FAILED', returnReason: null })).toEqual({
      PENDING: 'nothing new',
      SUCCESSFUL: 'contradiction',
      FAILED: 'nothing new',
    })
  })

  it('of success changes nothing about money that came and could not be accepted', () => {
    expect(meanings({ status: 'FAILED', returnReason: 'UNDERPAID' })).toEqual({
      PENDING: 'nothing new',
      SUCCESSFUL: 'nothing new',
      FAILED: 'nothing new',
    })
  })
})
