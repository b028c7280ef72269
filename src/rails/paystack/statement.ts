// Paystack's lists of transfers, transactions and balance changes. Its documents leave open whether the list of
// transfers contains all statuses by default (the default may be `pending`), so each status is requested.

import { toMoney, type Currency } from '#platform/money.ts'
import { ofQuestion } from '#rails/outcome.ts'
import type { Float } from '#rails/rail.ts'
import {
  datedLine,
  depositLine,
  ledgerLine,
  linesOf,
  payoutLine,
  type LineReader,
  noPage,
  unreadablePage,
  wholeAndFraction,
  type RailLine,
  type RailStatement,
  type StatementPage,
  type StatementQuestion,
} from '#rails/statement.ts'
import { ledgerRow, listedTransfer, balanceData, transactionData, type LedgerRow } from './answers.ts'
import { type PaystackCall, type PaystackEndpoint, cursorAfter, pageQuery } from './call.ts'
import { fromSubunits, millionthsIn, roundedFromSubunits } from './countries.ts'
import { readDeposit, transferChannels } from './notices.ts'

/**
 * Transfers are listed by status, one status after the other, in the order in which a transfer passes through them. So
 * a transfer whose status changes meanwhile is listed twice, and its last version counts. In another order it could be
 * in no list.
 */
const transferStates = [
  'otp',
  'received',
  'pending',
  'success',
  'failed',
  'abandoned',
  'blocked',
  'rejected',
  'reversed',
] as const

export function createStatement(provider: string, call: PaystackCall, currency: Currency = 'NGN'): RailStatement {
  return {
    page: (question) => pageOf[question.list](call, question, currency),
    reread: ({ reference }) => readDeposit(provider, call, { reference }),
  }
}

const pageOf = { payouts: transfers, deposits: transactions, ledger }

/** The cursor contains the status and Paystack's own cursor within it. */
async function transfers(call: PaystackCall, { cursor, ...window }: StatementQuestion): Promise<StatementPage> {
  const [, state = transferStates[0], within = ''] = /^([a-z]+):(.*)$/.exec(cursor ?? '') ?? []
  const asked = { ...window, cursor: within, status: state }
  const following = transferStates[transferStates.findIndex((one) => one === state) + 1]
  const nextOf = (next: string): string | null => {
    if (next !== '') return `${state}:${next}`
    return following === undefined ? null : `${following}:`
  }
  return list(call, { endpoint: 'list-transfers', path: '/transfer', lineOf: lineOfTransfer, nextOf }, asked)
}

function transactions(
  call: PaystackCall,
  { cursor, ...window }: StatementQuestion,
  currency: Currency,
): Promise<StatementPage> {
  const asked = { ...window, cursor: cursor ?? '', status: 'success' }
  return list(call, { endpoint: 'list-transactions', path: '/transaction', lineOf: lineOfTransaction(currency) }, asked)
}

function ledger(
  call: PaystackCall,
  { cursor, ...window }: StatementQuestion,
  currency: Currency,
): Promise<StatementPage> {
  const asked = { ...window, cursor: cursor ?? '' }
  const first = { page: '1' } // This list documents page numbers only.
  return list(call, { endpoint: 'list-ledger', path: '/balance/ledger', lineOf: lineOfChange(currency), first }, asked)
}

type PaystackPageQuestion = Pick<StatementQuestion, 'fromMs' | 'toMs'> & { cursor: string; status?: string }

type PaystackList = {
  endpoint: PaystackEndpoint
  path: string
  lineOf: LineReader
  /** Query of the first page, if the list does not use cursors. */
  first?: Record<string, string>
  /** Converts Paystack's cursor, which is '' after the last page, to ours. */
  nextOf?: (next: string) => string | null
}

async function list(
  call: PaystackCall,
  { endpoint, path, lineOf, first, nextOf = nullIfNone }: PaystackList,
  asked: PaystackPageQuestion,
): Promise<StatementPage> {
  const query = new URLSearchParams({
    from: new Date(asked.fromMs).toISOString(),
    to: new Date(asked.toMs).toISOString(),
    ...pageQuery(asked.cursor, first),
    ...(asked.status === undefined ? {} : { status: asked.status }),
  })
  const said = await call({ endpoint, method: 'GET', path: `${path}?${query.toString()}` })
  if (said.kind !== 'success') return noPage(endpoint, said)
  const rows = Array.isArray(said.data) ? said.data : undefined
  const lines = rows === undefined ? undefined : linesOf(rows, lineOf)
  const next = cursorAfter(asked.cursor, said.meta, rows?.length ?? 0)
  return lines === undefined || next === undefined
    ? unreadablePage(endpoint)
    : { kind: 'page', lines, next: nextOf(next) }
}

