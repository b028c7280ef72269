// What Monnify calls a bank: mostly as the Central Bank does. bank-codes.json has what differs; null there are banks whose
// code is another bank's, too, so that a payment could reach a stranger.

import { z } from 'zod'
import { shownName } from '#rails/formats.ts'
import { detailOf } from '#rails/outcome.ts'
import type { RailBank, BankDirectory, NotFound, Unknown, BankComparison } from '#rails/rail.ts'
import { holderBody } from './answers.ts'
import exceptions from './bank-codes.json' with { type: 'json' }
import type { Call } from './call.ts'

const bySlug: ReadonlyMap<string, string | null> = new Map(Object.entries(exceptions))

/** Null: this rail does not pay to it. */
export function bankCodeOf({ slug, cbnCode }: RailBank): string | null {
  const exception = bySlug.get(slug)
  return exception === undefined ? cbnCode : exception
}

// Whose account it is: for somebody who waits at a screen, and before each payout, which must carry the name that Monnify
// itself gives.

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

// Which banks Monnify pays to, held against those that we know: by the code under which a disbursement names one.

const listedBanks = z.array(z.object({ code: z.string() }))

async function compareBanks(call: Call, ours: readonly RailBank[]): Promise<BankComparison> {
  const said = await call({ endpoint: 'list-banks', method: 'GET', path: '/api/v1/banks' })
  if (said.kind !== 'success') return { kind: 'unavailable', detail: detailOf('list-banks', said) }
  const listed = listedBanks.safeParse(said.body).data
  if (listed === undefined) return { kind: 'unavailable', detail: 'list-banks: an answer that cannot be read' }
  const codes = new Set(listed.map(({ code }) => code))
  return { kind: 'compared', listed: codes.size, missing: ours.filter((bank) => !codes.has(bankCodeOf(bank) ?? '')) }
}
