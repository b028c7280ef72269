// Transfers to banks. The reference is ours, so the same order is the same transfer however often it is sent; what became
// of it is asked under the same reference. Monnify's page advises a new reference when it has one already: that would pay
// twice, so we never do.

import type { Clock } from '#base/clock.ts'
import { jsonNumber } from '#rails/exact-json.ts'
import { nairaOf } from '#rails/naira.ts'
import { detailOf, emptyFloat, mayLeaveBy, ofQuestion } from '#rails/outcome.ts'
import type { BankFailureReason, BankPayout, NotFound, PayoutOrder, PayoutState, Unknown } from '#rails/rail.ts'
import { plainNarration, shareWord } from '#rails/text.ts'
import { failureReasonIn, isPayeesFault } from '#rails/words.ts'
import { bankCodeOf } from './bank-codes.ts'
import type { Call, Said } from './call.ts'
import { askHolder } from './directory.ts'
import { stateAnswered, stateIn } from './states.ts'

export type Transfers = {
  call: Call
  clock: Clock
  /** Out of which is paid. */
  wallet: string
  submitMs: number
  /** Of everything but a submission and the question for a name. */
  readMs: number
  resolveMs: number
}

const leaseSlackMs = 5_000

/** A name and the transfer, each with a login before it and once more with another after a refused token. */
const leaseMsOf = ({ submitMs, readMs, resolveMs }: Transfers): number =>
  2 * (resolveMs + submitMs) + 4 * readMs + leaseSlackMs

/** For two minutes it refuses the same amount to the same account under another reference. */
const lookalikeRestMs = 125_000

export function createPayout(transfers: Transfers): BankPayout {
  return {
    submitLeaseMs: leaseMsOf(transfers),
    submit: (order) => submit(transfers, order),
    status: (order) => ask(transfers, order),
  }
}

async function submit(transfers: Transfers, order: PayoutOrder): Promise<PayoutState> {
  const { call, wallet, submitMs, resolveMs } = transfers
  const bankCode = bankCodeOf(order.bank)
  if (bankCode === null) return failed('BANK_NOT_FOUND')
  const { accountNumber } = order
  const holder = await askHolder(call, { bankCode, accountNumber, limitMs: resolveMs })
  // Whatever became of the question, no money was asked for: the payment may be sent again.
  if (holder.kind === 'unknown') return { ...holder, sent: false }
  if (holder.kind === 'not-found') return failed('INVALID_ACCOUNT')
  if (!shareWord(holder.name, order.accountName)) return failed('ACCOUNT_NAME_MISMATCH')
  const said = await call({
    endpoint: 'disburse',
    method: 'POST',
    path: '/api/v2/disbursements/single',
    timeoutMs: submitMs,
    mayLeave: mayLeaveBy(order, transfers.clock),
    body: {
      amount: jsonNumber(nairaOf(order.amount)),
      reference: order.railReference,
      narration: plainNarration(order.narration),
      destinationBankCode: bankCode,
      destinationAccountNumber: accountNumber,
      destinationAccountName: holder.name,
      currency: 'NGN',
      sourceAccountNumber: wallet,
      async: true,
    },
  })
  if (said.kind === 'unknown') return said
  return said.kind === 'success' ? stateAnswered(said.body, order, transfers.clock) : afterRefusal(said)
}

function failed(reason: BankFailureReason): PayoutState {
  return { kind: 'failed', reason, created: false }
}

/**
 * The codes are those of Monnify's page "Error codes". Final and the payee's own fault are D03, and D01 ("treat as failed") with
 * a text that says so. A refusal that is not here proves nothing: the transfer may have been made all the same.
 */
function afterRefusal(refusal: Extract<Said, { kind: 'refusal' }>): PayoutState {
  const { code, message } = refusal
  // It has a transfer of this reference: ours. What became of it the next question tells.
  if (code === 'D05' || /reference already exists|duplicate (transaction )?reference/i.test(message))
    return { kind: 'pending', askAgainAfterMs: 0, exists: true }
  if (code === 'D07') return lookalike
  if (code === 'D04') return emptyFloat('the wallet at Monnify is not enough')
  if (code === 'D03') return failed('INVALID_ACCOUNT')
  const reason = failureReasonIn(message)
  if (code === 'D01' && isPayeesFault(reason)) return failed(reason)
  return { kind: 'unknown', detail: detailOf('disburse', refusal), why: 'refused' }
}

const lookalike: Unknown = {
  kind: 'unknown',
  detail: 'Monnify holds back the same amount to the same account for two minutes; ask them to switch that off',
  sent: false,
  askAgainAfterMs: lookalikeRestMs,
}

async function ask({ call, clock }: Transfers, order: PayoutOrder): Promise<PayoutState | NotFound> {
  const query = new URLSearchParams({ reference: order.railReference })
  const path = `/api/v2/disbursements/single/summary?${query.toString()}`
  const said = await call({ endpoint: 'disbursement', method: 'GET', path })
  if (said.kind === 'success') return stateIn(said.body, order, clock)
  if (said.kind === 'unknown') return ofQuestion(said)
  const { status: http, code } = said
  return http === 404 || code === 'D02'
    ? { kind: 'not-found' }
    : { kind: 'unknown', detail: `disbursement: refused with ${http} ${code}` }
}
