// Reading deposits: one by its reference (gathered with all other reads of its lane), or a page of the list.

import type { Context, Tenant } from '#base/context.ts'
import { createRowLoaders } from '#base/lane-loaders.ts'
import { walkDown } from '#base/numbered-list.ts'
import { sliceOf, type PageQuestion, type TimeRange } from '#base/ordinal.ts'
import { parseDepositReference, type Deposit, type DepositStatus } from './deposit.ts'
import { countByStatus, countOfPayee, depositList, readPageOfPayee, readPageOfStatus, type Payee } from './sql-lists.ts'
import { findDeposits, type DepositKey } from './sql.ts'

export type DepositReader = { read(tenant: Tenant, reference: string): Promise<Deposit | undefined> }

export function createDepositReader(ctx: Context): DepositReader {
  const keyText = ({ tenantId, id }: DepositKey): string => `${tenantId} ${id}`
  const loaders = createRowLoaders(ctx, { name: 'deposits', keyText, find: findDeposits })
  return {
    async read(tenant, reference) {
      const id = parseDepositReference(reference)
      return id === undefined ? undefined : loaders.load(tenant.lane, { tenantId: tenant.id, id })
    },
  }
}

export type ListQuestion = PageQuestion & TimeRange & Payee & { status?: DepositStatus | undefined }

/** All within a range of time, the latest first, some at a time. */
export function walkDeposits({ db }: Pick<Context, 'db'>, tenant: Tenant, time: TimeRange): AsyncGenerator<Deposit[]> {
  return walkDown(depositList, db, tenant, time)
}

export type DepositPage = { deposits: Deposit[]; total: number }

export async function listDeposits({ db }: Context, tenant: Tenant, question: ListQuestion): Promise<DepositPage> {
  const { status, accountNumber, customerReference } = question
  const slice = sliceOf(question)
  if (accountNumber !== undefined || customerReference !== undefined) {
    const payee = { accountNumber, customerReference }
    const range = await depositList.rangeOf(db, tenant, question)
    const total = await countOfPayee(db, tenant, payee, status, range)
    const deposits = slice.offset < total ? await readPageOfPayee(db, tenant, payee, status, range, slice) : []
    return { deposits, total }
  }
  if (status !== undefined) {
    const range = await depositList.rangeOf(db, tenant, question)
    const total = Number((await countByStatus(db, tenant, range))[status])
    const deposits = slice.offset < total ? await readPageOfStatus(db, tenant, status, range, slice) : []
    return { deposits, total }
  }
  const { rows, total } = await depositList.page(db, tenant, question)
  return { deposits: rows, total }
}
