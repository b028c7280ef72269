// Transfers through Paystack to banks and to wallets; a transfer to a Nigerian wallet is one to the wallet's bank. The
// reference is ours, so the same order is the same transfer however often it is sent, and its status is read by the
// same reference. A refusal that is not listed below proves nothing: the transfer may exist anyway.

import type { Clock } from '#platform/clock.ts'
import type { Uuid } from '#platform/ids.ts'
import { toMoney, toWire, type Currency, type Money } from '#platform/money.ts'
import { failureReasonIn, type RailRefusal, detailOf, emptyFloat, mayLeaveBy, ofQuestion } from '#rails/outcome.ts'
import { plainNarration } from '#rails/formats.ts'
import type {
  BankFailureReason,
  BankPayout,
  BusinessOrder,
  MomoPayout,
  MomoPayoutOrder,
  MomoPayoutState,
  NotFound,
  PayoutOrder,
  PayoutState,
  Unknown,
  MomoFailureReason,
  RailOperator,
} from '#rails/rail.ts'
import { transferData, type PaystackTransferData, recipientData } from './answers.ts'
import type { PaystackCall, PaystackAnswer } from './call.ts'
import { codeAt, currencyIn, nationalNumberOf, type PaystackCountry } from './countries.ts'

/** Final refusals that are the payee's fault. Nothing was paid. */
const finalRefusals: [RegExp, BankFailureReason][] = [
  // Documentation, "Errors: Transfers": the account of the recipient is on a fraud watchlist.
  [/fraud watchlist/i, 'SUSPECTED_FRAUD'],
  // Documentation, "Errors: Transfers": the bank code does not exist. Live answer: "Unknown bank code: 059".
  [/(unknown|invalid) bank code/i, 'BANK_NOT_FOUND'],
  // Documentation, "Errors: Transfers": the account number is not valid. Live answers about a recipient.
  [/account number is invalid|invalid account number|could not resolve account/i, 'INVALID_ACCOUNT'],
]

function finalReasonOf({ message }: RailRefusal): BankFailureReason | undefined {
  return finalRefusals.find(([says]) => says.test(message))?.[1]
}

/**
 * Paystack refuses our account: nothing was done, and every other payout fails the same way until an operator acts.
 */
const accountRefusals: RegExp[] = [
  // Live answers to businesses that are not registered, or whose transfers are switched off.
  /starter business|initiate third party payouts/i,
  // Documentation, "Errors: Transfers": transfers are for registered businesses.
  /only available to registered|transfers are not (enabled|available)/i,
  // Documentation, "IP whitelisting".
  /your ip address/i,
]

export function concernsAccount({ status: httpStatus, message }: Pick<RailRefusal, 'status' | 'message'>): boolean {
  return httpStatus === 401 || httpStatus === 403 || accountRefusals.some((says) => says.test(message))
}

/**
 * The account has too little money for this payout. The daily limit is treated like the balance and not as a fault of
 * the account: it resets by itself, and a smaller amount or another rail may still succeed.
 */
function isShortOfMoney({ code, message }: RailRefusal): boolean {
  return code === 'insufficient_balance' || /balance is not enough|daily transfer limit/i.test(message)
}

type PaystackTransfers = {
  call: PaystackCall
  country: PaystackCountry
  recipients: Recipients
  clock: Clock
  submitMs: number
  readMs: number
}

type Order = Pick<
  PayoutOrder,
  'tenantId' | 'railReference' | 'amount' | 'narration' | 'submittedAtMs' | 'leaveBeforeMs'
> & {
  payee: PaystackPayee
  /** The account at the business that is paid; only for tills and paybills. */
  accountReference?: string
}

const leaseSlackMs = 5_000

/** Long enough to create a recipient and the transfer, and both again if Paystack no longer knows the recipient. */
const leaseMsOf = ({ submitMs, readMs }: PaystackTransfers): number => 2 * (readMs + submitMs) + leaseSlackMs

export function createPayout(transfers: PaystackTransfers): BankPayout {
  const asTransfer = ({ bank, accountNumber, accountName, ...order }: PayoutOrder): Order => ({
    ...order,
    payee: { type: 'nuban', bankCode: bank.code, accountNumber, name: accountName },
  })
  return {
    submitLeaseMs: leaseMsOf(transfers),
    submit: (order) => submit(transfers, asTransfer(order)),
    status: (order) => ask(transfers, asTransfer(order)),
  }
}

