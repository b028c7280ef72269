// What people look at before a draft is sent: rows that differ from what was paid before. None of it stops a payout.

import type { Context, Tenant } from '#platform/context.ts'
import { dayMs } from '#platform/durations.ts'
import type { Money } from '#platform/money.ts'
import { sameName, type PayeeKind } from './cells.ts'
import { findChangedRecipients, type ChangedRecipient } from './recipients.ts'
import { findTwinsInDrafts, type DraftRow, type PayoutRow } from './queries.ts'

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

export type Flag = {
  kind: (typeof flagKinds)[number]
  says: string
  /** Of the earlier payment that it is about. */
  reference?: string
}

/** Kinds that may pay an account twice. The maker confirms how many rows have one. */
const duplicates: Flag['kind'][] = ['duplicate-in-draft', 'duplicate-in-other-draft', 'duplicate-payment']

export type ReviewedRow = PayoutRow & { flags: Flag[] }

export type PayeeAccount = { kind: PayeeKind; institution: string; accountNumber: string }
export type EarlierPayout = { reference: string; amount: Money; accountName: string | null; at: Date }

/** The latest payouts to each account, the newest first, by `payeeKey`. */
export type FindEarlierPayouts = (
  tenant: Tenant,
  payees: readonly PayeeAccount[],
) => Promise<ReadonlyMap<string, EarlierPayout[]>>

export function payeeKey({ institution, accountNumber }: Pick<PayeeAccount, 'institution' | 'accountNumber'>): string {
  return `${institution} ${accountNumber}`
}

/** An amount this many times the largest recent one is pointed out. */
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
    // Its own payment is no earlier one.
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
  return { kind: 'amount-higher', says: 'More than twice the largest recent payout to this account.' }
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
