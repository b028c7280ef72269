// Whose account it is: for somebody who waits at a screen, and before each payout, which must carry the name that Monnify
// itself gives.

import type { BankDirectory, NotFound, Unknown } from '#rails/rail.ts'
import { shownName } from '#rails/text.ts'
import { holderBody } from './answers.ts'
import { bankCodeOf } from './bank-codes.ts'
import { compareBanks } from './banks.ts'
import type { Call } from './call.ts'

export function createBankDirectory(call: Call, limitMs: number): BankDirectory {
  return {
    compare: (ours) => compareBanks(call, ours),
    async resolve({ bank, accountNumber, signal }) {
      const bankCode = bankCodeOf(bank)
      if (bankCode === null) return { kind: 'unavailable', detail: 'Monnify has no code for this bank' }
      const holder = await askHolder(call, { bankCode, accountNumber, signal, limitMs })
      switch (holder.kind) {
        case 'named':
          return { kind: 'resolved', accountName: shownName(holder.name) }
        case 'not-found':
          return { kind: 'not-found' }
        case 'unknown':
          return { kind: 'unavailable', detail: holder.detail }
      }
    },
  }
}

/** `name` as Monnify writes it. */
type Holder = { kind: 'named'; name: string } | NotFound | Unknown

type Question = { bankCode: string; accountNumber: string; signal?: AbortSignal | undefined; limitMs: number }

export async function askHolder(call: Call, { bankCode, accountNumber, signal, limitMs }: Question): Promise<Holder> {
  const query = new URLSearchParams({ accountNumber, bankCode })
  const said = await call({
    endpoint: 'validate',
    method: 'GET',
    path: `/api/v1/disbursements/account/validate?${query.toString()}`,
    timeoutMs: limitMs,
    signal,
  })
  if (said.kind === 'unknown') return said
  if (said.kind === 'refusal') {
    const { status, code, message } = said
    // 99 is whatever Monnify finds wrong with a request; only its text says that it is the account.
    const isMissing =
      code === '99' && /invalid (account )?details|invalid account|could not be validated/i.test(message)
    return isMissing ? { kind: 'not-found' } : unusable(`refused with ${status} ${code}`)
  }
  const body = holderBody.safeParse(said.body).data
  const name = (body?.accountName ?? '').trim()
  return body?.accountNumber === accountNumber && name !== ''
    ? { kind: 'named', name }
    : unusable('an answer about another account, or without a name')
}

function unusable(detail: string): Unknown {
  return { kind: 'unknown', detail: `validate: ${detail}` }
}
