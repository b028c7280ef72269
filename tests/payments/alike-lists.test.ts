// Lists of one status, with two businesses that have payments of the same kinds, statuses and numbers.

import { beforeAll, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { paymentKinds } from '#payments/payment.ts'
import { listPayments, searchPayments } from '#payments/list.ts'
import { drafts, reasons } from './drafts.ts'
import { commandOf, useSettling } from './settling.ts'

const { ctx, open } = await useSettling()
let tenants: readonly Tenant[]
/** The tenant of each payment, by its id; lists do not contain the tenant. */
const owners = new Map<string, Tenant['id']>()

/** The statuses of each list, from its first payment on. */
const ends = ['FAILED', 'SUCCESS', 'SUCCESS', 'FAILED', 'FAILED', 'SUCCESS'] as const

beforeAll(async () => {
  const room = await open()
  tenants = room.tenants
  for (const kind of paymentKinds)
    for (const tenant of tenants)
      for (const [index, end] of ends.entries()) {
        const reference = `${kind} ${index + 1}`
        const draft = commandOf(tenant, { ...drafts[kind], reference }).draft
        const outcome = await room.accept(tenant, reference, { draft })
        if (outcome.kind === 'accepted') owners.set(outcome.payment.id, tenant.id)
        const failed = { kind: 'failed', reason: reasons[kind] } as const
        await room.settle(tenant, reference, { result: end === 'FAILED' ? failed : { kind: 'succeeded' } })
      }
})

const numbers = { FAILED: [5, 4, 1], SUCCESS: [6, 3, 2] }

it.each(paymentKinds)('each has its own %s, in pages of any size', async (kind) => {
  for (const { id, ...tenant } of tenants)
    for (const status of ['FAILED', 'SUCCESS'] as const) {
      const wanted = numbers[status].map((number) => `${id} ${kind} ${number}`)
      for (const limit of [1, 2, 3]) {
        const found: string[] = []
        for (let page = 1; page <= 3; page++) {
          const { payments, total } = await listPayments(ctx, { id, ...tenant }, kind, { status, page, limit })
          expect(payments.length).toBeLessThanOrEqual(limit)
          expect(total).toBe(3)
          found.push(...payments.map((one) => `${owners.get(one.id)} ${one.reference}`))
        }
        expect(found).toEqual(wanted)
      }
    }
})

it.each(paymentKinds)('each finds its own %s', async (kind) => {
  for (const tenant of tenants) {
    const { payments } = await searchPayments(ctx, tenant, kind, { filter: { status: 'FAILED' }, limit: 10 })
    const own = payments.map(({ tenantId, reference }) => `${tenantId} ${reference}`)
    expect(own).toEqual(numbers.FAILED.map((number) => `${tenant.id} ${kind} ${number}`))
  }
})