export function createMomoPayout(transfers: PaystackTransfers): MomoPayout {
  const { country } = transfers
  return {
    serves: (operator) => codeAt(operator, country, 'paystackBankCode') !== undefined,
    submitLeaseMs: leaseMsOf(transfers),
    async submit(order) {
      const payee = momoPayeeOf(order, country)
      if (payee === undefined) return { kind: 'failed', reason: 'OPERATOR_UNAVAILABLE', created: false }
      return asMomo(await submit(transfers, asMomoTransfer(order, payee)))
    },
    async status(order) {
      const payee = momoPayeeOf(order, country)
      if (payee === undefined) return { kind: 'unknown', detail: 'the operator has no bank code at Paystack any more' }
      const state = await ask(transfers, asMomoTransfer(order, payee))
      return state.kind === 'not-found' ? state : asMomo(state)
    },
  }
}

function asMomoTransfer(order: MomoPayoutOrder, payee: PaystackPayee): Order {
  return order.phoneNumber === null
    ? { ...order, payee, accountReference: accountReferenceOf(order) }
    : { ...order, payee }
}

const tillReferenceLength = 12

/**
 * Paystack requires an account in every payout to a till or paybill, and a till has none. So a till gets the end of our
 * reference, in letters and digits alone, because Paystack documents neither the form nor the length.
 */
function accountReferenceOf({ accountReference, railReference }: BusinessOrder): string {
  return accountReference ?? railReference.replaceAll(/[^a-zA-Z0-9]/g, '').slice(-tillReferenceLength)
}

function asMomo(state: PayoutState): MomoPayoutState {
  switch (state.kind) {
    case 'failed':
      // Omits `created: false`, because several faults of the payee map to an unspecified reason, and those must not
      // fail over.
      return { kind: 'failed', reason: momoReasonOf(state.reason) }
    case 'succeeded': {
      const { sessionId: operatorReference, cost } = state
      return { kind: 'succeeded', operatorReference, ...(cost === undefined ? {} : { cost }) }
    }
    case 'reversed':
      return { kind: 'reversed', operatorReference: state.sessionId }
    case 'pending':
    case 'unknown':
      return state
  }
}

async function submit(transfers: PaystackTransfers, order: Order): Promise<PayoutState> {
  const first = await send(transfers, order)
  if (first.kind !== 'unknown-recipient') return first
  transfers.recipients.forget(order.payee)
  const second = await send(transfers, order)
  return second.kind === 'unknown-recipient' ? second.refused : second
}

/**
 * Paystack does not know the recipient's code, so nothing was paid. `refused`: our answer if Paystack has just issued
 * that code; Paystack then contradicts itself, which proves nothing.
 */
type UnknownRecipient = { kind: 'unknown-recipient'; refused: Unknown }

async function send(transfers: PaystackTransfers, order: Order): Promise<PayoutState | UnknownRecipient> {
  const { call, recipients, country } = transfers
  const recipient = await recipients.codeOf(order.payee, order.tenantId)
  if (recipient.kind !== 'known') return recipient
  const said = await call({
    endpoint: 'transfer',
    tenantId: order.tenantId,
    method: 'POST',
    path: '/transfer',
    timeoutMs: transfers.submitMs,
    mayLeave: mayLeaveBy(order, transfers.clock),
    body: {
      source: 'balance',
      amount: toWire(order.amount),
      recipient: recipient.code,
      reference: order.railReference,
      reason: plainNarration(order.narration),
      currency: currencyIn[country],
      ...(order.accountReference === undefined ? {} : { account_reference: order.accountReference }),
    },
  })
  if (said.kind === 'unknown') return said
  return said.kind === 'success' ? stateIn(said.data, { ...order, country }, codeRequired) : afterRefusal(said)
}

/**
 * The transfer exists, and an operator can still release it with the code. So it does not count as unsent and is
 * never sent again. Paystack abandons it after half an hour, and then it has failed.
 */
const codeRequired: Unknown = {
  kind: 'unknown',
  detail: 'transfer: it waits for a one-time code; switch one-time codes for transfers off at Paystack',
  why: 'misconfigured',
}

function afterRefusal(refusal: Extract<PaystackAnswer, { kind: 'refusal' }>): PayoutState | UnknownRecipient {
  const { code, message } = refusal
  // Paystack has a transfer with this reference, which is ours. The next status query shows its state.
  if (code === 'duplicate_transfer_reference' || /reference already exists/i.test(message))
    return { kind: 'pending', askAgainAfterMs: 0, exists: true }
  const refused: Unknown = { kind: 'unknown', detail: detailOf('transfer', refusal), why: 'refused' }
  if (code === 'invalid_transfer_recipient' || /recipient specified is invalid/i.test(message))
    return { kind: 'unknown-recipient', refused }
  if (isShortOfMoney(refusal)) return emptyFloat('the balance at Paystack, or the limit of the day, is not enough')
  const reason = finalReasonOf(refusal)
  return reason === undefined ? refused : { kind: 'failed', reason, created: false }
}

