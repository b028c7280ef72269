// Lists and searches compared with picking by hand from all payments of the tenant: by kind, status, page and filter.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { paymentKinds, type Draft, type Payment, type PaymentKind, type Result } from '#payments/payment.ts'
import { listPayments, searchPayments, type PaymentFilter } from '#payments/list.ts'
import { paymentData } from '#payments/wire.ts'
import { drafts, reasons } from './drafts.ts'
import { commandOf, useSettling } from './settling.ts'

const { clock, ctx, open } = await useSettling()
let tenant: Tenant
const all: Payment[] = []

const endingsOf = (kind: PaymentKind): Result[][] => [
  [],
  [{ kind: 'succeeded' }],
  [{ kind: 'failed', reason: reasons[kind] }],
  [{ kind: 'succeeded' }, { kind: 'reversed' }],
]

beforeAll(async () => {
  const room = await open()
  tenant = room.tenants[0]
  for (let made = 0; made < 60; made++) {
    clock.advance(1_000)
    const owner = room.tenants[made % 7 === 0 ? 1 : 0]
    const kind = paymentKinds[made % 3] as PaymentKind
    const reference = `R-${made}`
    const changes = {
      ...drafts[kind],
      reference,
      amount: toMoney(1_000 * ((made % 5) + 1)),
      metadata: made % 4 === 0 ? JSON.stringify({ order: `A-${made % 8}` }) : null,
      ...(kind === 'bank_transfer' && made % 2 === 0 ? { bankSlug: 'access-bank' } : {}),
    } as Partial<Draft>
    const outcome = await room.accept(owner, reference, { draft: commandOf(owner, changes).draft })
    if (outcome.kind !== 'accepted') throw new Error(`it is ${outcome.kind}`)
    let { payment } = outcome
    for (const result of endingsOf(kind)[(made % 11) % 4] as Result[]) {
      const settled = await room.settle(owner, reference, { result })
      if (settled.kind === 'settled') ({ payment } = settled)
    }
    all.unshift(payment)
  }
})

const ownOf = (kind: PaymentKind): Payment[] => all.filter((one) => one.tenantId === tenant.id && one.kind === kind)
const names = (payments: readonly Payment[]): string[] => payments.map(({ reference }) => reference)

describe.each(paymentKinds)('a list of %s', (kind) => {
  it.each(['queued', 'PENDING', 'SUCCESS', 'FAILED', 'REVERSED', undefined] as const)(
    'shows those of the status %s as a read does, page by page and between two times',
    async (status) => {
      const own = ownOf(kind).filter((one) => status === undefined || one.status === status)
      const times = ownOf(kind).map(({ createdAt }) => createdAt)
      const ranges = [{}, { from: times.at(-3), before: times[2] }, { from: times[1] }, { before: times.at(-2) }]
      for (const { from, before } of ranges as { from?: Date; before?: Date }[]) {
        const wanted = own.filter(
          ({ createdAt }) => (from === undefined || createdAt >= from) && (before === undefined || createdAt < before),
        )
        for (const limit of [1, 3, 100])
          for (let page = 1; page <= Math.ceil(wanted.length / limit) + 1; page++) {
            const found = await listPayments(ctx, tenant, kind, { page, limit, status, from, before })
            const shown = wanted.slice((page - 1) * limit, page * limit).map(paymentData)
            expect(found.payments.map(paymentData)).toEqual(shown)
            expect(found.total).toBe(wanted.length)
          }
      }
    },
  )
})

describe('a search', () => {
  const amount = (kobo: number) => toMoney(kobo)
  const orderOf = ({ metadata }: Payment): unknown => JSON.parse(metadata ?? '{}').order

  it.each<[string, PaymentFilter, (one: Payment) => boolean]>([
    ['of all', {}, () => true],
    ['by status', { status: 'FAILED' }, ({ status }) => status === 'FAILED'],
    ['by an amount, from it on', { amountFrom: amount(3_000) }, (one) => one.amount >= 3_000n],
    ['by an amount, up to it', { amountTo: amount(3_000) }, (one) => one.amount <= 3_000n],
    ['by one amount', { amountFrom: amount(2_000), amountTo: amount(2_000) }, (one) => one.amount === 2_000n],
    ['by bank', { bankSlug: 'access-bank' }, (one) => 'bankSlug' in one && one.bankSlug === 'access-bank'],
    ['by operator', { operator: 'mtn-momo' }, (one) => 'operator' in one && one.operator === 'mtn-momo'],
    ['by reason', { failureReason: 'PROVIDER_ERROR' }, (one) => one.failureReason === 'PROVIDER_ERROR'],
    ['by a text of its metadata', { metadata: 'A-4' }, (one) => orderOf(one) === 'A-4'],
    ['by a part of a text', { metadata: 'A-' }, () => false],
  ])('%s finds those, the latest first, and goes on where it stopped', async (_what, filter, fits) => {
    for (const kind of paymentKinds)
      for (const [limit, bounds] of [
        [100, undefined],
        [100, { pieceRows: 3n, questionRows: 5n }],
        [2, { pieceRows: 3n, questionRows: 100n }],
      ] as const) {
        const found: Payment[] = []
        let behind: bigint | undefined
        let looked = 0
        do {
          const answer = await searchPayments(ctx, tenant, kind, { filter, limit, behind }, bounds)
          expect(answer.payments.length).toBeLessThanOrEqual(limit)
          found.push(...answer.payments)
          looked += answer.looked
          behind = answer.next
        } while (behind !== undefined)
        expect(names(found)).toEqual(names(ownOf(kind).filter(fits)))
        expect(looked).toBe(ownOf(kind).length)
      }
  })
})
