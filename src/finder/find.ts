// Finds what a person has pasted: exactly that, by its shape, in one environment.

import type { Context, Tenant } from '#base/context.ts'
import type { IdKind, Uuid } from '#base/ids.ts'
import { findAccountById, findCustomerById } from '#customers/list.ts'
import type { PaymentKind } from '#payments/payment.ts'
import { findPaymentById } from '#payments/read.ts'
import type { Shape } from './shape.ts'
import {
  findAccount,
  findById,
  findByReference,
  findByTerm,
  findCustomersByEmail,
  findCustomersByPhone,
  isKeyed,
  type FoundRow,
} from './sql-find.ts'

export type Hit = FoundRow

type Reading = Pick<Context, 'db'>

const hitsMax = 20

/** The latest first. */
export async function find(ctx: Reading, tenant: Tenant, shape: Shape): Promise<Hit[]> {
  const hits = await hitsOf(ctx, tenant, shape)
  return hits.toSorted((left, right) => right.at.getTime() - left.at.getTime()).slice(0, hitsMax)
}

async function hitsOf(ctx: Reading, tenant: Tenant, shape: Shape): Promise<Hit[]> {
  const { db } = ctx
  switch (shape.kind) {
    case 'secret-key':
      return []
    case 'id':
      return (await findByAnyId(ctx, tenant, shape.of, shape.id)).filter(({ id }) => id === shape.id)
    case 'e-mail':
      return findCustomersByEmail(db, tenant, shape.text)
    case 'account-number':
      return together([
        findAccount(db, tenant, shape.text),
        findByTerm(db, tenant, shape.text),
        findByReference(db, tenant, shape.text),
      ])
    case 'phone-number':
      return together([findCustomersByPhone(db, tenant, shape.text), findByTerm(db, tenant, shape.text)])
    case 'text':
      return together([findByReference(db, tenant, shape.text), findByTerm(db, tenant, shape.text)])
  }
}

async function together(parts: Promise<Hit[]>[]): Promise<Hit[]> {
  const hits = (await Promise.all(parts)).flat()
  return [...new Map(hits.map((hit) => [`${hit.kind} ${hit.id}`, hit])).values()]
}

const paymentKinds: Partial<Record<IdKind, PaymentKind>> = {
  transfer: 'bank_transfer',
  momoTransfer: 'momo_transfer',
  momoCollection: 'momo_collection',
}

/** What has its id for a key is asked here; of the rest the rooms know by when it was made. */
async function findByAnyId(ctx: Reading, tenant: Tenant, of: IdKind, id: Uuid): Promise<Hit[]> {
  if (isKeyed(of)) return findById(ctx.db, tenant, of, id)
  const kind = paymentKinds[of]
  if (kind !== undefined) {
    const payment = await findPaymentById(ctx, tenant, kind, id)
    return payment === undefined ? [] : findByReference(ctx.db, tenant, payment.reference)
  }
  if (of === 'customer') {
    const customer = await findCustomerById(ctx, tenant, id)
    return customer === undefined ? [] : findByReference(ctx.db, tenant, customer.reference)
  }
  const account = of === 'virtualAccount' ? await findAccountById(ctx, tenant, id) : undefined
  return account === undefined ? [] : findAccount(ctx.db, tenant, account.accountNumber)
}
