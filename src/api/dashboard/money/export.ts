// Exports a list as CSV or XLSX, or the statement as PDF: all rows that match the page's filters, in the chosen columns and
// time zone. The range is fixed at the start, so rows that are added meanwhile are left out and none appears twice. Also
// has the endpoint for the receipt of a payout.

import { z } from 'zod'
import { type Permission, judge } from '#api/dashboard/permissions.ts'
import { byteOrderMark, csvLine, piecesOf, type Cell } from '#api/dashboard/csv.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint, type Download } from '#api/dashboard/endpoint.ts'
import { receiptPdf } from '#api/dashboard/pdf/receipt.ts'
import { statementPdf, statementRowsMax } from '#api/dashboard/pdf/statement.ts'
import { sheetRowsMax, xlsx } from '#api/dashboard/xlsx.ts'
import { archivedError, fromParameter, text, toParameter, validationError } from '#api/server/fields.ts'
import type { Rooms } from '#api/server/routes.ts'
import { readLogo } from '#businesses/logo.ts'
import { isTimeZone, readSettings } from '#businesses/settings.ts'
import { depositData, depositStatuses } from '#deposits/deposit.ts'
import { type EndedFilter, walkDeposits, walkEndedDeposits } from '#deposits/list.ts'
import { walkPayments } from '#payments/list.ts'
import { paymentData } from '#payments/wire.ts'
import type { Context, Tenant } from '#platform/context.ts'
import type { TimeRange } from '#platform/db/numbered-list.ts'
import { ApiError } from '#platform/errors.ts'
import type { Uuid } from '#platform/ids.ts'
import { decimalsOf, toWire, type Currency } from '#platform/money.ts'
import { accountStatuses, accountTypes, accountData, customerData } from '#virtual-accounts/account.ts'
import { walkAccounts, walkCustomers } from '#virtual-accounts/list.ts'
import { endedDepositsOf, paymentFilterOf, paymentFilterParameters, paymentNouns, type PaymentNoun } from './search.ts'
import { walkStatementLines } from './statement.ts'

/** `money`: an amount in the minor unit, written in the major unit of the row's currency. `time`: written twice, in UTC and in the chosen time zone. */
export type ColumnKind = 'text' | 'money' | 'number' | 'time'

type Filters = TimeRange & {
  [Name in keyof typeof paymentFilterParameters]?: z.output<(typeof paymentFilterParameters)[Name]>
} & {
  type?: string | undefined
  accountNumber?: string | undefined
  customerReference?: string | undefined
}

/** A record as the API shows it. Fields that are not among the columns are left out. */
export type ExportRow = Record<string, unknown>

type ExportNoun = {
  columns: Record<string, ColumnKind>
  statuses: readonly string[]
  /** Needed in addition to the permission to export. */
  permission: Permission
  /**
   * Returns at least the number of rows, which decides whether a second factor is needed and whether the format can
   * hold the rows. Throws if the filters are wrong: an error from `walk` would come after the audit entry was written.
   */
  count(rooms: Rooms, tenant: Tenant, filters: Filters): Promise<number>
  walk(ctx: Pick<Context, 'db'>, tenant: Tenant, filters: Filters): AsyncGenerator<ExportRow[]>
}

const first = { page: 1, limit: 1 }
const named = { id: 'text', reference: 'text', status: 'text' } as const
const dated = { createdAt: 'time', updatedAt: 'time' } as const
const moved = { amount: 'money', fee: 'money', totalDebit: 'money', currency: 'text' } as const

