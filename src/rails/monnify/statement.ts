// Monnify's lists of disbursements, transactions and wallet changes. The reference of a change shows its cause:
// `MFDS…` is a disbursement, `MNFY…` a transaction.

import { toMoney, zero, type Money } from '#platform/money.ts'
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
  type RailLine,
  type RailStatement,
  type StatementPage,
} from '#rails/statement.ts'
import { listBody, listedDisbursement, listedTransaction, walletRow, timeIn, balanceBody } from './answers.ts'
import type { MonnifyCall, MonnifyEndpoint } from './call.ts'
import { byTransfer, credited, readDeposit } from './notices.ts'

type StatementOptions = { provider: string; call: MonnifyCall; wallet: string }

export function createStatement({ provider, call, wallet }: StatementOptions): RailStatement {
  return {
    page: ({ list, fromMs, toMs, cursor }) => {
      const page = cursor ?? '0'
      const [from, to] = [String(fromMs), String(toMs)]
      switch (list) {
        case 'payouts': {
          const query = { sourceAccountNumber: wallet, startDate: from, endDate: to, pageNo: page, pageSize }
          return ask(call, 'list-disbursements', '/api/v2/disbursements/search-transactions', query, lineOfDisbursement)
        }
        case 'deposits': {
          const query = { from, to, page, size: pageSize }
          return ask(call, 'list-transactions', '/api/v1/transactions/search', query, lineOfTransaction)
        }
        case 'ledger': {
          const path = `/api/v1/disbursements/wallet/${encodeURIComponent(wallet)}/statement`
          // If the filter is off, Monnify lists whole days.
          const query = { startDate: from, endDate: to, enableTimeFilter: 'true', pageNo: page, pageSize }
          return ask(call, 'list-wallet', path, query, lineOfChange)
        }
      }
    },
    // The account counts only if Monnify reports that it belongs to the reservation that was paid.
    reread: ({ reference, accountNumber }) =>
      readDeposit(
        { provider, call, isSigned: false },
        {
          transactionReference: reference,
          paymentMethod: byTransfer,
          destinationAccountInformation: { accountNumber: accountNumber ?? undefined },
        },
      ),
  }
}

const pageSize = '100'

type MonnifyQuery = Record<string, string> & Partial<Record<'page' | 'pageNo', string>>

async function ask(
  call: MonnifyCall,
  endpoint: MonnifyEndpoint,
  path: string,
  query: MonnifyQuery,
  lineOf: LineReader,
): Promise<StatementPage> {
  const said = await call({ endpoint, method: 'GET', path: `${path}?${new URLSearchParams(query).toString()}` })
  if (said.kind !== 'success') return noPage(endpoint, said)
  const body = listBody.safeParse(said.body).data
  const lines = body === undefined ? undefined : linesOf(body.content, lineOf)
  if (body === undefined || lines === undefined) return unreadablePage(endpoint)
  const number = Number(query.page ?? query.pageNo)
  return { kind: 'page', lines, next: body.last ? null : String(number + 1) }
}

const states: ReadonlyMap<string, RailLine['state']> = new Map(
  Object.entries({
    PENDING: 'pending',
    AWAITING_PROCESSING: 'pending',
    IN_PROGRESS: 'pending',
    PENDING_AUTHORIZATION: 'pending',
    PENDING_BATCH_AUTHORIZATION: 'pending',
    OTP_EMAIL_DISPATCH_FAILED: 'pending',
    SUCCESS: 'succeeded',
    COMPLETED: 'succeeded',
    FAILED: 'failed',
    EXPIRED: 'failed',
    REVERSED: 'reversed',
  }),
)

const lineOfDisbursement = datedLine(
  listedDisbursement,
  ({ createdOn, dateCreated }) => timeIn(createdOn ?? dateCreated ?? ''),
  (one, atMs) =>
    payoutLine({
      lineId: one.transactionReference ?? one.reference,
      reference: one.reference,
      amount: one.amount,
      fee: one.fee ?? one.totalFee ?? null,
      currency: one.currency ?? 'NGN',
      state: states.get(one.status) ?? 'unknown',
      atMs,
      accountNumber: one.destinationAccountNumber ?? null,
    }),
)

/** Monnify's documentation of this list has another status for paid transactions. */
const listedAsPaid = [...credited, 'SUCCESSFUL']

function lineOfTransaction(row: unknown): RailLine | null | undefined {
  const one = listedTransaction.safeParse(row).data
  if (one === undefined) return undefined
  const method = one.paymentMethod ?? byTransfer
  // Unpaid transactions and payments by other means than a transfer are not deposits of ours.
  if (!listedAsPaid.includes(one.paymentStatus) || method !== byTransfer) return null
  const atMs = timeIn(one.paidOn ?? one.completedOn ?? one.transactionDate ?? '')
  const amount = one.amountPaid ?? one.amount ?? undefined
  if (atMs === undefined || amount === undefined) return undefined
  return depositLine({
    lineId: one.transactionReference,
    reference: one.transactionReference,
    amount,
    fee: costOf(amount, one.settlementAmount ?? undefined),
    currency: one.currency ?? one.currencyCode ?? 'NGN',
    atMs,
    accountNumber: one.destinationAccountInformation?.accountNumber ?? null,
  })
}

function costOf(paid: Money, settled: Money | undefined): Money | null {
  if (settled === undefined) return null
  return settled > paid ? zero : toMoney(paid - settled)
}

/** The documented statement shows `AT5_MFDS…_1_DEBIT_0`. A bare reference is read as well. */
const causeOfChange = /(?:^|_)((MFDS|MNFY)[^_]*)/

const lineOfChange = datedLine(
  walletRow,
  ({ transactionDate }) => timeIn(transactionDate),
  (one, atMs) => {
    const named = one.monnifyTransactionReference ?? ''
    const [, reference = named, kind] = causeOfChange.exec(named) ?? []
    const direction = one.transactionType === 'CREDIT' ? 'in' : 'out'
    return ledgerLine({
      lineId: one.walletTransactionReference,
      direction,
      cause: causeOf(kind, direction),
      reference,
      amount: one.amount,
      currency: 'NGN',
      atMs,
      balanceAfter: one.availableBalanceAfter,
    })
  },
)

/** Money of a transaction comes in at its settlement and goes out at its refund. */
function causeOf(kind: string | undefined, direction: RailLine['direction']): RailLine['cause'] {
  if (kind === 'MFDS') return 'payout'
  if (kind === 'MNFY') return direction === 'in' ? 'settlement' : 'refund'
  return 'other'
}

export function createFloat(call: MonnifyCall, wallet: string): Float {
  const query = new URLSearchParams({ accountNumber: wallet })
  return {
    async balance() {
      const said = await call({
        endpoint: 'balance',
        method: 'GET',
        path: `/api/v2/disbursements/wallet-balance?${query.toString()}`,
      })
      if (said.kind === 'unknown') return { ...ofQuestion(said), kind: 'unavailable' }
      if (said.kind === 'refusal')
        return { kind: 'unavailable', detail: `balance: refused with ${said.status} ${said.code}` }
      const body = balanceBody.safeParse(said.body).data
      return body === undefined
        ? { kind: 'unavailable', detail: 'balance: an answer without an amount that can be read' }
        : { kind: 'known', wallets: [{ currency: 'NGN', amount: toMoney(body.availableBalance) }] }
    },
  }
}
