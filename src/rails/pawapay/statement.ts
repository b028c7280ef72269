// pawaPay's statements. On request, pawaPay makes a CSV of one wallet and one day, or of a part of a day that has too
// many rows. A statement has rows of every kind, so the list `payouts` returns them all, and the other lists are empty.
// The reconciliation's check of recent lines ("near") gets nothing, because a statement of today is late, and one of
// each wallet every few minutes would be too many.

import { dayMs, secondMs } from '#platform/durations.ts'
import type { Net } from '#platform/http-client/client.ts'
import { type Currency, isCurrency } from '#platform/money.ts'
import { detailOf } from '#rails/outcome.ts'
import type { RailWallet, WalletAccount } from '#rails/rail.ts'
import {
  depositLine,
  ledgerLine,
  noPage,
  payoutLine,
  unexplainedLine,
  unreadablePage,
  wholeAndFraction,
  type RailLine,
  type RailStatement,
  type StatementPage,
  type StatementQuestion,
} from '#rails/statement.ts'
import { countryOf } from './account.ts'
import { amountIn, millionthsIn, statementMadeBody, statementStatusBody } from './answers.ts'
import type { PawapayCall } from './call.ts'

type PawapayStatements = {
  call: PawapayCall
  net: Net
  wallets: WalletAccount['wallets']
  /** pawaPay requires this address and calls it when a statement is ready. We poll and do not wait for the call. */
  callbackUrl: string
  /** Downloads from this machine are for tests and rehearsals. */
  allowLoopback: boolean
}

/** The reconciliation's check of recent lines ("near") asks for a day at most. */
const nearWindowMsMax = dayMs
const linesPerPage = 500
const askAgainAfterMs = 20 * secondMs
/**
 * About 38,000 rows. The process does nothing else while it parses them (0.13 s), so a day with more rows is ordered in
 * parts.
 */
const csvBytesMax = 4 * 1024 * 1024
/** The shortest part of a day is about 5.6 minutes. */
const partsMax = 256
const downloadMs = 10 * secondMs
/** Statements that were ordered and not read yet. Beyond this, the oldest is forgotten and ordered again. */
const rememberedMax = 200

const nothing: StatementPage = { kind: 'page', lines: [], next: null }

export function createStatement(options: PawapayStatements): RailStatement {
  const orders = createOrders(options)
  /** The statement that was read last, for its further pages. */
  let read: { key: string; lines: RailLine[] } | undefined
  /** The wallets of one window, so that its pages do not ask for them again. */
  let listed: { window: string; wallets: RailWallet[] } | undefined

  async function linesOf(position: StatementPosition, ahead: StatementPosition[]): Promise<RailLine[] | NoLines> {
    const key = keyOf(position)
    if (read?.key === key) return read.lines
    const id = await orders.idOf(position)
    if (typeof id !== 'string') return id
    for (const one of ahead) if (typeof (await orders.idOf(one)) !== 'string') break
    const csv = await download(options, id)
    if (typeof csv !== 'string') {
      if (csv.isOver === true) orders.forget(position)
      return csv
    }
    const lines = linesIn(csv, position.wallet)
    if (lines === undefined) return unreadablePage('statement')
    read = { key, lines }
    orders.forget(position)
    return lines
  }

  async function walletsOf({ fromMs, toMs, cursor }: StatementQuestion): ReturnType<WalletAccount['wallets']> {
    const window = `${fromMs} ${toMs}`
    if (cursor !== null && listed?.window === window) return { kind: 'known', wallets: listed.wallets }
    const held = await options.wallets()
    if (held.kind === 'known') listed = { window, wallets: held.wallets }
    return held
  }

  return {
    async page(question) {
      if (question.list !== 'payouts' || question.toMs - question.fromMs <= nearWindowMsMax) return nothing
      const held = await walletsOf(question)
      if (held.kind === 'unavailable') return held
      const [position, ...rest] = remainingPositions(question, held.wallets)
      if (position === undefined) return nothing
      const lines = await linesOf(position, rest.slice(0, aheadMax))
      if (!Array.isArray(lines)) {
        const half = lines.isTooLong === true ? firstHalfOf(position) : undefined
        return half === undefined ? lines : { kind: 'page', lines: [], next: cursorOf(half) }
      }
      const { offset } = position
      const end = offset + linesPerPage
      const next = end < lines.length ? { ...position, offset: end } : rest[0]
      return { kind: 'page', lines: lines.slice(offset, end), next: next === undefined ? null : cursorOf(next) }
    },
    reread: () => Promise.resolve({ kind: 'unavailable', detail: 'no collection of ours has this id' }),
  }
}

