// The rows of a draft: reading them, their sums, the hash that people approve, and the flags for approvers.

import type { Details } from '#audit/entry.ts'
import type { Payments } from '#payments/service.ts'
import { present } from '#platform/assert.ts'
import type { Context, Tenant } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import { add, amountMax, toMoney, zero, type Currency, type Money } from '#platform/money.ts'
import { sha256 } from '#platform/secrets.ts'
import { dayMs } from '#platform/durations.ts'
import { emptyCells, markRepeatedReferences, readCells, type Cells, sameName, type PayeeKind } from './cells.ts'
import type { Proposer } from './drafts.ts'
import {
  changeDraft,
  findDraftByKey,
  insertDraft,
  insertRows,
  type DraftRow,
  type PayoutRow,
  type WrittenRow,
  findTwinsInDrafts,
} from './queries.ts'
import type { ScheduleTerms } from './schedule-queries.ts'
import { findChangedRecipients, type ChangedRecipient } from './recipients.ts'

type DraftStart = {
  tenant: Tenant
  person: Omit<Proposer, 'manager'>
  key: string
  title: string
  currency: Currency
  retryOf: Uuid | null
}
export type NumberedCells = { number: number; cells: Cells }

/** Returns undefined if a draft has this key already. `before`: rows whose names were looked up already. */
export async function startDraft(
  ctx: Context,
  tx: Tx,
  { tenant, person, key, title, currency, retryOf }: DraftStart,
  cells: NumberedCells[],
  before: PayoutRow[] = [],
): Promise<DraftRow | undefined> {
  const nowMs = ctx.clock.now()
  const id = newUuid(nowMs)
  const { personId: makerId, name: makerName, email: makerEmail } = person
  const draft = { id, key, title, currency, makerId, makerName, makerEmail, retryOf }
  if (!(await insertDraft(tx, tenant, draft, new Date(nowMs)))) return undefined
  const rows = readDraftRows(tenant, draft, cells, before)
  insertRows(tx, tenant, id, rows)
  changeDraft(tx, tenant, id, { ...sumOf(rows), fees: zero, status: 'editing', dueAt: resolvingAt(rows, nowMs) })
  return present(await findDraftByKey(tx, tenant, key), 'the draft was made a moment ago')
}

/**
 * Reads all rows again, also those that did not change: a reference that two rows share is an error of the later one,
 * so a change of one row can add or remove an error of another. A row that pays the same account as in `before` keeps
 * its looked-up name.
 */
export function readDraftRows(
  { environment }: Tenant,
  { id, currency }: Pick<DraftRow, 'id' | 'currency'>,
  cells: NumberedCells[],
  before: PayoutRow[],
): WrittenRow[] {
  const known = new Map(before.map((row) => [row.number, row]))
  const own = formatId('payoutDraft', id)
  const rows = cells.map(({ number, cells: written }) => ({
    number,
    written,
    read: readCells(written, { environment, currency, ownReference: `${own}-${number}` }),
  }))
  markRepeatedReferences(rows)
  return rows.map(({ number, written, read: { errors, ...read } }) => {
    const earlier = known.get(number)
    const { institution, accountNumber } = read
    const isSame = earlier?.institution === institution && earlier.accountNumber === accountNumber
    const { resolution, resolvedName } = isSame
      ? earlier
      : {
          resolution: institution === null || accountNumber === null ? ('none' as const) : ('due' as const),
          resolvedName: null,
        }
    const text = errors.length === 0 ? null : JSON.stringify(errors)
    return { ...read, number, cells: JSON.stringify(written), errors: text, resolution, resolvedName }
  })
}

/**
 * A sum that is too large to be paid becomes the smallest such sum, because the column cannot store a sum of any size.
 */
export function sumOf(rows: Pick<PayoutRow, 'amount'>[]): { rows: number; total: Money } {
  const total = rows.reduce((sum, { amount }) => add(sum, amount ?? zero), zero)
  return { rows: rows.length, total: total > amountMax ? toMoney(amountMax + 1n) : total }
}

