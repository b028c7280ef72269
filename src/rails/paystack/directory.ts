// Resolves the holders of bank accounts and wallets at Paystack, for users who wait.

import { z } from 'zod'
import { shownName } from '#rails/formats.ts'
import { detailOf } from '#rails/outcome.ts'
import type { AccountResolution, BankDirectory, MomoDirectory, BankComparison, RailBank } from '#rails/rail.ts'
import { resolvedData } from './answers.ts'
import { type PaystackCall, cursorAfter, pageQuery } from './call.ts'
import { walletAccount } from './payout.ts'

export function createBankDirectory(call: PaystackCall, limitMs: number): BankDirectory {
  return {
    resolve: ({ bank, accountNumber, signal }) =>
      resolve(call, { bankCode: bank.code, accountNumber, signal, limitMs }),
    compare: (ours) => compareBanks(call, ours),
  }
}

export function createMomoDirectory(call: PaystackCall, limitMs: number): MomoDirectory {
  return {
    lookUp({ operator, phoneNumber, signal }) {
      const account = walletAccount(operator, phoneNumber, 'NG')
      return account === undefined
        ? Promise.resolve({ kind: 'unavailable', detail: 'Paystack does not know this operator' })
        : resolve(call, { ...account, signal, limitMs })
    },
  }
}

type PaystackQuestion = { bankCode: string; accountNumber: string; signal: AbortSignal | undefined; limitMs: number }

async function resolve(
  call: PaystackCall,
  { bankCode, accountNumber, signal, limitMs }: PaystackQuestion,
): Promise<AccountResolution> {
  const query = new URLSearchParams({ account_number: accountNumber, bank_code: bankCode })
  const said = await call({
    endpoint: 'resolve',
    method: 'GET',
    path: `/bank/resolve?${query.toString()}`,
    timeoutMs: limitMs,
    signal,
  })
  if (said.kind === 'unknown') return { kind: 'unavailable', detail: said.detail }
  if (said.kind === 'refusal') {
    const { status, code, message } = said
    const isMissing = status === 422 && /could not resolve/i.test(message)
    return isMissing
      ? { kind: 'not-found' }
      : { kind: 'unavailable', detail: `resolve: refused with ${status} ${code}` }
  }
  const data = resolvedData.safeParse(said.data).data
  const accountName = shownName(data?.account_name ?? '')
  if (data?.account_number !== accountNumber || accountName === '')
    return { kind: 'unavailable', detail: 'resolve: an answer about another account, or without a name' }
  return { kind: 'resolved', accountName }
}

const listedBanks = z.array(z.object({ code: z.string(), active: z.boolean().nullish() }))

/** More pages than all banks fill, at a hundred banks per page. */
const pagesMax = 50

async function compareBanks(call: PaystackCall, ours: readonly RailBank[]): Promise<BankComparison> {
  const codes = new Set<string>()
  let cursor = ''
  for (let page = 1; page <= pagesMax; page += 1) {
    const query = new URLSearchParams({ currency: 'NGN', ...pageQuery(cursor) })
    const said = await call({ endpoint: 'list-banks', method: 'GET', path: `/bank?${query.toString()}` })
    if (said.kind !== 'success') return { kind: 'unavailable', detail: detailOf('list-banks', said) }
    const listed = listedBanks.safeParse(said.data).data
    const next = cursorAfter(cursor, said.meta, listed?.length ?? 0)
    if (listed === undefined || next === undefined)
      return { kind: 'unavailable', detail: 'list-banks: a page that cannot be read' }
    for (const { code, active } of listed) if (active !== false) codes.add(code)
    cursor = next
    if (cursor === '') break
  }
  return { kind: 'compared', listed: codes.size, missing: ours.filter(({ code }) => !codes.has(code)) }
}