const payments = (noun: PaymentNoun, columns: ExportNoun['columns']): ExportNoun => ({
  columns: {
    ...named,
    ...columns,
    failureReason: 'text',
    narration: 'text',
    metadata: 'text',
    ...dated,
    completedAt: 'time',
  },
  statuses: paymentNouns[noun].statuses,
  permission: 'payments.see',
  count: async (rooms, tenant, { from, before, ...asked }) => {
    const { status, endedBefore } = paymentFilterOf(noun, asked)
    const question = { ...first, from, before: before ?? endedBefore, status }
    return (await rooms.payments.list(tenant, paymentNouns[noun].kind, question)).total
  },
  walk: (ctx, tenant, { from, before, ...asked }) => {
    const filter = paymentFilterOf(noun, asked)
    return mapped(walkPayments(ctx, tenant, paymentNouns[noun].kind, { from, before, filter }), () => true, paymentData)
  },
})

const exportNouns: Record<string, ExportNoun> = {
  transfers: payments('transfers', {
    ...moved,
    bankSlug: 'text',
    bankName: 'text',
    accountNumber: 'text',
    accountName: 'text',
    sessionId: 'text',
  }),
  'momo-transfers': payments('momo-transfers', {
    ...moved,
    phoneNumber: 'text',
    accountNumber: 'text',
    accountReference: 'text',
    operator: 'text',
    accountName: 'text',
    operatorReference: 'text',
  }),
  collections: payments('collections', {
    amount: 'money',
    fee: 'money',
    currency: 'text',
    phoneNumber: 'text',
    operator: 'text',
    operatorReference: 'text',
    depositReference: 'text',
  }),
  deposits: {
    columns: {
      ...named,
      amount: 'money',
      fee: 'money',
      currency: 'text',
      ...allRows('senderAccountName', 'senderAccountNumber', 'senderBankName', 'recipientAccountName'),
      ...allRows('recipientAccountNumber', 'recipientBankName', 'narration'),
      ...dated,
    },
    statuses: depositStatuses,
    permission: 'payments.see',
    count: async (rooms, tenant, { status, ...question }) => {
      endedFilterOf(question)
      const wanted = status as (typeof depositStatuses)[number]
      return (await rooms.deposits.list(tenant, { ...first, ...question, status: wanted })).total
    },
    walk: (ctx, tenant, filters) => {
      const { status, accountNumber, customerReference, currency, from, before } = filters
      const ended = endedFilterOf(filters)
      return mapped(
        ended === undefined ? walkDeposits(ctx, tenant, { from, before }) : walkEndedDeposits(ctx, tenant, ended),
        (one) =>
          (status === undefined || one.status === status) &&
          (currency === undefined || one.currency === currency) &&
          (accountNumber === undefined || one.accountNumber === accountNumber) &&
          (customerReference === undefined || one.customerReference === customerReference),
        depositData,
      )
    },
  },
  customers: {
    columns: {
      id: 'text',
      reference: 'text',
      ...allRows('firstName', 'lastName', 'email', 'phoneNumber', 'status'),
      metadata: 'text',
      ...dated,
    },
    statuses: [],
    permission: 'payments.see',
    count: async (rooms, tenant) => (await rooms.customers.list(tenant, first)).total,
    walk: (ctx, tenant) => mapped(walkCustomers(ctx, tenant), () => true, customerData),
  },
  'virtual-accounts': {
    columns: {
      ...allRows(
        'id',
        'type',
        'reference',
        'accountNumber',
        'accountName',
        'bankName',
        'bankSlug',
        'currency',
        'status',
      ),
      amount: 'money',
      amountPolicy: 'text',
      expiresAt: 'time',
      metadata: 'text',
      ...dated,
    },
    statuses: accountStatuses,
    permission: 'payments.see',
    count: async (rooms, tenant, { status, type, customerReference }) =>
      (
        await rooms.accounts.list(tenant, {
          ...first,
          customerReference,
          status: status as (typeof accountStatuses)[number],
          type: type as (typeof accountTypes)[number],
        })
      ).total,
    walk: (ctx, tenant, { status, type, customerReference }) =>
      mapped(
        walkAccounts(ctx, tenant),
        (one) =>
          (status === undefined || one.status === status) &&
          (type === undefined || one.type === type) &&
          (customerReference === undefined || one.customer?.reference === customerReference),
        accountData,
      ),
  },
  statement: {
    columns: {
      number: 'number',
      createdAt: 'time',
      what: 'text',
      reference: 'text',
      in: 'money',
      out: 'money',
      balanceAfter: 'money',
      ...allRows('counterparty', 'accountNumber', 'institution', 'sessionId'),
    },
    statuses: [],
    permission: 'balance.see',
    count: async (rooms, tenant, { currency = 'NGN', ...time }) => {
      const counted = await rooms.ledger.countWhole(tenant, currency, time)
      if (counted.kind === 'archived') throw archivedError(counted)
      return counted.count
    },
    walk: (ctx, tenant, { currency = 'NGN', ...time }) =>
      mapped(
        walkStatementLines(ctx, tenant, currency, time),
        () => true,
        (entry) => ({
          currency,
          number: Number(entry.number),
          createdAt: entry.createdAt.toISOString(),
          what: entry.type,
          reference: entry.reference,
          in: toWire(entry.in),
          out: toWire(entry.out),
          balanceAfter: toWire(entry.balanceAfter),
          counterparty: entry.counterparty?.name,
          accountNumber: entry.counterparty?.account,
          institution: entry.counterparty?.institution,
          sessionId: entry.counterparty?.sessionId,
        }),
      ),
  },
}