/** pawaPay takes up to a minute for a statement, and makes several at once. So the next ones are ordered early. */
const aheadMax = 40

function createOrders(options: PawapayStatements) {
  const asked = new Map<string, string>()
  return {
    async idOf(position: StatementPosition): Promise<string | NoLines> {
      const known = asked.get(keyOf(position))
      if (known !== undefined) return known
      const id = await requestStatement(options, position)
      if (typeof id !== 'string') return id
      const [oldest] = asked.keys()
      if (asked.size >= rememberedMax && oldest !== undefined) asked.delete(oldest)
      asked.set(keyOf(position), id)
      return id
    },
    forget: (position: StatementPosition) => void asked.delete(keyOf(position)),
  }
}

/** `isOver`: this statement will never be ready, so another one must be ordered. */
type NoLines = Extract<StatementPage, { kind: 'unavailable' }> & { isOver?: true; isTooLong?: true }

/** One of `of` equal parts of a day, counted from 0. */
type DayPart = { index: number; of: number }

/** One statement, by its wallet and its day or part of a day, and an offset within its lines. */
type StatementPosition = {
  wallet: RailWallet
  day: number
  part: DayPart
  fromMs: number
  toMs: number
  offset: number
}

const wholeDay: DayPart = { index: 0, of: 1 }

/**
 * The statements of the window that remain to be read, each of one wallet and of one day or a part of it. The first is
 * that of the cursor; if the wallet of the cursor is not listed any more, all statements remain.
 */
function remainingPositions({ fromMs, toMs, cursor }: StatementQuestion, wallets: RailWallet[]): StatementPosition[] {
  const days = Array.from({ length: Math.ceil((toMs - fromMs) / dayMs) }, (_, day) => {
    const beginMs = fromMs + day * dayMs
    return { day, part: wholeDay, fromMs: beginMs, toMs: Math.min(beginMs + dayMs, toMs), offset: 0 }
  })
  const positions = wallets
    .toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
    .flatMap((wallet) => days.map((day) => ({ wallet, ...day })))
  const [name = '', day, offset, part] = cursor === null ? [] : cursor.split(' ')
  const index = positions.findIndex((one) => nameOf(one.wallet) === name && one.day === Number(day))
  const [first, ...rest] = positions.slice(Math.max(0, index))
  if (first === undefined || index < 0) return positions
  const [here = first, ...later] = partsFrom(first, partIn(part))
  return [{ ...here, offset: Number(offset) }, ...later, ...rest]
}

function partIn(text: string | undefined): DayPart {
  const [index, of] = text?.split('/') ?? []
  return of === undefined ? wholeDay : { index: Number(index), of: Number(of) }
}

/**
 * This part, then the rest of the day in as few parts as possible. Example: after the first quarter come the second
 * quarter and the second half.
 */
function partsFrom(day: StatementPosition, { index, of }: DayPart): StatementPosition[] {
  // Parts begin at whole seconds, so that the rows of one second stay together: the time of a row has no milliseconds.
  const beginOf = (part: number): number =>
    Math.floor((day.fromMs + ((day.toMs - day.fromMs) * part) / of) / secondMs) * secondMs
  const here: StatementPosition = {
    ...day,
    part: { index, of },
    fromMs: index === 0 ? day.fromMs : beginOf(index),
    toMs: index + 1 === of ? day.toMs : beginOf(index + 1),
  }
  let next: DayPart = { index: index + 1, of }
  while (next.index % 2 === 0 && next.of > 1) next = { index: next.index / 2, of: next.of / 2 }
  return next.index === next.of ? [here] : [here, ...partsFrom(day, next)]
}

function firstHalfOf({ part, ...position }: StatementPosition): StatementPosition | undefined {
  const of = part.of * 2
  return of > partsMax ? undefined : { ...position, part: { index: part.index * 2, of }, offset: 0 }
}

const nameOf = ({ country, currency, provider }: RailWallet): string => [country, currency, provider ?? ''].join('/')

