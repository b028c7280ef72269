// Monnify's lists, by its documents: "Search Disbursements", "Search Transactions", the statement of a wallet. Pages
// are counted from 0, days are milliseconds, amounts are naira, dates have three formats. A request that the documents
// do not allow fails the test.

import type { Act, Answer, Asked, Handler } from './provider.ts'

type Listed = { isLate: boolean; atMs: number; text: string }

/** The first row of the statement as Monnify's documentation shows it. */
export const publishedChange = `{
  "walletTransactionReference": "AT5_MFDS7820231213095406006362L4V3F9_1_DEBIT_0",
  "monnifyTransactionReference": "AT5_MFDS7820231213095406006362L4V3F9_1_DEBIT_0",
  "availableBalanceBefore": 630.0,
  "availableBalanceAfter": 500.0,
  "amount": 130.0,
  "transactionDate": "2023-12-13T08:54:06.000+0000",
  "transactionType": "DEBIT",
  "message": null,
  "narration": "MFDS7820231213095406006362L4V3F9/#/MFDB_483_4ace7c31-9b9d-43cb-bff1-48117f5e480f-1/#/test/#/GTBank/#/0456638287",
  "status": "COMPLETED"
}`

export type ListedDisbursement = {
  reference: string
  naira: string
  status?: string
  fee?: string
  atMs?: number
  id?: string
}
export type ListedReceipt = {
  reference: string
  naira: string
  settled?: string
  accountNumber?: string
  status?: string
  method?: string
  atMs?: number
  /** A row as the samples of the documents show it: with the request's fields, and neither account nor channel. */
  isBrief?: boolean
}
export type WalletRow = { naira: string; after: string; isCredit: boolean; cause?: string; atMs?: number; id?: string }

export type MonnifyLists = {
  disbursement(one: ListedDisbursement): Listed
  receipt(one: ListedReceipt): Listed
  wallet(row: WalletRow): Listed
  /** A row of the statement, as it is written on the wire. */
  walletText(atMs: number, text: string): Listed
  /** The balance of the wallet, in naira. */
  held: string
  pageRows: number
  script(...acts: Act[]): void
  /** Undefined: the call is not about lists. */
  handle(asked: Asked): ReturnType<Handler> | undefined
}

/** Monnify's lists differ in the names of their parameters. */
const lists = [
  {
    path: '/api/v2/disbursements/search-transactions',
    from: 'startDate',
    to: 'endDate',
    page: 'pageNo',
    size: 'pageSize',
  },
  { path: '/api/v1/transactions/search', from: 'from', to: 'to', page: 'page', size: 'size' },
] as const

