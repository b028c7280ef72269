// The rows of a draft: what they add up to, and the hash that people approve.

import type { Payments } from '#payments/service.ts'
import { present } from '#platform/assert.ts'
import type { Context, Tenant } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import { add, zero, type Currency, type Money } from '#platform/money.ts'
import { sha256 } from '#platform/secrets.ts'
import { emptyCells, markRepeatedReferences, readCells, type Cells } from './cells.ts'
import type { Proposer } from './drafts.ts'
import {
  changeDraft,
  findDraftByKey,
  insertDraft,
  insertRows,
  type DraftRow,
  type PayoutRow,
  type WrittenRow,
} from './queries.ts'
import type { ScheduleTerms } from './schedule-queries.ts'

export type DraftStart = {
  tenant: Tenant
  person: Omit<Proposer, 'manager'>
  key: string
  title: string
  currency: Currency
  retryOf: Uuid | null
}
export type NumberedCells = { number: number; cells: Cells }

/** `before`: rows whose names the banks gave already. */
export async function startDraft(
  ctx: Context,
  tx: Tx,
  { tenant, person, key, title, currency, retryOf }: DraftStart,
  cells: NumberedCells[],
  before: PayoutRow[] = [],
): Promise<DraftRow> {
  const nowMs = ctx.clock.now()
  const id = newUuid(nowMs)
  const { personId: makerId, name: makerName, email: makerEmail } = person
  const draft = { id, key, title, currency, makerId, makerName, makerEmail, retryOf }
  if (await insertDraft(tx, tenant, draft, new Date(nowMs))) {
    const rows = judgeRows(tenant, draft, cells, before)
    insertRows(tx, tenant, id, rows)
    changeDraft(tx, tenant, id, { ...sumOf(rows), fees: zero, status: 'editing', dueAt: resolvingAt(rows, nowMs) })
  }
  return present(await findDraftByKey(tx, tenant, key), 'the draft was made a moment ago')
}

/** Reads all rows again, because the rows of a draft can depend on each other. */
export function judgeRows(
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

export function sumOf(rows: Pick<PayoutRow, 'amount'>[]): { rows: number; total: Money } {
  return { rows: rows.length, total: rows.reduce((sum, { amount }) => add(sum, amount ?? zero), zero) }
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
  // Drafts that were made before there was a column for the currency have none.
  return emptyCells(JSON.parse(cells) as Partial<Cells>)
}

/**
 * The hash of everything that is paid: what, to whom, under which reference, and when if it is a schedule. Drafts in naira
 * keep the hash that they had before there were other currencies, so that their approvals hold.
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