const keyOf = ({ wallet, fromMs, toMs }: StatementPosition): string => `${nameOf(wallet)} ${fromMs} ${toMs}`

function cursorOf({ wallet, day, offset, part: { index, of } }: StatementPosition): string {
  return [nameOf(wallet), day, offset, ...(of === 1 ? [] : [`${index}/${of}`])].join(' ')
}

async function requestStatement(
  { call, callbackUrl }: PawapayStatements,
  { wallet: { country, currency, provider }, fromMs, toMs }: StatementPosition,
): Promise<string | NoLines> {
  const said = await call({
    endpoint: 'statement',
    method: 'POST',
    path: '/v2/statements',
    body: {
      wallet: { country, currency, ...(provider === null ? {} : { provider }) },
      callbackUrl,
      startDate: new Date(fromMs).toISOString(),
      endDate: new Date(toMs).toISOString(),
      compressed: false,
    },
  })
  if (said.kind !== 'success') return noPage('statement', said)
  const made = statementMadeBody.safeParse(said.body).data
  if (made?.status === 'ACCEPTED' && made.statementId !== undefined) return made.statementId
  return { kind: 'unavailable', detail: `statement: ${made?.failureReason?.failureCode ?? 'was not accepted'}` }
}

async function download({ call, net, allowLoopback }: PawapayStatements, id: string): Promise<string | NoLines> {
  const said = await call({ endpoint: 'statement', method: 'GET', path: `/v2/statements/${encodeURIComponent(id)}` })
  if (said.kind === 'unknown') return { kind: 'unavailable', detail: said.detail }
  if (said.kind === 'refusal') return { kind: 'unavailable', detail: detailOf('statement', said) }
  const found = statementStatusBody.safeParse(said.body).data
  const { status, downloadUrl } = found?.status === 'FOUND' ? found.data : { status: 'NOT_FOUND' }
  if (status === 'ACCEPTED' || status === 'PROCESSING')
    return { kind: 'unavailable', detail: 'statement: it is being made', askAgainAfterMs }
  if (status !== 'COMPLETED' || downloadUrl === undefined)
    return { kind: 'unavailable', detail: `statement: its status is ${status}`, isOver: true }
  // The address is one of a store of files, which must not see our token.
  const result = await net.request({
    url: downloadUrl,
    method: 'GET',
    timeoutMs: downloadMs,
    maxResponseBytes: csvBytesMax,
    allowLoopback,
  })
  if (result.kind === 'failed') return { kind: 'unavailable', detail: `statement: ${result.message}` }
  // The address of a download expires after a day; then another statement must be ordered.
  if (result.status !== 200)
    return { kind: 'unavailable', detail: `statement: its download answered ${result.status}`, isOver: true }
  if (result.truncated)
    return { kind: 'unavailable', detail: `statement: it has more than ${csvBytesMax} bytes`, isTooLong: true }
  return result.body.toString('utf8')
}

/** pawaPay's dashboard documents the names of the columns; others of the same meaning are taken as well. */
const columns = {
  id: ['transactionid', 'payoutid', 'id'],
  date: ['creationdate', 'created', 'date'],
  amount: ['amount'],
  currency: ['currency'],
  type: ['type', 'transactiontype'],
}

const states: ReadonlyMap<string, RailLine['state']> = new Map(
  Object.entries({ COMPLETED: 'succeeded', FAILED: 'failed' }),
)

/** Undefined if any row cannot be read, because a row that is left out could be the one that matters. */
function linesIn(csv: string, wallet: RailWallet): RailLine[] | undefined {
  const [header, ...rows] = rowsIn(csv)
  if (header === undefined) return undefined
  const names = header.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''))
  const place = (wanted: string[]): number => names.findIndex((name) => wanted.includes(name))
  const at = Object.fromEntries(Object.entries(columns).map(([name, wanted]) => [name, place(wanted)]))
  if (Object.values(at).includes(-1)) return undefined
  const cell = (row: string[], name: keyof typeof columns | 'status'): string =>
    row[name === 'status' ? names.indexOf('status') : (at[name] ?? -1)]?.trim() ?? ''
  const changeLine = createChangeReader(wallet)
  const lines = rows.map((row) => {
    const [, sign = '', amount = ''] = /^([+-]?)(.*)$/.exec(cell(row, 'amount')) ?? []
    const [currency, atMs] = [cell(row, 'currency'), timeOf(cell(row, 'date'))]
    if (!isCurrency(currency) || atMs === undefined) return undefined
    const id = cell(row, 'id').toLowerCase()
    const type = cell(row, 'type')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, ' ')
      .trim()
    const common = { amount, currency, atMs, id, type }
    if (!/^(PAYOUT|DEPOSIT)S?$/.test(type)) return changeLine({ ...common, sign })
    return paymentLine(common, states.get(cell(row, 'status').toUpperCase()))
  })
  return lines.includes(undefined) ? undefined : lines.filter((line) => line !== null && line !== undefined)
}