export function createMonnifyLists(nowMs: () => number, wallet: string): MonnifyLists {
  const statement = `/api/v1/disbursements/wallet/${wallet}/statement`
  const names = [...lists, { ...lists[0], path: statement }]
  const rows = new Map<string, Listed[]>(names.map(({ path }) => [path, []]))
  const acts: Act[] = []
  let made = 0

  function add(path: string, atMs: number, text: string): Listed {
    const listed = { isLate: false, atMs, text }
    rows.get(path)?.push(listed)
    return listed
  }

  /** Lagos is an hour ahead of UTC. Every third date states its zone. */
  function dateOf(atMs: number): string {
    made += 1
    const lagos = new Date(atMs + 3_600_000).toISOString()
    if (made % 3 === 0) return new Date(atMs).toISOString()
    if (made % 3 === 1) return lagos.slice(0, 23).replace('T', ' ')
    const [, year, month, day, hour, rest] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+:\d+)/.exec(lagos) ?? []
    return `${day}/${month}/${year} ${Number(hour) % 12 === 0 ? 12 : Number(hour) % 12}:${rest} ${Number(hour) < 12 ? 'AM' : 'PM'}`
  }

  function page({ path, query }: Asked): Answer {
    const name = names.find((one) => one.path === path)
    if (name === undefined) throw new Error(`there is no list ${path}`)
    const wanted = [
      name.from,
      name.to,
      name.page,
      name.size,
      ...(path === lists[0].path ? ['sourceAccountNumber'] : []),
      ...(path === statement ? ['enableTimeFilter'] : []),
    ]
    const given = [...query.keys()]
    if (given.length !== wanted.length || !wanted.every((one) => query.has(one)))
      throw new Error(`${path} was asked with ${given.join(', ')}`)
    if (path === lists[0].path && query.get('sourceAccountNumber') !== wallet)
      throw new Error('another wallet was asked for')
    const [fromMs, toMs, at] = [name.from, name.to, name.page].map((one) => Number(query.get(one)))
    if (fromMs === undefined || toMs === undefined || at === undefined || !(fromMs > 1e12) || !(toMs > fromMs))
      throw new Error(`${path} was asked for days that are not milliseconds`)
    const inside = (rows.get(path) ?? []).filter((row) => !row.isLate && row.atMs >= fromMs && row.atMs <= toMs)
    const shown = inside.slice(at * book.pageRows, (at + 1) * book.pageRows).map(({ text }) => text)
    const last = (at + 1) * book.pageRows >= inside.length
    const head = '{"requestSuccessful":true,"responseMessage":"success","responseCode":"0","responseBody":'
    return { status: 200, body: `${head}{"content":[${shown.join(',')}],"last":${last},"number":${at}}}` }
  }

  const book: MonnifyLists = {
    held: '50000.50',
    pageRows: 2,
    disbursement({ reference, naira, status = 'SUCCESS', fee = '20.00', atMs = nowMs(), id = `MFDS${made}` }) {
      const rest = JSON.stringify({
        reference,
        status,
        transactionReference: id,
        currency: 'NGN',
        createdOn: dateOf(atMs),
      })
      return add(lists[0].path, atMs, `{"amount":${naira},"fee":${fee},${rest.slice(1)}`)
    },
    receipt({
      reference,
      naira,
      settled = naira,
      accountNumber,
      status = 'PAID',
      method = 'ACCOUNT_TRANSFER',
      atMs = nowMs(),
      isBrief = false,
    }) {
      const brief = JSON.stringify({
        transactionReference: reference,
        paymentReference: reference,
        paymentStatus: status,
        currencyCode: 'NGN',
        completedOn: dateOf(atMs),
      })
      if (isBrief) return add(lists[1].path, atMs, `{"amount":${naira},${brief.slice(1)}`)
      const rest = JSON.stringify({
        transactionReference: reference,
        paymentStatus: status,
        paymentMethod: method,
        currencyCode: 'NGN',
        completedOn: dateOf(atMs),
        destinationAccountInformation: { accountNumber },
      })
      return add(lists[1].path, atMs, `{"amountPaid":${naira},"settlementAmount":"${settled}",${rest.slice(1)}`)
    },
    wallet({ naira, after, isCredit, cause = '', atMs = nowMs(), id = `W${1_000 + made}` }) {
      // The documented form of the balance change that a disbursement causes.
      const published = `AT5_${cause}_1_${isCredit ? 'CREDIT' : 'DEBIT'}_0`
      const rest = JSON.stringify({
        walletTransactionReference: id,
        monnifyTransactionReference: cause.startsWith('MFDS') ? published : cause,
        transactionType: isCredit ? 'CREDIT' : 'DEBIT',
        transactionDate: dateOf(atMs),
      })
      return add(statement, atMs, `{"amount":${naira},"availableBalanceAfter":${after},${rest.slice(1)}`)
    },
    walletText: (atMs, text) => add(statement, atMs, text),
    script: (...more) => void acts.push(...more),
    handle(asked) {
      if (asked.method !== 'GET' || !rows.has(asked.path)) return undefined
      return { act: acts.shift() ?? 'answer', work: () => page(asked) }
    },
  }
  return book
}
