// Reading payments: one by its reference (gathered with all other reads of its lane), or a page of the list.

import type { Context, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { createRowLoaders } from '#base/lane-loaders.ts'
import { findDated } from '#base/numbered-list.ts'
import { sliceOf, type PageQuestion, type TimeRange } from '#base/ordinal.ts'
import type { Payment, PaymentKind, PaymentStatus } from './payment.ts'
import { paymentList } from './sql-lists.ts'
import { paymentOf } from './sql-rows.ts'
import { readPageOfStatus } from './sql-status-lists.ts'
import { findPayments, type PaymentKey } from './sql.ts'

export type PaymentReader = { read(tenant: Tenant, reference: string): Promise<Payment | undefined> }

export function createPaymentReader(ctx: Context): PaymentReader {
  const keyText = ({ tenantId, reference }: PaymentKey): string => `${tenantId} ${reference}`
  const loaders = createRowLoaders(ctx, { name: 'payments', keyText, find: findPayments })
  return { read: (tenant, reference) => loaders.load(tenant.lane, { tenantId: tenant.id, reference }) }
}

export type ListQuestion = PageQuestion & TimeRange & { status?: PaymentStatus | undefined }

/** By the id that the business knows it by. */
export async function findPaymentById(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  kind: PaymentKind,
  id: Uuid,
): Promise<Payment | undefined> {
  const row = await findDated(paymentList, { db, tenant, name: kind }, id)
  return row === undefined ? undefined : paymentOf(row)
}

export type PaymentPage = { payments: Payment[]; total: number }

export async function listPayments(
  { db }: Context,
  tenant: Tenant,
  kind: PaymentKind,
  question: ListQuestion,
): Promise<PaymentPage> {
  if (question.status !== undefined) {
    const range = await paymentList.rangeOf(db, tenant, question, kind)
    return readPageOfStatus(db, tenant, kind, question.status, range, sliceOf(question))
  }
  const { rows, total } = await paymentList.page(db, tenant, question, kind)
  return { payments: rows.map(paymentOf), total }
}
