// The lane stores the names of the owners of wallets, each with its own payment of a batch.

import { expect, it } from 'vitest'
import { inLane } from '#platform/db/db.ts'
import { toMoney } from '#platform/money.ts'
import type { Draft } from '#payments/payment.ts'
import { findPayments } from '#payments/queries.ts'
import { useSettling } from './settling.ts'

const { ctx, open } = await useSettling()

it('of a transfer the payee, of a collection the customer, if the request names one', async () => {
  const { accept, tenants } = await open()
  const [tenant] = tenants
  const money = { amount: toMoney(100_000), currency: 'NGN', narration: null, metadata: null } as const
  const wallet = { ...money, phoneNumber: '+2348030000000', operator: 'mtn-momo' }
  const transfer = { ...wallet, kind: 'momo_transfer', accountNumber: null, accountReference: null } as const
  const collection = { ...wallet, kind: 'momo_collection', approval: { kind: 'handset' } } as const
  const drafts: Record<string, (reference: string) => Draft> = {
    'of a payee': (reference) => ({ ...transfer, reference, accountName: 'ADA OBI' }),
    'of nobody': (reference) => ({ ...transfer, reference, accountName: null }),
    'of a customer': (reference) => ({ ...collection, reference, customerName: 'BOLA EZE' }),
    'of no customer': (reference) => ({ ...collection, reference, customerName: null }),
  }
  await Promise.all(
    Object.entries(drafts).map(([reference, draftOf]) => accept(tenant, reference, { draft: draftOf(reference) })),
  )
  const keys = Object.keys(drafts).map((reference) => ({ tenantId: tenant.id, reference }))
  const kept = new Map((await findPayments(inLane(ctx.db, 1), keys)).map((payment) => [payment.reference, payment]))
  expect(kept.get('of a payee')).toMatchObject({ accountName: 'ADA OBI' })
  expect(kept.get('of nobody')).toMatchObject({ accountName: null })
  expect(kept.get('of a customer')).toMatchObject({ customerName: 'BOLA EZE' })
  expect(kept.get('of no customer')).toMatchObject({ customerName: null })
})