function endedFilterOf({ endedFrom, endedTo, currency }: Filters): EndedFilter | undefined {
  if (endedFrom === undefined && endedTo === undefined) return undefined
  return endedDepositsOf({ endedFrom, endedTo, currency })
}

const exportFilters = z.object({
  ...paymentFilterParameters,
  type: z.enum(accountTypes, `must be one of ${accountTypes.join(', ')}`).optional(),
  accountNumber: text(100).optional(),
  customerReference: text(100).optional(),
})

async function* mapped<T>(
  pages: AsyncGenerator<T[]>,
  isWanted: (one: T) => boolean,
  show: (one: T) => ExportRow,
): AsyncGenerator<ExportRow[]> {
  for await (const page of pages) yield page.filter(isWanted).map(show)
}

function allRows(...names: string[]): Record<string, 'text'> {
  return Object.fromEntries(names.map((name) => [name, 'text']))
}

const rowsWithoutStepUp = 10_000

export function exportEndpoint({ ctx, rooms, acts }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/export/:file',
    permission: 'export',
    params: z.object({ file: z.string() }),
    query: exportFilters.extend({
      from: fromParameter,
      to: toParameter,
      columns: z.string('must be given once').optional(),
      zone: z.string('must be given once').refine(isTimeZone, 'must be the zone of a place').default('Africa/Lagos'),
      // The browser's download of a file cannot ask the user for a code, so the page first sends the request with `check=1`.
      check: z.literal('1', 'must be 1').optional(),
    }),
    handle: async ({ business, role, tenant, params: { file }, query, by, requireStepUp }) => {
      const { to: before, columns, zone, check, currency, ...rest } = query
      const { name, noun, format } = nounOf(file)
      if (judge(noun.permission, role, tenant.environment) === 'no')
        throw new ApiError('FORBIDDEN', `Your role, ${role}, cannot export this.`)
      requireStatus(noun, rest.status)
      const chosen = columnsOf(noun, columns)
      const filters = { ...rest, before, currency }
      const rows = await noun.count(rooms, tenant, filters)
      if (rows > rowsWithoutStepUp && tenant.environment === 'production') requireStepUp()
      requireRoom(format, rows, chosen)
      if (check !== undefined) return { data: { rows } }
      const details = {
        noun: name,
        rows,
        columns: Object.keys(chosen),
        // The logged `to` is included and `before` is excluded, so one millisecond is taken off.
        ...loggedFilters({ ...rest, to: before === undefined ? undefined : new Date(before.getTime() - 1) }),
        ...(currency === undefined || currency === 'NGN' ? {} : { currency }),
      }
      await acts.write({ by: by(), act: 'data.exported', tenantId: tenant.id, details })
      if (format === 'pdf') {
        const pieces = await statementIn(ctx, business, tenant, {
          from: query.from,
          before,
          currency: currency ?? 'NGN',
        })
        return { data: {}, download: { name: file, type: pdfType, pieces } }
      }
      const hasOne = currency !== undefined || name === 'statement' || (await hasNairaOnly(rooms, tenant))
      const heading = hasOne ? (currency ?? 'NGN') : null
      const { heads, rows: cells } = tableOf(noun.walk(ctx, tenant, filters), chosen, { zone, currency: heading })
      const content: Omit<Download, 'name'> =
        format === 'xlsx'
          ? { type: xlsxType, pieces: xlsx(heads, cells) }
          : { type: 'text/csv; charset=utf-8', pieces: piecesOf(linesOf(heads, cells)) }
      return { data: {}, download: { name: file, ...content } }
    },
  })
}