/** `amount` has no sign; `type` is in capitals, with single spaces. */
type StatementRow = { amount: string; currency: Currency; atMs: number; id: string; type: string }

/** A payment whose row has no status counts as pending: it may have failed later. Null for a failed deposit. */
function paymentLine({ amount: text, type, id, ...row }: StatementRow, state: RailLine['state'] | undefined) {
  const amount = amountIn(text, row.currency)
  if (amount === undefined || id === '') return undefined
  const line = { ...row, amount, lineId: id, reference: id, fee: null, accountNumber: null }
  if (type.startsWith('PAYOUT')) return payoutLine({ ...line, state: state ?? 'pending' })
  return state === 'failed' ? null : depositLine({ ...line, state: state === 'succeeded' ? state : 'pending' })
}

/**
 * Reads the rows of one statement that are no payments. Only types whose meaning is certain are booked; our staff
 * review the others. Type, id, time and wallet identify a row: two wallets may be topped up in the same second, without
 * an id, and one payment may have fees on two days.
 */
function createChangeReader({ country: code, currency: held, provider }: RailWallet) {
  const country = countryOf(code)
  const wallet = [country, held, ...(provider === null ? [] : [provider])].join(' ')
  const repeats = new Map<string, number>()
  return ({ amount: text, sign, id, type, currency, atMs }: StatementRow & { sign: string }): RailLine | undefined => {
    const exact = millionthsIn(text, currency)
    if (exact === undefined) return undefined
    const name = [type, ...(id === '' ? [] : [id]), new Date(atMs).toISOString(), wallet].join(' ')
    const place = (repeats.get(name) ?? 0) + 1
    repeats.set(name, place)
    const lineId = place === 1 ? name : `${name} ${place}`
    const known = knownChanges.find((change) => change.type.test(type))
    const usual = known?.direction ?? 'in'
    const direction = sign === '' ? usual : sign === '-' ? ('out' as const) : ('in' as const)
    const common = { lineId, currency, country, direction, atMs, balanceAfter: null, ...wholeAndFraction(exact) }
    if (known === undefined) return unexplainedLine({ ...common, reference: type })
    return ledgerLine({ ...common, reference: id, cause: known.cause })
  }
}

/**
 * No document lists the types. These are parts of a wallet's breakdown (documentation of the dashboard), and their
 * direction is certain. The other parts can go either way or concern a payer: adjustments, compensations, refunds,
 * split payments, remittances.
 */
const knownChanges: { type: RegExp; cause: 'fee' | 'other'; direction: RailLine['direction'] }[] = [
  { type: /^((DEPOSIT|PAYOUT|TRANSACTION) )?FEES?$/, cause: 'fee', direction: 'out' },
  { type: /^(WALLET )?TOP ?UPS?$/, cause: 'other', direction: 'in' },
  { type: /^(WALLET )?WITHDRAWALS?$/, cause: 'other', direction: 'out' },
]

/** A time without a zone is in UTC. */
function timeOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)) return undefined
  const isZoned = /(Z|[+-]\d\d:?\d\d)$/.test(text)
  const ms = Date.parse(text.replace(' ', 'T') + (isZoned ? '' : 'Z'))
  return Number.isNaN(ms) ? undefined : ms
}

/** Reads a CSV by RFC 4180. Returns no rows if any part of the CSV cannot be read. */
function rowsIn(csv: string): string[][] {
  const rows: string[][] = []
  let [row, readTo]: [string[], number] = [[], 0]
  // Sticky, so that reading ends at the first fault.
  for (const match of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy)) {
    const [text, quoted, plain = '', end = ''] = match
    readTo = match.index + text.length
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    if (row.length > 1) rows.push(row)
    row = []
  }
  return readTo === csv.length ? rows : []
}
