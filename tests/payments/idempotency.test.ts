// The material fields of each kind of payment.

import { describe, expect, it } from 'vitest'
import { differingField } from '#payments/accept.ts'
import { toMoney } from '#platform/money.ts'
import { bankTransfer, collection, momoTransfer } from './made.ts'

describe('differingField', () => {
  const bank = bankTransfer()
  const momo = momoTransfer()

  it.each([
    [bank, 'amount', { amount: toMoney(100_001) }],
    [bank, 'bankSlug', { bankSlug: 'access-bank' }],
    [bank, 'accountNumber', { accountNumber: '0123456788' }],
    [bank, 'amount', { amount: toMoney(1), bankSlug: 'access-bank', accountNumber: '0123456788' }],
    [momo, 'amount', { amount: toMoney(1) }],
    [momo, 'phoneNumber', { phoneNumber: '+2348030000001' }],
    [collection(), 'operator', { operator: '9psb' }],
  ])('names what differs (%#)', (first, field, changes) => {
    expect(differingField(first, { ...first, ...changes })).toBe(field)
  })

  it.each([[bank], [momo], [collection()]])('names nothing when name, narration or metadata differ (%#)', (first) => {
    const other = { accountName: 'OTHER', customerName: 'OTHER', narration: 'other', metadata: '{"a":"b"}' }
    expect(differingField(first, { ...first, ...other })).toBeUndefined()
  })
})
