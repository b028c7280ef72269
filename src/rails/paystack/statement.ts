// What Paystack lists: transfers, transactions, and each change of the balance. Whether its list of transfers holds all
// states unless one is asked for, its documents leave open (the default may be `pending`), so each state is asked for.

import { toKobo } from '#base/money.ts'
import {
  linesOf,
  noPage,
  unreadable,
  type RailLine,
  type Statement,
  type StatementPage,
  type StatementQuestion,
} from '#rails/statement.ts'
import { ledgerRow, listedTransaction, listedTransfer } from './answers.ts'
import type { Call, Endpoint } from './call.ts'
import { readDeposit } from './notices.ts'
import { cursorAfter, pageQuery } from './pages.ts'

/** In the order in which they are asked for. */
const transferStates = [
  'success',
  'reversed',
  'failed',
  'pending',
  'received',
  'otp',
  'abandoned',
  'blocked',
  'rejected',
] as const

export function createStatement(provider: string, call: Call): Statement {
  return {
    page(question) {
      switch (question.list) {
        case 'payouts':
          return transfers(call, question)
        case 'deposits':
          return transactions(call, question)
        case 'ledger':
          return ledger(call, question)
      }
    },
    reread: ({ reference }) => readDeposit(provider, call, { reference }),
  }
}

/** The cursor names the state, and Paystack's own cursor within it. */
async function transfers(call: Call, { cursor, ...window }: StatementQuestion): Promise<StatementPage> {
  const [, state = transferStates[0], within = ''] = /^([a-z]+):(.*)$/.exec(cursor ?? '') ?? []
  const asked = { ...window, cursor: within, status: state }
  const following = transferStates[transferStates.findIndex((one) => one === state) + 1]
  const nextOf = (next: string): string | null => {
    if (next !== '') return `${state}:${next}`
    return following === undefined ? null : `${following}:`
  }
  return list(call, { endpoint: 'list-transfers', path: '/transfer', lineOf: transferLine, nextOf }, asked)
}

function transactions(call: Call, { cursor, ...window }: StatementQuestion): Promise<StatementPage> {
  const asked = { ...window, cursor: cursor ?? '', status: 'success' }
  return list(call, { endpoint: 'list-transactions', path: '/transaction', lineOf: transactionLine }, asked)
}

function ledger(call: Call, { cursor, ...window }: StatementQuestion): Promise<StatementPage> {
  const asked = { ...window, cursor: cursor ?? '' }
  const first = { page: '1' } // Its pages are documented by number alone.
  return list(call, { endpoint: 'list-ledger', path: '/balance/ledger', lineOf: ledgerLine, first }, asked)
}

type Asked = Pick<StatementQuestion, 'fromMs' | 'toMs'> & { cursor: string; status?: string }

type List = {
  endpoint: Endpoint
  path: string
  lineOf: (row: unknown) => RailLine | null | undefined
  /** What the first page is asked for by, in place of cursors. */
  first?: Record<string, string>
  /** Our cursor for Paystack's; there is no further page where that is ''. */
  nextOf?: (next: string) => string | null
}

async function list(
  call: Call,
  { endpoint, path, lineOf, first, nextOf = nullIfNone }: List,
  asked: Asked,
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
  return lines === undefined || next === undefined ? unreadable(endpoint) : { kind: 'page', lines, next: nextOf(next) }
}

const nullIfNone = (next: string): string | null => (next === '' ? null : next)

const states: Partial<Record<string, RailLine['state']>> = {
  pending: 'pending',
  received: 'pending',
  otp: 'pending',
  success: 'succeeded',
  failed: 'failed',
  abandoned: 'failed',
  blocked: 'failed',
  rejected: 'failed',
  reversed: 'reversed',
}

function transferLine(row: unknown): RailLine | undefined {
  const transfer = listedTransfer.safeParse(row).data
  const atMs = Date.parse(transfer?.createdAt ?? transfer?.created_at ?? '')
  if (transfer === undefined || Number.isNaN(atMs)) return undefined
  return {
    list: 'payouts',
    lineId: transfer.id,
    direction: 'out',
    cause: 'payout',
    reference: transfer.reference ?? '',
    amount: toKobo(transfer.amount),
    fee: transfer.fee_charged === undefined || transfer.fee_charged === null ? null : toKobo(transfer.fee_charged),
    currency: transfer.currency,
    state: states[transfer.status] ?? 'unknown',
    atMs,
    accountNumber: null,
    balanceAfter: null,
  }
}

function transactionLine(row: unknown): RailLine | null | undefined {
  const paid = listedTransaction.safeParse(row).data
  const atMs = Date.parse(paid?.paid_at ?? paid?.paidAt ?? '')
  if (paid === undefined || Number.isNaN(atMs)) return undefined
  // Cards and checkouts of whatever else uses the account are no deposits of ours.
  const isOurs = paid.channel === 'dedicated_nuban' || paid.channel === 'bank_transfer'
  if (paid.status !== 'success' || !isOurs) return null
  return {
    list: 'deposits',
    lineId: paid.id,
    direction: 'in',
    cause: 'deposit',
    reference: paid.reference,
    amount: toKobo(paid.amount),
    fee: paid.fees === undefined || paid.fees === null ? null : toKobo(paid.fees),
    currency: paid.currency,
    state: 'succeeded',
    atMs,
    accountNumber: paid.authorization?.receiver_bank_account_number ?? null,
    balanceAfter: null,
  }
}

const causes: Partial<Record<string, RailLine['cause']>> = {
  Transfer: 'payout',
  Transaction: 'settlement',
  Settlement: 'settlement',
  Refund: 'refund',
}

function ledgerLine(row: unknown): RailLine | undefined {
  const change = ledgerRow.safeParse(row).data
  const atMs = Date.parse(change?.createdAt ?? change?.created_at ?? '')
  if (change === undefined || Number.isNaN(atMs)) return undefined
  const { difference } = change
  return {
    list: 'ledger',
    lineId: change.id,
    direction: difference < 0n ? 'out' : 'in',
    cause: causes[change.model_responsible ?? ''] ?? 'other',
    reference: change.model_row ?? '',
    amount: toKobo(difference < 0n ? -difference : difference),
    fee: null,
    currency: change.currency,
    state: 'succeeded',
    atMs,
    accountNumber: null,
    balanceAfter: change.balance,
  }
}
