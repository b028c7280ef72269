// Paystack's lists, by its documents: "List Transfers", "List Transactions", "Fetch Balance Ledger". Pages have
// cursors, dates two formats, ids lie beyond 2^53, and a list leaves out rows that a test marks late. A request that
// the documents do not allow fails the test.

import type { Act, Answer, Asked, Handler } from './provider.ts'

type Listed = { isLate: boolean; status: string; atMs: number; text: string }

export type ListedTransfer = {
  reference: string | null
  amount: number
  status?: string
  fee?: number
  atMs?: number
  id?: string
}
export type ListedPayment = {
  reference: string
  amount: number
  accountNumber?: string
  fees?: number
  atMs?: number
  id?: string
  channel?: string
}
export type LedgerRow = {
  difference: number | bigint
  balance: number | bigint
  model?: string
  row?: string
  atMs?: number
  id?: string
}

export type PaystackLists = {
  transfer(transfer: ListedTransfer): Listed
  transaction(payment: ListedPayment): Listed
  ledger(row: LedgerRow): Listed
  /** The balance that it holds for us, in kobo. */
  held: bigint
  pageRows: number
  /** Pages by cursors when the request asks for them. The ledger never does. */
  hasCursors: boolean
  /** Marks the end of a list with the text "null". */
  endsInText: boolean
  /** This many of the next pages name themselves as the next page. */
  circling: number
  /** The next pages are handled by these acts. */
  script(...acts: Act[]): void
  /** Undefined: the call is not about lists. */
  handle(asked: Asked): ReturnType<Handler> | undefined
}

const states = ['success', 'reversed', 'failed', 'pending', 'received', 'otp', 'abandoned', 'blocked', 'rejected']

export function createPaystackLists(nowMs: () => number, currency = 'NGN'): PaystackLists {
  const lists = { '/transfer': [] as Listed[], '/transaction': [] as Listed[], '/balance/ledger': [] as Listed[] }
  const acts: Act[] = []
  let made = 0

  function add(
    path: keyof typeof lists,
    status: string,
    atMs: number,
    textOf: (id: string, date: string) => string,
  ): Listed {
    made += 1
    const spelling = made % 2 === 0 ? 'createdAt' : 'created_at'
    const date = `"${spelling}":"${new Date(atMs).toISOString()}"`
    const listed = { isLate: false, status, atMs, text: textOf(`90071992547${String(400_000 + made)}`, date) }
    lists[path].push(listed)
    return listed
  }

  function answer(path: keyof typeof lists, { query }: Asked): Answer {
    // Returns the newest row alone, from which the adapter learns whose account this is.
    if (query.get('perPage') === '1')
      return { status: 200, body: `{"status":true,"message":"OK","data":[${lists[path].at(-1)?.text ?? ''}]}` }
    const status = checkQuery(path, query)
    const [fromMs, toMs] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')]
    const rows = lists[path].filter(
      (row) => !row.isLate && row.atMs >= fromMs && row.atMs <= toMs && (status === null || row.status === status),
    )
    const byCursor = book.hasCursors && query.get('use_cursor') === 'true'
    const page = Number(query.get('page') ?? '1')
    const start = byCursor ? startOf(query.get('next') ?? 'cursor:0') : (page - 1) * book.pageRows
    const end = start + book.pageRows
    const shown = rows.slice(start, end).map(({ text }) => text)
    const circles = book.circling > 0
    if (circles) book.circling -= 1
    const last = book.endsInText ? 'null' : null
    const following = circles ? `cursor:${start}` : end < rows.length ? `cursor:${end}` : last
    const meta = JSON.stringify(
      byCursor
        ? { next: following, previous: last, perPage: 100 }
        : { total: rows.length, skipped: start, perPage: 100, page, pageCount: Math.ceil(rows.length / book.pageRows) },
    )
    return { status: 200, body: `{"status":true,"message":"OK","data":[${shown.join(',')}],"meta":${meta}}` }
  }

  const book: PaystackLists = {
    held: 5_000_000n,
    pageRows: 2,
    hasCursors: true,
    endsInText: false,
    circling: 0,
    transfer({ reference, amount, status = 'success', fee = 1_000, atMs = nowMs(), id }) {
      const rest = JSON.stringify({
        reference,
        amount,
        status,
        currency,
        fee_charged: fee,
        recipient: { type: 'nuban' },
      })
      return add('/transfer', status, atMs, (usual, date) => `{"id":${id ?? usual},${date},${rest.slice(1)}`)
    },
    transaction({ reference, amount, accountNumber, fees = 2_500, atMs = nowMs(), id, channel = 'dedicated_nuban' }) {
      const paid = new Date(atMs).toISOString()
      const authorization = { receiver_bank_account_number: accountNumber, sender_name: 'ADA OBI' }
      const rest = JSON.stringify({
        reference,
        amount,
        status: 'success',
        currency,
        channel,
        fees,
        paid_at: paid,
        authorization,
      })
      return add('/transaction', 'success', atMs, (usual, date) => `{"id":${id ?? usual},${date},${rest.slice(1)}`)
    },
    ledger({ difference, balance, model = 'Transfer', row = '1', atMs = nowMs(), id }) {
      const change = `"difference":${difference},"balance":${balance},"model_row":${row}`
      const rest = JSON.stringify({ integration: 900_001, currency, reason: 'x', model_responsible: model })
      const textOf = (usual: string, date: string) => `{"id":${id ?? usual},${change},${date},${rest.slice(1)}`
      return add('/balance/ledger', '', atMs, textOf)
    },
    script: (...more) => void acts.push(...more),
    handle(asked) {
      const path = (Object.keys(lists) as (keyof typeof lists)[]).find((one) => one === asked.path)
      if (asked.method !== 'GET' || path === undefined) return undefined
      return { act: acts.shift() ?? 'answer', work: () => answer(path, asked) }
    },
  }
  return book
}

/** "Check Balance". */
export function balanceOf(held: bigint, currency: string): Answer {
  return { status: 200, body: `{"status":true,"message":"OK","data":[{"currency":"${currency}","balance":${held}}]}` }
}

const startOf = (cursor: string): number => Number(/^cursor:(\d+)$/.exec(cursor)?.[1])

const dated = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Checks the query and returns the state that it asks for; a list of transfers without one may show `pending` alone.
 */
function checkQuery(path: string, query: URLSearchParams): string | null {
  if (!dated.test(query.get('from') ?? '') || !dated.test(query.get('to') ?? ''))
    throw new Error(`${path} was asked without its days`)
  const isPaged = query.get('use_cursor') === 'true' || /^[1-9]\d*$/.test(query.get('page') ?? '')
  if (!isPaged || query.get('perPage') !== '100') throw new Error(`${path} came without pages`)
  if (path === '/balance/ledger') return null
  const status = query.get('status')
  if (status === null || !states.includes(status)) throw new Error(`${path} was asked for the state ${status}`)
  return status
}