async function ask({ call, country }: PaystackTransfers, order: Order): Promise<PayoutState | NotFound> {
  const path = `/transfer/verify/${encodeURIComponent(order.railReference)}`
  const said = await call({ endpoint: 'verify-transfer', tenantId: order.tenantId, method: 'GET', path })
  // The transfer may wait for a one-time code since before codes were disabled, so this is no sign of wrong settings.
  if (said.kind === 'success') return stateIn(said.data, { ...order, country }, { kind: 'pending' })
  if (said.kind === 'unknown') return ofQuestion(said)
  const { status: http, code, message } = said
  const isMissing = http === 404 && (code === 'transfer_not_found' || /transfer not found/i.test(message))
  return isMissing
    ? { kind: 'not-found' }
    : { kind: 'unknown', detail: `verify-transfer: refused with ${http} ${code}` }
}

function stateIn(
  data: unknown,
  order: Order & { country: PaystackCountry },
  whileCodeRequired: PayoutState,
): PayoutState {
  const transfer = transferData.safeParse(data).data
  if (transfer === undefined)
    return { kind: 'unknown', detail: 'Paystack answered without a transfer that can be read' }
  const isOurs =
    transfer.reference === order.railReference &&
    transfer.amount === order.amount &&
    transfer.currency === currencyIn[order.country]
  if (!isOurs) {
    const detail = 'Paystack answered about another transfer'
    return { kind: 'unknown', detail, ...(transfer.reference === order.railReference ? { why: 'mismatch' } : {}) }
  }
  const { account_number: number, bank_code: bankCode } = transfer.recipient?.details ?? {}
  const { payee } = order
  // Compares the bank too, because the same account number belongs to another person at another bank.
  if (!isPaidTo(payee, number ?? payee.accountNumber) || (bankCode ?? payee.bankCode) !== payee.bankCode)
    return {
      kind: 'unknown',
      detail: 'Paystack shows a transfer to another account than ours; look at it there',
      why: 'mismatch',
    }
  return transfer.status === 'otp' ? whileCodeRequired : stateOf(transfer)
}

function stateOf(transfer: PaystackTransferData): PayoutState {
  switch (transfer.status) {
    case 'pending':
    case 'received':
      return { kind: 'pending' }
    case 'success':
      return { kind: 'succeeded', sessionId: sessionIdOf(transfer), ...costOf(transfer) }
    case 'failed':
      return { kind: 'failed', reason: reasonOf(transfer) }
    case 'abandoned':
    case 'blocked':
    case 'rejected':
      return { kind: 'failed', reason: 'PROVIDER_ERROR' }
    case 'reversed':
      return { kind: 'reversed', sessionId: sessionIdOf(transfer) }
    default:
      return { kind: 'unknown', detail: 'Paystack answered with an unknown status' }
  }
}

function reasonOf({ failures, gateway_response: response }: PaystackTransferData): BankFailureReason {
  return failureReasonIn(`${JSON.stringify(failures ?? '')} ${response ?? ''}`)
}

function costOf({ fee_charged: fee }: PaystackTransferData): { cost?: Money } {
  return fee === undefined || fee === null ? {} : { cost: toMoney(fee) }
}

function sessionIdOf({ session }: PaystackTransferData): string | null {
  const id = session?.id ?? ''
  return /^\d{30}$/.test(id) ? id : null
}

type PaystackPayee = {
  type: 'nuban' | 'mobile_money' | 'mobile_money_business'
  bankCode: string
  accountNumber: string
  name: string
}

type RecipientAnswer =
  | { kind: 'known'; code: string }
  | { kind: 'failed'; reason: BankFailureReason; created: false }
  | Unknown

type Recipients = {
  codeOf(payee: PaystackPayee, tenantId: Uuid): Promise<RecipientAnswer>
  forget(payee: PaystackPayee): void
}

const codesMax = 100_000

/**
 * A transfer needs a recipient, which is created once per account and may be created again without harm. The codes
 * are cached, because Paystack limits their creation to ten per second.
 */
