// Whose account, or wallet, it is. For somebody who waits at a screen.

import type { AccountResolution, BankDirectory, MomoDirectory } from '#rails/rail.ts'
import { shownName } from '#rails/text.ts'
import { resolvedData } from './answers.ts'
import { compareBanks } from './banks.ts'
import type { Call } from './call.ts'
import { walletAccount } from './wallets.ts'

export function createBankDirectory(call: Call, limitMs: number): BankDirectory {
  return {
    resolve: ({ bank, accountNumber, signal }) =>
      resolve(call, { bankCode: bank.code, accountNumber, signal, limitMs }),
    compare: (ours) => compareBanks(call, ours),
  }
}

export function createMomoDirectory(call: Call, limitMs: number): MomoDirectory {
  return {
    lookUp({ operator, phoneNumber, signal }) {
      const account = walletAccount(operator, phoneNumber)
      return account === undefined
        ? Promise.resolve({ kind: 'unavailable', detail: 'Paystack does not know this operator' })
        : resolve(call, { ...account, signal, limitMs })
    },
  }
}

type Question = { bankCode: string; accountNumber: string; signal: AbortSignal | undefined; limitMs: number }

async function resolve(call: Call, { bankCode, accountNumber, signal, limitMs }: Question): Promise<AccountResolution> {
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