/** The total in an entry of the audit log, where an amount without a currency is in naira. */
export function sumDetails({ total, currency }: Pick<DraftRow, 'total' | 'currency'>): Details {
  return { total: String(total), ...(currency === 'NGN' ? {} : { currency }) }
}

export function sumFees(
  { feeFor }: Pick<Payments, 'feeFor'>,
  currency: Currency,
  rows: Pick<PayoutRow, 'amount'>[],
): Money {
  return rows.reduce((sum, { amount }) => (amount === null ? sum : add(sum, feeFor(amount, currency))), zero)
}

export function resolvingAt(rows: Pick<PayoutRow, 'resolution'>[], nowMs: number): Date | null {
  return rows.some(({ resolution }) => resolution === 'due') ? new Date(nowMs) : null
}

export function cellsOf({ cells }: Pick<PayoutRow, 'cells'>): Cells {
  // Drafts of an earlier version have no cell for the currency.
  return emptyCells(JSON.parse(cells) as Partial<Cells>)
}

/**
 * The hash of everything that is paid: amounts, payees, references, and the times of a schedule. The hash of a draft in
 * naira does not include the currency, so that approvals from before there were other currencies hold.
 */
export function contentHashOf(
  { id: tenantId }: Pick<Tenant, 'id'>,
  { id, currency }: Pick<DraftRow, 'id' | 'currency'>,
  rows: PayoutRow[],
  terms?: ScheduleTerms,
): Buffer {
  const content = rows.map((row) => [
    row.number,
    row.kind,
    String(row.amount),
    row.institution,
    row.accountNumber,
    row.accountName,
    row.narration,
    row.reference,
  ])
  const when = terms === undefined ? [] : [[terms.repeats, terms.monthDay, terms.firstAt.toISOString(), terms.approval]]
  const head = currency === 'NGN' ? [1, tenantId, id] : [2, tenantId, id, currency]
  return sha256(JSON.stringify([...head, content, ...when]))
}

// Flags for the people who approve a draft. No flag stops a payout that they approve.

export const flagKinds = [
  'first-payout',
  'name-differs',
  'name-unknown',
  'name-changed',
  'amount-higher',
  'recipient-changed',
  'duplicate-in-draft',
  'duplicate-in-other-draft',
  'duplicate-payment',
] as const

type Flag = {
  kind: (typeof flagKinds)[number]
  says: string
  /** The reference of the earlier payment that the flag is about. */
  reference?: string
}

/** Kinds of flags on rows that may pay an account twice. The maker confirms how many rows have such a flag. */
const duplicates: Flag['kind'][] = ['duplicate-in-draft', 'duplicate-in-other-draft', 'duplicate-payment']

export type ReviewedRow = PayoutRow & { flags: Flag[] }

type PayeeAccount = { kind: PayeeKind; institution: string; accountNumber: string }
export type EarlierPayout = { reference: string; amount: Money; accountName: string | null; at: Date }

/** The latest payouts to each account, the newest first, by `payeeKey`. */
export type FindEarlierPayouts = (
  tenant: Tenant,
  payees: readonly PayeeAccount[],
) => Promise<ReadonlyMap<string, EarlierPayout[]>>

export function payeeKey({ institution, accountNumber }: Pick<PayeeAccount, 'institution' | 'accountNumber'>): string {
  return `${institution} ${accountNumber}`
}

/** An amount of at least this many times the largest recent one gets a flag. */
const unusualFactor = 2n

