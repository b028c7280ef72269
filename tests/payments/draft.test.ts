// The directory and the rails complete a request before the lane decides. No row is written.

import { describe, expect, it } from 'vitest'
import type { Environment, Tenant } from '#platform/context.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { draftBankTransfer, draftMomoCollection, draftMomoTransfer } from '#payments/service.ts'
import type { MomoCollection, Rail } from '#rails/rail.ts'
import { createRailRegistry, type Routing } from '#rails/registry.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { requestOf } from './process.ts'

const clock = createFakeClock()
const tenantIn = (environment: Environment): Tenant => ({ id: newUuid(clock.now()), lane: 1, environment })
const staging = tenantIn('staging')
const production = tenantIn('production')

const collecting = { approval: () => ({ kind: 'otp', validMs: 7 }) } as unknown as MomoCollection
const railOf = (name: string): Rail => ({ name, momoCollection: collecting })
/** Collections from one operator go to one rail, those from the other operator to another. */
const routing: Routing = {
  rails: { production: [railOf('of-mtn'), railOf('of-airtel')] },
  policy: 'weight',
  costs: {},
  routesOf: (environment, currency, port) =>
    environment === 'production' && currency === 'NGN' && port === 'momoCollection'
      ? [
          { rail: 'of-mtn', weight: 1, operators: ['mtn-momo'] },
          { rail: 'of-airtel', weight: 1, operators: ['airtel-smartcash'] },
        ]
      : [],
}
const rails = createRailRegistry({ clock, settleMs: 0, routing })

/** One number has a prefix of Airtel's; the other one belongs to no operator. */
const [airtels, nobodys] = ['+2348020000000', '+2341000000000']
const asked = { reference: 'R-1', amount: toMoney(1_000), currency: 'NGN' as const, narration: null, metadata: null }
const wallet = (phoneNumber: string, operator?: string) => {
  return { ...asked, phoneNumber, operator, accountName: null, customerName: null }
}
const send = (phoneNumber: string, operator?: string) =>
  draftMomoTransfer(rails, staging, wallet(phoneNumber, operator))
const collect = (tenant: Tenant, phoneNumber: string, operator?: string) =>
  draftMomoCollection(rails, tenant, wallet(phoneNumber, operator))

describe('a bank transfer', () => {
  it('has the name of its bank', () => {
    const { draft, payeeIsKnown, rail } = draftBankTransfer(rails, staging, requestOf())
    expect(draft).toMatchObject({ kind: 'bank_transfer', bankName: 'Guaranty Trust Bank' })
    expect([payeeIsKnown, rail]).toMatchObject([true, { kind: 'served', rail: 'simulator' }])
  })

  it('may go to an unknown bank', () => {
    const { draft, payeeIsKnown } = draftBankTransfer(rails, staging, requestOf({ bankSlug: 'no-such-bank' }))
    expect([draft, payeeIsKnown]).toMatchObject([{ bankName: '' }, false])
  })
})

describe('the operator of a wallet', () => {
  const none = { draft: { operator: '' }, payeeIsKnown: false }
  it.each([
    ['is told by the prefix', airtels, undefined, { draft: { operator: 'airtel-smartcash' }, payeeIsKnown: true }],
    ['is the one that is named, whatever the prefix says', airtels, '9psb', { draft: { operator: '9psb' } }],
    ['is not guessed where a wrong one is named', airtels, 'no-such-operator', none],
    ['may be unknown', nobodys, undefined, none],
  ])('%s', (_what, phoneNumber, operator, drafted) => {
    expect(send(phoneNumber, operator)).toMatchObject(drafted)
    expect(collect(staging, phoneNumber, operator)).toMatchObject(drafted)
  })
})

describe('a collection', () => {
  it('goes where the routes lead those of its operator', () => {
    expect(collect(production, airtels).rail).toMatchObject({ kind: 'served', rail: 'of-airtel' })
    expect(collect(production, airtels, 'mtn-momo').rail).toMatchObject({ kind: 'served', rail: 'of-mtn' })
  })

  it('is approved as its rail foretells', () => {
    expect(collect(production, airtels).draft).toMatchObject({ approval: { kind: 'otp', validMs: 7 } })
  })

  it.each([
    ['without a rail', production, airtels, '9psb'],
    ['of an operator that nobody knows', staging, nobodys, undefined],
  ])('%s asks no rail how it would be approved', (_which, tenant, phoneNumber, operator) => {
    expect(collect(tenant, phoneNumber, operator).draft).toMatchObject({ approval: { kind: 'handset' } })
  })
})
