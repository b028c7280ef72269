// What the response codes of NIP, the network between Nigerian banks, mean for a transfer. The providers of the service
// have statuses of their own, so only the bank of the tests answers with these codes.
//
// A code can prove less in response to a submission than to a status query, so the table has two outcomes for each
// code: "bank not available" leaves open whether a submitted transfer is in flight, but is final as the answer to a
// query. For some codes both outcomes are unknown, because a payout that counts as failed may be paid again: for
// "duplicate transaction", the first of the two may have succeeded.

import type { BankFailureReason } from '#rails/rail.ts'

type NipOutcome =
  | { kind: 'succeeded' }
  | { kind: 'unknown'; detail: string }
  | { kind: 'failed'; reason: BankFailureReason }

type NipCode = {
  meaning: string
  onSubmit: 'succeeded' | 'unknown' | BankFailureReason
  onStatus: 'succeeded' | 'unknown' | BankFailureReason
}

const succeeded = (meaning: string): NipCode => ({ meaning, onSubmit: 'succeeded', onStatus: 'succeeded' })
const unknown = (meaning: string): NipCode => ({ meaning, onSubmit: 'unknown', onStatus: 'unknown' })
const failed = (meaning: string, reason: BankFailureReason): NipCode => ({
  meaning,
  onSubmit: reason,
  onStatus: reason,
})
const confirm = (meaning: string, reason: BankFailureReason): NipCode => ({
  meaning,
  onSubmit: 'unknown',
  onStatus: reason,
})

export const nipCodes: ReadonlyMap<string, NipCode> = new Map([
  ['00', succeeded('approved')],
  ['01', unknown('status unknown, wait for the settlement report')],
  ['02', unknown('status unknown, wait for the settlement report')],
  ['03', failed('invalid sender', 'PROVIDER_ERROR')],
  ['05', failed('do not honour', 'DO_NOT_HONOR')],
  ['06', failed('dormant account', 'DORMANT_ACCOUNT')],
  ['07', failed('invalid account', 'INVALID_ACCOUNT')],
  ['08', failed('account name mismatch', 'ACCOUNT_NAME_MISMATCH')],
  ['09', unknown('request being processed')],
  ['12', failed('invalid transaction', 'INVALID_TRANSACTION')],
  ['13', failed('invalid amount', 'INVALID_TRANSACTION')],
  ['14', failed('invalid batch number', 'INVALID_TRANSACTION')],
  ['15', failed('invalid session id', 'INVALID_TRANSACTION')],
  ['16', failed('unknown bank code', 'BANK_NOT_FOUND')],
  ['17', failed('invalid channel', 'INVALID_TRANSACTION')],
  ['18', failed('wrong method call', 'INVALID_TRANSACTION')],
  ['21', failed('no action taken', 'PROVIDER_ERROR')],
  ['25', unknown('unable to locate the record')],
  ['26', unknown('duplicate record')],
  ['30', failed('format error', 'INVALID_TRANSACTION')],
  ['34', confirm('suspected fraud', 'SUSPECTED_FRAUD')],
  ['35', confirm('contact the sending bank', 'ACCOUNT_RESTRICTED')],
  ['51', failed('the wallet that pays lacks funds', 'INSUFFICIENT_BALANCE')],
  ['53', failed('no savings account', 'INVALID_ACCOUNT')],
  ['57', failed('not permitted to the sender', 'INVALID_TRANSACTION')],
  ['58', failed('not permitted on this channel', 'INVALID_TRANSACTION')],
  ['61', failed('transfer limit exceeded', 'LIMIT_EXCEEDED')],
  ['63', confirm('security violation', 'SUSPECTED_FRAUD')],
  ['65', failed('too many withdrawals', 'LIMIT_EXCEEDED')],
  ['68', unknown('response received too late')],
  ['69', failed('blocking the account or amount failed', 'ACCOUNT_RESTRICTED')],
  ['70', failed('unblocking the account or amount failed', 'ACCOUNT_RESTRICTED')],
  ['71', failed('empty mandate reference', 'INVALID_TRANSACTION')],
  ['91', confirm('the receiving bank is not available', 'BANK_UNAVAILABLE')],
  ['92', failed('routing error', 'PROVIDER_ERROR')],
  ['94', unknown('duplicate transaction')],
  ['96', unknown('system malfunction')],
  ['97', unknown('timeout waiting for the destination')],
  ['98', unknown('the transaction exists already')],
  ['99', failed('failed', 'PROVIDER_ERROR')],
])

export function nipOutcome(uncheckedCode: string | null | undefined, heardOn: 'submit' | 'status'): NipOutcome {
  const code = nipCodes.get(uncheckedCode ?? '')
  if (code === undefined) return { kind: 'unknown', detail: 'the bank answered with a code that is not known' }
  const outcome = heardOn === 'submit' ? code.onSubmit : code.onStatus
  if (outcome === 'succeeded') return { kind: 'succeeded' }
  if (outcome === 'unknown') return { kind: 'unknown', detail: `NIP ${uncheckedCode}: ${code.meaning}` }
  return { kind: 'failed', reason: outcome }
}