const nullIfNone = (next: string): string | null => (next === '' ? null : next)

const states: ReadonlyMap<string, RailLine['state']> = new Map(
  Object.entries({
    pending: 'pending',
    received: 'pending',
    otp: 'pending',
    success: 'succeeded',
    failed: 'failed',
    abandoned: 'failed',
    blocked: 'failed',
    rejected: 'failed',
    reversed: 'reversed',
  }),
)

const lineOfTransfer = datedLine(listedTransfer, createdAtMs, (transfer, atMs) =>
  payoutLine({
    lineId: transfer.id,
    reference: transfer.reference ?? '',
    amount: toMoney(transfer.amount),
    fee: transfer.fee_charged === undefined || transfer.fee_charged === null ? null : toMoney(transfer.fee_charged),
    currency: transfer.currency,
    state: states.get(transfer.status) ?? 'unknown',
    atMs,
    accountNumber: transfer.recipient?.details?.account_number ?? null,
  }),
)

function createdAtMs(row: { createdAt?: string | null | undefined; created_at?: string | null | undefined }): number {
  return Date.parse(row.createdAt ?? row.created_at ?? '')
}

function paidAtMs(row: { paidAt?: string | null | undefined; paid_at?: string | null | undefined }): number {
  return Date.parse(row.paid_at ?? row.paidAt ?? '')
}

function lineOfTransaction(currency: Currency): LineReader {
  return datedLine(transactionData, paidAtMs, (paid, atMs) => {
    // Cards and checkouts come from other uses of the account and are not ours. A collection has a reference of ours.
    const isCollection = paid.channel === 'mobile_money' && paid.currency === currency && ourForm.test(paid.reference)
    if (paid.status !== 'success' || !(isCollection || transferChannels.includes(paid.channel))) return null
    const [amount, fees] = [fromSubunits(paid.amount, currency), paid.fees ?? null]
    if (amount === undefined) return undefined
    return depositLine({
      lineId: paid.id,
      reference: paid.reference,
      amount: toMoney(amount),
      fee: fees === null ? null : toMoney(roundedFromSubunits(fees, currency)),
      currency: paid.currency,
      atMs,
      accountNumber: paid.authorization?.receiver_bank_account_number ?? null,
    })
  })
}

const ourForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const causes: ReadonlyMap<string, RailLine['cause']> = new Map(
  Object.entries({
    Transfer: 'payout',
    Transaction: 'settlement',
    Settlement: 'settlement',
    Refund: 'refund',
  }),
)

/** Leaves out the changes of balances in other currencies, which other uses of the account have. */
function lineOfChange(currency: Currency): LineReader {
  return (unchecked) => {
    const row = ledgerRow.safeParse(unchecked).data
    if (row !== undefined && row.currency !== currency) return null
    return row === undefined ? undefined : lineOfRow(row, currency)
  }
}

function lineOfRow(change: LedgerRow, currency: Currency): RailLine | undefined {
  const { difference } = change
  const atMs = createdAtMs(change)
  if (Number.isNaN(atMs)) return undefined
  return ledgerLine({
    lineId: change.id,
    direction: difference < 0n ? 'out' : 'in',
    cause: causes.get(change.model_responsible ?? '') ?? 'other',
    reference: change.model_row ?? '',
    ...wholeAndFraction(millionthsIn(difference < 0n ? -difference : difference, currency)),
    currency,
    atMs,
    balanceAfter: roundedFromSubunits(change.balance, currency),
  })
}

export function createFloat(call: PaystackCall, currency: Currency = 'NGN'): Float {
  return {
    async balance() {
      const said = await call({ endpoint: 'balance', method: 'GET', path: '/balance' })
      if (said.kind === 'unknown') return { ...ofQuestion(said), kind: 'unavailable' }
      if (said.kind === 'refusal')
        return { kind: 'unavailable', detail: `balance: refused with ${said.status} ${said.code}` }
      const held = balanceData.safeParse(said.data).data?.find((one) => one.currency === currency)
      if (held === undefined) return { kind: 'unavailable', detail: `balance: an answer without ${currency}` }
      const amount = toMoney(roundedFromSubunits(held.balance, currency))
      return { kind: 'known', wallets: [{ currency, amount }] }
    },
  }
}