export function createRecipients(call: PaystackCall, currency: Currency): Recipients {
  const codes = new Map<string, string>()
  return {
    async codeOf(payee, tenantId) {
      const known = codes.get(keyOf(payee))
      if (known !== undefined) return { kind: 'known', code: known }
      const answer = await create((what) => call({ ...what, tenantId }), payee, currency)
      if (answer.kind !== 'known') return answer
      const oldest = codes.keys().next().value
      if (codes.size >= codesMax && oldest !== undefined) codes.delete(oldest)
      codes.set(keyOf(payee), answer.code)
      return answer
    },
    forget: (payee) => void codes.delete(keyOf(payee)),
  }
}

/** Leaves out the name: an account has one recipient, however the name is spelled. */
const keyOf = ({ bankCode, accountNumber }: PaystackPayee): string => `${bankCode} ${accountNumber}`

async function create(call: PaystackCall, payee: PaystackPayee, currency: Currency): Promise<RecipientAnswer> {
  const { type, bankCode, accountNumber, name } = payee
  const said = await call({
    endpoint: 'recipient',
    method: 'POST',
    path: '/transferrecipient',
    body: { type, name, account_number: accountNumber, bank_code: bankCode, currency },
  })
  // Creating a recipient moves no money, so the payment may be sent again whatever the outcome.
  if (said.kind === 'unknown') return { ...said, sent: false }
  if (said.kind === 'refusal') {
    const reason = finalReasonOf(said)
    return reason === undefined
      ? { kind: 'unknown', detail: detailOf('recipient', said), sent: false, why: 'refused' }
      : { kind: 'failed', reason, created: false }
  }
  const data = recipientData.safeParse(said.data).data
  if (data === undefined) return { kind: 'unknown', detail: 'recipient: an answer that cannot be read', sent: false }
  const { account_number: number, bank_code: bank } = data.details
  // Compares the bank too, because the same account number belongs to another person at another bank.
  if (!isPaidTo(payee, number) || bank !== bankCode)
    return { kind: 'unknown', detail: 'recipient: an answer about another account', sent: false, answered: true }
  return { kind: 'known', code: data.recipient_code }
}

const nationalDigits = 9

/** Compares the last nine digits of wallets, because Paystack may show a number with the code of the country. */
function isPaidTo({ type, accountNumber }: PaystackPayee, shown: string): boolean {
  if (type !== 'mobile_money') return shown === accountNumber
  return shown.slice(-nationalDigits) === accountNumber.slice(-nationalDigits)
}

function momoPayeeOf(order: MomoPayoutOrder, country: PaystackCountry): PaystackPayee | undefined {
  const { operator, phoneNumber, accountName } = order
  if (phoneNumber === null) {
    const bankCode = codeAt(operator, country, 'paystackBankCode')
    if (bankCode === undefined) return undefined
    const { accountNumber } = order
    return { type: 'mobile_money_business', bankCode, accountNumber, name: accountName ?? operator.name }
  }
  const account = walletAccount(operator, phoneNumber, country)
  const type = country === 'NG' ? 'nuban' : 'mobile_money'
  return account === undefined ? undefined : { type, ...account, name: accountName ?? operator.name }
}

/**
 * The wallet as Paystack's bank code and account number; undefined if Paystack does not have it. Nigerian wallets are
 * institutions of the banks' network: a payment to a phone is a transfer to the wallet's bank, and the account number is
 * the phone number without its leading 0.
 */
export function walletAccount(
  operator: RailOperator,
  phoneNumber: string,
  country: PaystackCountry,
): { bankCode: string; accountNumber: string } | undefined {
  const bankCode = codeAt(operator, country, 'paystackBankCode')
  const accountNumber = nationalNumberOf(phoneNumber, country)
  return bankCode === undefined || accountNumber === undefined ? undefined : { bankCode, accountNumber }
}

const momoReasons: Partial<Record<BankFailureReason, MomoFailureReason>> = {
  INVALID_ACCOUNT: 'RECIPIENT_NOT_FOUND',
  ACCOUNT_NAME_MISMATCH: 'RECIPIENT_NOT_FOUND',
  DORMANT_ACCOUNT: 'RECIPIENT_NOT_FOUND',
  LIMIT_EXCEEDED: 'LIMIT_EXCEEDED',
  BANK_NOT_FOUND: 'OPERATOR_UNAVAILABLE',
  BANK_UNAVAILABLE: 'OPERATOR_UNAVAILABLE',
}

function momoReasonOf(reason: BankFailureReason): MomoFailureReason {
  return momoReasons[reason] ?? 'UNSPECIFIED_FAILURE'
}
