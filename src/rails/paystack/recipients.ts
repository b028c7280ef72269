// A transfer goes to a recipient, which is made once for each account and may be made again without harm. The codes are kept
// in memory: making them is limited to ten a second.

import { detailOf } from '#rails/outcome.ts'
import type { BankFailureReason, Unknown } from '#rails/rail.ts'
import { recipientData } from './answers.ts'
import type { Call } from './call.ts'
import { finalReasonOf } from './refusals.ts'

export type Payee = { bankCode: string; accountNumber: string; name: string }

export type RecipientAnswer =
  | { kind: 'known'; code: string }
  /** There is no such account; nothing was paid. */
  | { kind: 'failed'; reason: BankFailureReason; created: false }
  | Unknown

export type Recipients = {
  codeOf(payee: Payee): Promise<RecipientAnswer>
  /** Paystack does not know it any more. */
  forget(payee: Payee): void
}

const codesMax = 100_000

export function createRecipients(call: Call): Recipients {
  const codes = new Map<string, string>()
  return {
    async codeOf(payee) {
      const known = codes.get(keyOf(payee))
      if (known !== undefined) return { kind: 'known', code: known }
      const answer = await create(call, payee)
      if (answer.kind !== 'known') return answer
      const oldest = codes.keys().next().value
      if (codes.size >= codesMax && oldest !== undefined) codes.delete(oldest)
      codes.set(keyOf(payee), answer.code)
      return answer
    },
    forget: (payee) => void codes.delete(keyOf(payee)),
  }
}

/** Without the name: one account has one recipient, however it is spelt. */
const keyOf = ({ bankCode, accountNumber }: Payee): string => `${bankCode} ${accountNumber}`

async function create(call: Call, { bankCode, accountNumber, name }: Payee): Promise<RecipientAnswer> {
  const said = await call({
    endpoint: 'recipient',
    method: 'POST',
    path: '/transferrecipient',
    body: { type: 'nuban', name, account_number: accountNumber, bank_code: bankCode, currency: 'NGN' },
  })
  // Whatever became of it, no money was asked for: the payment may be sent again.
  if (said.kind === 'unknown') return { ...said, sent: false }
  if (said.kind === 'refusal') {
    const reason = finalReasonOf(said)
    return reason === undefined
      ? { kind: 'unknown', detail: detailOf('recipient', said), sent: false, why: 'refused' }
      : { kind: 'failed', reason, created: false }
  }
  const data = recipientData.safeParse(said.data).data
  // The same number is another person's at another bank.
  if (data?.details.account_number !== accountNumber || data.details.bank_code !== bankCode)
    return { kind: 'unknown', detail: 'recipient: an answer about another account, or without it', sent: false }
  return { kind: 'known', code: data.recipient_code }
}