type StatementPeriod = TimeRange & { currency: Currency }

async function statementIn(
  ctx: Context,
  business: Uuid,
  tenant: Tenant,
  { currency, ...period }: StatementPeriod,
): Promise<Download['pieces']> {
  const [settings] = await readSettings(ctx, [business])
  const lines = walkStatementLines(ctx, tenant, currency, period)
  const { environment } = tenant
  const logo = await readLogo(ctx, business)
  return statementPdf({ business: settings?.name ?? '', logo, environment, currency, ...period, lines })
}

async function hasNairaOnly({ ledger }: Rooms, tenant: Tenant): Promise<boolean> {
  return (await ledger.balances(tenant)).length === 1
}

const pdfType = 'application/pdf'
const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/**
 * The most rows of an XLSX file with the column `metadata`. The sheet must be smaller than 4 GiB, which is 17 kB a row, and
 * the metadata of a row has up to 12,000 characters.
 */
const metadataRowsMax = 250_000

function requireRoom(format: Format, rows: number, columns: Columns): void {
  if (format === 'csv') return
  const hasMetadata = format === 'xlsx' && Object.hasOwn(columns, 'metadata')
  const most = format === 'pdf' ? statementRowsMax : hasMetadata ? metadataRowsMax : sheetRowsMax
  if (rows <= most) return
  const message = hasMetadata
    ? `An XLSX file with the column metadata can have ${most} rows and this export has ${rows}. Export as CSV, leave out metadata, or choose fewer days.`
    : `The file can have ${most} rows and this export has ${rows}. Export as CSV, or choose fewer days.`
  throw validationError([{ field: 'file', message }])
}

type Format = 'csv' | 'xlsx' | 'pdf'

function nounOf(file: string): { name: string; noun: ExportNoun; format: Format } {
  const [, name = '', format] = /^([a-z-]+)\.(csv|xlsx|pdf)$/.exec(file) ?? []
  const noun = Object.hasOwn(exportNouns, name) ? exportNouns[name] : undefined
  if (noun === undefined || (format === 'pdf' && name !== 'statement'))
    throw new ApiError(
      'NOT_FOUND',
      `There is no such export. There are ${Object.keys(exportNouns).join(', ')}, each as .csv or .xlsx, and statement.pdf.`,
    )
  return { name, noun, format: format === 'xlsx' || format === 'pdf' ? format : 'csv' }
}

function requireStatus({ statuses }: ExportNoun, status: string | undefined): void {
  if (status === undefined || statuses.includes(status)) return
  throw validationError([
    { field: 'status', message: `status must be one of ${statuses.join(', ')}`, code: 'not_allowed' },
  ])
}

type Columns = Record<string, ColumnKind>

function columnsOf({ columns: all }: ExportNoun, asked: string | undefined): Columns {
  if (asked === undefined) return all
  const names = asked.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(all, name))
  if (unknown !== undefined)
    throw validationError([
      { field: 'columns', message: `columns must be some of ${Object.keys(all).join(', ')}`, code: 'not_allowed' },
    ])
  return Object.fromEntries(names.map((name) => [name, all[name] ?? 'text']))
}

