// Bank codes and account names at Monnify. Monnify mostly uses the codes of the Central Bank; bank-codes.json lists
// the exceptions. Null marks a bank whose code is another bank's as well, so that a payment could reach a stranger.

import { z } from 'zod'
import type { Uuid } from '#platform/ids.ts'
import { shownName } from '#rails/formats.ts'
import { detailOf } from '#rails/outcome.ts'
import type { RailBank, BankDirectory, NotFound, Unknown, BankComparison } from '#rails/rail.ts'
import { holderBody } from './answers.ts'
import exceptions from './bank-codes.json' with { type: 'json' }
import type { MonnifyCall } from './call.ts'

const bySlug: ReadonlyMap<string, string | null> = new Map(Object.entries(exceptions))

/** Null if this rail does not pay to the bank. */
export function bankCodeOf({ slug, cbnCode }: RailBank): string | null {
  const exception = bySlug.get(slug)
  return exception === undefined ? cbnCode : exception
}

export function createBankDirectory(call: MonnifyCall, limitMs: number): BankDirectory {
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

/** `name` in Monnify's spelling. */
type AccountHolder = { kind: 'named'; name: string } | NotFound | Unknown

type NameQuestion = {
  bankCode: string
  accountNumber: string
  tenantId?: Uuid
  signal?: AbortSignal | undefined
  limitMs: number
}

/** Payouts call it too, before the transfer, because a payout must have the name that Monnify reports. */
export async function askHolder(
  call: MonnifyCall,
  { bankCode, accountNumber, tenantId, signal, limitMs }: NameQuestion,
): Promise<AccountHolder> {
  const query = new URLSearchParams({ accountNumber, bankCode })
  const said = await call({
    endpoint: 'validate',
    tenantId,
    method: 'GET',
    path: `/api/v1/disbursements/account/validate?${query.toString()}`,
    timeoutMs: limitMs,
    signal,
  })
  if (said.kind === 'unknown') return said
  if (said.kind === 'refusal') {
    const { status, code, message } = said
    // Code 99 covers every fault of a request; only the message shows that the account is the cause.
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
  return { kind: 'unknown', detail: `validate: ${detail}`, answered: true }
}

const listedBanks = z.array(z.object({ code: z.string() }))

async function compareBanks(call: MonnifyCall, ours: readonly RailBank[]): Promise<BankComparison> {
  const said = await call({ endpoint: 'list-banks', method: 'GET', path: '/api/v1/banks' })
  if (said.kind !== 'success') return { kind: 'unavailable', detail: detailOf('list-banks', said) }
  const listed = listedBanks.safeParse(said.body).data
  if (listed === undefined) return { kind: 'unavailable', detail: 'list-banks: an answer that cannot be read' }
  const codes = new Set(listed.map(({ code }) => code))
  return { kind: 'compared', listed: codes.size, missing: ours.filter((bank) => !codes.has(bankCodeOf(bank) ?? '')) }
}