export async function reviewRows(
  { ctx, findEarlier }: { ctx: Context; findEarlier: FindEarlierPayouts },
  tenant: Tenant,
  draft: DraftRow,
  rows: PayoutRow[],
): Promise<ReviewedRow[]> {
  const payees = rows.filter(isPayable)
  const now = new Date(ctx.clock.now())
  const [earlier, twins, changed] = await Promise.all([
    findEarlier(tenant, payees),
    findTwinsInDrafts(ctx.db, tenant, draft, payees, now),
    findChangedRecipients(ctx.db, tenant, payees),
  ])
  const recipients = new Map(changed.map((one) => [payeeKey(one), one]))
  const otherDrafts = new Map(twins.map((twin) => [twinKey(twin), twin.title]))
  const firstRows = new Map<string, number>()
  return rows.map((row) => {
    if (!isPayable(row)) return { ...row, flags: [] }
    const key = twinKey(row)
    const first = firstRows.get(key)
    if (first === undefined) firstRows.set(key, row.number)
    // Leaves out the payment that this row itself has made.
    const before = (earlier.get(payeeKey(row)) ?? []).filter(({ reference }) => reference !== row.reference)
    const twin = before.find(({ amount, at }) => amount === row.amount && at.getTime() > now.getTime() - dayMs)
    const flags = [
      first === undefined
        ? undefined
        : repeated('duplicate-in-draft', `Row ${first} pays the same amount to this account.`),
      otherDraft(otherDrafts.get(key)),
      twin === undefined
        ? undefined
        : {
            ...repeated('duplicate-payment', `${twin.reference} paid the same amount to this account within 24 hours.`),
            reference: twin.reference,
          },
      ...nameFlags(row, before),
      amountFlag(row, before),
      recipientFlag(recipients.get(payeeKey(row))),
    ]
    return { ...row, flags: flags.filter((flag) => flag !== undefined) }
  })
}

export function countDuplicates(rows: ReviewedRow[]): number {
  return rows.filter(({ flags }) => flags.some(({ kind }) => duplicates.includes(kind))).length
}

type PayableRow = PayoutRow & { institution: string; accountNumber: string; amount: Money }

export function isPayable(row: PayoutRow): row is PayableRow {
  return row.institution !== null && row.accountNumber !== null && row.amount !== null
}

function twinKey(row: Pick<PayableRow, 'institution' | 'accountNumber' | 'amount'>): string {
  return `${payeeKey(row)} ${row.amount}`
}

function repeated(kind: Flag['kind'], says: string): Flag {
  return { kind, says }
}

function otherDraft(title: string | undefined): Flag | undefined {
  return title === undefined
    ? undefined
    : repeated('duplicate-in-other-draft', `The draft “${title}” pays the same amount to this account.`)
}

function nameFlags({ accountName, resolvedName, resolution }: PayableRow, before: EarlierPayout[]): Flag[] {
  const flags: Flag[] = []
  const [latest] = before
  if (latest === undefined) flags.push({ kind: 'first-payout', says: 'This account was never paid before.' })
  if (resolution === 'not-found') flags.push({ kind: 'name-unknown', says: 'The bank does not know this account.' })
  if (resolution === 'unavailable') flags.push({ kind: 'name-unknown', says: 'The bank did not confirm this account.' })
  if (resolvedName !== null && accountName !== null && !sameName(resolvedName, accountName))
    flags.push({ kind: 'name-differs', says: `The bank says that the account belongs to ${resolvedName}.` })
  const name = accountName ?? resolvedName
  if (name !== null && latest?.accountName !== null && latest !== undefined && !sameName(latest.accountName, name))
    flags.push({
      kind: 'name-changed',
      says: `The last payout to this account named ${latest.accountName}.`,
      reference: latest.reference,
    })
  return flags
}

function amountFlag({ amount }: PayableRow, before: EarlierPayout[]): Flag | undefined {
  const [latest] = before
  if (latest === undefined) return undefined
  const largest = before.reduce((most, payout) => (payout.amount > most ? payout.amount : most), latest.amount)
  if (amount < largest * unusualFactor) return undefined
  return { kind: 'amount-higher', says: 'At least twice the largest recent payout to this account.' }
}

function recipientFlag(changed: ChangedRecipient | undefined): Flag | undefined {
  if (changed === undefined) return undefined
  const { name, changedBy, changedAt, accountName } = changed
  const day = changedAt.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'Africa/Lagos' })
  const approved = 'No payout to it was approved since.'
  if (changedBy === null)
    return {
      kind: 'recipient-changed',
      says:
        accountName === null
          ? `The bank has not known the account of the recipient ${name} since ${day}. ${approved}`
          : `The bank named another holder of the account of the recipient ${name} on ${day}: ${accountName}. ${approved}`,
    }
  return {
    kind: 'recipient-changed',
    says: `${changedBy} changed the account of the recipient ${name} on ${day}. ${approved}`,
  }
}
