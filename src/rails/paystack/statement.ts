// What Paystack lists: transfers, transactions, and each change of the balance. Whether its list of transfers holds all
// states unless one is asked for, its documents leave open (the default may be `pending`), so each state is asked for.

import { toKobo } from '#base/money.ts'
import {
  noPage,
  unreadable,
  type RailLine,
  type Statement,
  type StatementPage,
  type StatementQuestion,
} from '#rails/statement.ts'
import { ledgerRow, listedTransaction, listedTransfer, listMeta } from './answers.ts'
import type { Call, Endpoint } from './call.ts'
import { readDeposit } from './notices.ts'

export const pageRows = 100

/** In the order in which they are asked for. */
const transferStates = ['success', 'reversed', 'failed', 'pending', 'otp', 'abandoned', 'blocked', 'rejected'] as const

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
  const [state = transferStates[0], within = ''] = cursor?.split(':', 2) ?? []
  const listed = await list(call, 'list-transfers', '/transfer', { ...window, cursor: within, status: state })
  if (listed.kind !== 'listed') return listed
  const lines = listed.rows.map((row) => transferLine(row))
  if (!areAll(lines)) return unreadable('list-transfers')
  if (listed.next !== '') return { kind: 'page', lines, next: `${state}:${listed.next}` }
  const following = transferStates[transferStates.findIndex((one) => one === state) + 1]
  return { kind: 'page', lines, next: following === undefined ? null : `${following}:` }
}

async function transactions(call: Call, { cursor, ...window }: StatementQuestion): Promise<StatementPage> {
  const asked = { ...window, cursor: cursor ?? '', status: 'success' }
  const listed = await list(call, 'list-transactions', '/transaction', asked)
  if (listed.kind !== 'listed') return listed
  const lines = listed.rows.map((row) => transactionLine(row))
  return areAll(lines)
    ? { kind: 'page', lines: lines.filter(({ state }) => state === 'succeeded'), next: nullIfNone(listed.next) }
    : unreadable('list-transactions')
}

async function ledger(call: Call, { cursor, ...window }: StatementQuestion): Promise<StatementPage> {
  const listed = await list(call, 'list-ledger', '/balance/ledger', { ...window, cursor: cursor ?? '' })
  if (listed.kind !== 'listed') return listed
  const lines = listed.rows.map((row) => ledgerLine(row))
  return areAll(lines) ? { kind: 'page', lines, next: nullIfNone(listed.next) } : unreadable('list-ledger')
}

type Asked = Pick<StatementQuestion, 'fromMs' | 'toMs'> & { cursor: string; status?: string }

type Listed = { kind: 'listed'; rows: unknown[]; next: string } | Extract<StatementPage, { kind: 'unavailable' }>

async function list(call: Call, endpoint: Endpoint, path: string, asked: Asked): Promise<Listed> {
  const query = new URLSearchParams({
    from: new Date(asked.fromMs).toISOString(),
    to: new Date(asked.toMs).toISOString(),
    use_cursor: 'true',
    perPage: String(pageRows),
    ...(asked.status === undefined ? {} : { status: asked.status }),
    ...(asked.cursor === '' ? {} : { next: asked.cursor }),
  })
  const said = await call({ endpoint, method: 'GET', path: `${path}?${query.toString()}` })
  if (said.kind !== 'success') return noPage(endpoint, said)
  const meta = listMeta.safeParse(said.meta).data
  if (!Array.isArray(said.data) || meta === undefined) return unreadable(endpoint)
  return { kind: 'listed', rows: said.data, next: meta.next ?? '' }
}

function areAll(lines: (RailLine | undefined)[]): lines is RailLine[] {
  return !lines.includes(undefined)
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

function transactionLine(row: unknown): RailLine | undefined {
  const paid = listedTransaction.safeParse(row).data
  const atMs = Date.parse(paid?.paid_at ?? paid?.paidAt ?? '')
  if (paid === undefined || Number.isNaN(atMs)) return undefined
  // Cards and checkouts of whatever else uses the account are no deposits of ours.
  const isOurs = paid.channel === 'dedicated_nuban' || paid.channel === 'bank_transfer'
  return {
    list: 'deposits',
    lineId: paid.id,
    direction: 'in',
    cause: 'deposit',
    reference: paid.reference,
    amount: toKobo(paid.amount),
    fee: paid.fees === undefined || paid.fees === null ? null : toKobo(paid.fees),
    currency: paid.currency,
    state: paid.status === 'success' && isOurs ? 'succeeded' : 'unknown',
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
