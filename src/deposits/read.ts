// Reading deposits: one by its reference (gathered with everybody else's reads), or a page of the list.

import type { Context, Tenant } from '#base/context.ts'
import { createLoader, type Loader } from '#base/loader.ts'
import { parseDepositReference, type Deposit, type DepositStatus } from './deposit.ts'
import {
  countBefore,
  countByStatus,
  countOfPayee,
  lastOrdinal,
  readPage,
  readPageOfPayee,
  readPageOfStatus,
  type Payee,
  type Range,
} from './sql-lists.ts'
import { findDeposits, type DepositKey } from './sql.ts'

export type DepositReader = { read(tenant: Tenant, reference: string): Promise<Deposit | undefined> }

export function createDepositReader(ctx: Context): DepositReader {
  const loaders = new Map<number, Loader<DepositKey, Deposit>>()
  const loaderOf = (lane: number): Loader<DepositKey, Deposit> => {
    const found = loaders.get(lane)
    if (found !== undefined) return found
    const connection = ctx.db.connection(`deposits ${lane}`)
    const keyText = (key: DepositKey): string => `${key.tenantId} ${key.id}`
    const loader = createLoader<DepositKey, Deposit>({
      name: 'deposits',
      metrics: ctx.metrics,
      keyText,
      query: async (keys) =>
        new Map((await findDeposits(connection, lane, keys)).map((deposit) => [keyText(deposit), deposit])),
    })
    loaders.set(lane, loader)
    return loader
  }
  return {
    async read(tenant, reference) {
      const id = parseDepositReference(reference)
      return id === undefined ? undefined : loaderOf(tenant.lane).load({ tenantId: tenant.id, id })
    },
  }
}

export type ListQuestion = Payee & {
  page: number
  limit: number
  status?: DepositStatus | undefined
  /** Made at or after; made before. */
  from?: Date | undefined
  before?: Date | undefined
}

export type DepositPage = { deposits: Deposit[]; total: number }

export async function listDeposits(ctx: Context, tenant: Tenant, question: ListQuestion): Promise<DepositPage> {
  const { status, limit, accountNumber, customerReference } = question
  const range = await rangeOf(ctx, tenant, question)
  const offset = (question.page - 1) * limit
  const place = { offset, limit }
  if (accountNumber !== undefined || customerReference !== undefined) {
    const payee = { accountNumber, customerReference }
    const total = await countOfPayee(ctx.db, tenant, payee, status, range)
    return { total, deposits: offset < total ? await readPageOfPayee(ctx.db, tenant, payee, status, range, place) : [] }
  }
  if (status !== undefined) {
    const total = Number((await countByStatus(ctx.db, tenant, range))[status])
    return { total, deposits: offset < total ? await readPageOfStatus(ctx.db, tenant, status, range, place) : [] }
  }
  const total = Number(range.high - range.low)
  if (offset >= total) return { deposits: [], total }
  const high = range.high - BigInt(offset)
  const low = high - BigInt(limit)
  return { total, deposits: await readPage(ctx.db, tenant, { high, low: low > range.low ? low : range.low }) }
}

async function rangeOf(ctx: Context, tenant: Tenant, { from, before }: ListQuestion): Promise<Range> {
  const last = await lastOrdinal(ctx.db, tenant)
  const [low, high] = await Promise.all([
    from === undefined ? 0n : countBefore(ctx.db, tenant, from, last),
    before === undefined ? last : countBefore(ctx.db, tenant, before, last),
  ])
  return { low, high: high > low ? high : low }
}
