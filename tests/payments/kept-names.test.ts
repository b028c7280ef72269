// Names of the owners of wallets are kept where there are any, each with its own payment of a batch.

import { expect, it } from 'vitest'
import { inLane } from '#base/db.ts'
import type { Draft } from '#payments/payment.ts'
import { findPayments } from '#payments/sql.ts'
import { commandOf, useSettling } from './settling.ts'

const { ctx, open } = await useSettling()

it('of a transfer its payee, of a collection its customer, of either perhaps nobody', async () => {
  const { accept, tenants } = await open()
  const [tenant] = tenants
  const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo' }
  const drafts: Record<string, Partial<Draft>> = {
    'of a payee': { ...wallet, kind: 'momo_transfer', accountName: 'ADA OBI' },
    'of nobody': { ...wallet, kind: 'momo_transfer', accountName: null },
    'of a customer': { ...wallet, kind: 'momo_collection', customerName: 'BOLA EZE', approval: { kind: 'handset' } },
    'of no customer': { ...wallet, kind: 'momo_collection', customerName: null, approval: { kind: 'handset' } },
  }
  await Promise.all(
    Object.entries(drafts).map(([reference, draft]) =>
      accept(tenant, reference, { draft: commandOf(tenant, { reference, ...draft }).draft }),
    ),
  )
  const keys = Object.keys(drafts).map((reference) => ({ tenantId: tenant.id, reference }))
  const kept = new Map((await findPayments(inLane(ctx.db, 1), keys)).map((payment) => [payment.reference, payment]))
  expect(kept.get('of a payee')).toMatchObject({ accountName: 'ADA OBI' })
  expect(kept.get('of nobody')).toMatchObject({ accountName: null })
  expect(kept.get('of a customer')).toMatchObject({ customerName: 'BOLA EZE' })
  expect(kept.get('of no customer')).toMatchObject({ customerName: null })
})
