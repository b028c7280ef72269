// Reading payments: one by its reference (gathered with everybody else's reads), or a page of the list.

import type { Context, Tenant } from '#base/context.ts'
import { createLoader, type Loader } from '#base/loader.ts'
import type { Payment, PaymentKind, PaymentStatus } from './payment.ts'
import { countBefore, lastOrdinal, readPage, type Range } from './sql-lists.ts'
import { readPageOfStatus } from './sql-status-lists.ts'
import { findPayments, type PaymentKey } from './sql.ts'

export type PaymentReader = { read(tenant: Tenant, reference: string): Promise<Payment | undefined> }

export function createPaymentReader(ctx: Context): PaymentReader {
  const loaders = new Map<number, Loader<PaymentKey, Payment>>()
  const loaderOf = (lane: number): Loader<PaymentKey, Payment> => {
    const found = loaders.get(lane)
    if (found !== undefined) return found
    const connection = ctx.db.connection(`payments ${lane}`)
    const keyText = (key: PaymentKey): string => `${key.tenantId} ${key.reference}`
    const loader = createLoader<PaymentKey, Payment>({
      name: 'payments',
      metrics: ctx.metrics,
      keyText,
      query: async (keys) =>
        new Map((await findPayments(connection, lane, keys)).map((payment) => [keyText(payment), payment])),
    })
    loaders.set(lane, loader)
    return loader
  }
  return { read: (tenant, reference) => loaderOf(tenant.lane).load({ tenantId: tenant.id, reference }) }
}

export type ListQuestion = {
  page: number
  limit: number
  status?: PaymentStatus | undefined
  /** Made at or after; made before. */
  from?: Date | undefined
  before?: Date | undefined
}

export type PaymentPage = { payments: Payment[]; total: number }

export async function listPayments(
  ctx: Context,
  tenant: Tenant,
  kind: PaymentKind,
  question: ListQuestion,
): Promise<PaymentPage> {
  const range = await rangeOf(ctx, tenant, kind, question)
  const offset = (question.page - 1) * question.limit
  if (question.status !== undefined) {
    return readPageOfStatus(ctx.db, tenant, kind, question.status, range, { offset, limit: question.limit })
  }
  const total = Number(range.high - range.low)
  if (offset >= total) return { payments: [], total }
  const high = range.high - BigInt(offset)
  const low = high - BigInt(question.limit)
  const payments = await readPage(ctx.db, tenant, kind, { high, low: low > range.low ? low : range.low })
  return { payments, total }
}

async function rangeOf(
  ctx: Context,
  tenant: Tenant,
  kind: PaymentKind,
  { from, before }: ListQuestion,
): Promise<Range> {
  const last = await lastOrdinal(ctx.db, tenant, kind)
  const [low, high] = await Promise.all([
    from === undefined ? 0n : countBefore(ctx.db, tenant, kind, from, last),
    before === undefined ? last : countBefore(ctx.db, tenant, kind, before, last),
  ])
  return { low, high: high > low ? high : low }
}