/**
 * The filters as the audit log stores them. The texts of a search for a payee or metadata are left out, because they may
 * identify a person and the audit log is kept forever.
 */
function loggedFilters({
  metadata,
  payee,
  ...filters
}: Record<string, string | bigint | Date | undefined>): Record<string, string> {
  const texts: Record<string, string> = {
    ...(metadata === undefined ? {} : { metadata: 'a text' }),
    ...(payee === undefined ? {} : { payee: 'a text' }),
  }
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined) texts[name] = value instanceof Date ? value.toISOString() : String(value)
  return texts
}

type ExportTable = { heads: string[]; rows: AsyncGenerator<Cell[]> }

/** `currency` is named in the headers of the amount columns; null if the rows have several currencies. */
export function tableOf(
  pages: AsyncGenerator<ExportRow[]>,
  columns: Columns,
  { zone, currency }: { zone: string; currency: Currency | null },
): ExportTable {
  const local = localTimes(zone)
  const entries = Object.entries(columns)
  async function* rows(): AsyncGenerator<Cell[]> {
    for await (const page of pages)
      for (const row of page) yield entries.flatMap(([name, kind]) => cellsOf(row, { name, kind }, local))
  }
  return { heads: entries.flatMap(([name, kind]) => headsOf(name, kind, { zone, currency })), rows: rows() }
}

export async function* linesOf(heads: readonly string[], rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(heads)
  for await (const row of rows) yield csvLine(row)
}

type Heads = { zone: string; currency: Currency | null }

function headsOf(name: string, kind: ColumnKind, { zone, currency }: Heads): string[] {
  if (kind === 'time') return [`${name} (UTC)`, `${name} (${zone})`]
  return [kind === 'money' && currency !== null ? `${name} (${currency})` : name]
}

function cellsOf(
  row: ExportRow,
  { name, kind }: { name: string; kind: ColumnKind },
  local: (time: string) => string,
): Cell[] {
  const value = row[name]
  if (value === null || value === undefined) return kind === 'time' ? [null, null] : [null]
  switch (kind) {
    case 'time':
      return [value as string, local(value as string)]
    case 'money':
      return [{ decimal: decimalOf(BigInt(value as number), row['currency'] as Currency | undefined) }]
    case 'number':
      return [value as number]
    case 'text':
      return [typeof value === 'string' ? value : JSON.stringify(value)]
  }
}

/** The amount in major units, without floating point. Exported amounts are never negative. */
function decimalOf(amount: bigint, currency: Currency = 'NGN'): string {
  const decimals = decimalsOf(currency)
  if (decimals === 0) return String(amount)
  const unit = 10n ** BigInt(decimals)
  return `${amount / unit}.${String(amount % unit).padStart(decimals, '0')}`
}

/** Formats times as spreadsheets read them: `2026-01-31 13:00:00`. */
function localTimes(timeZone: string): (time: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (time) => format.format(new Date(time))
}

export function receiptEndpoint({ ctx, rooms }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/payments/:reference/receipt',
    permission: 'payments.see',
    params: z.object({ reference: z.string() }),
    handle: async ({ business, tenant, params: { reference } }) => {
      const payment =
        (await rooms.payments.read(tenant, 'bank_transfer', reference)) ??
        (await rooms.payments.read(tenant, 'momo_transfer', reference))
      if (payment === undefined) throw new ApiError('NOT_FOUND', 'There is no payout with this reference.')
      if (payment.status !== 'SUCCESS') throw new ApiError('CONFLICT', 'Only a payout that succeeded has a receipt.')
      const [settings] = await readSettings(ctx, [business])
      const { environment } = tenant
      const logo = await readLogo(ctx, business)
      const pieces = receiptPdf({ payment, business: settings?.name ?? '', logo, environment })
      return { data: {}, download: { name: `receipt-${payment.reference}.pdf`, type: pdfType, pieces } }
    },
  })
}
