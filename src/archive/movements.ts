// Archives movements. The totals of a file are computed from its lines here and not in SQL, so that a file can be
// checked without a database.

import type { InLane } from '#platform/db/db.ts'
import {
  findLastEntry,
  insertSeal,
  monthlyMovements,
  readDigests,
  readSealed,
  type CauseDigest,
  type SealedSum,
} from '#ledger/archive.ts'
import { OperatorError } from '#platform/errors.ts'
import type { Uuid } from '#platform/ids.ts'
import type { ArchiveReading, ArchiveSource, ArchiveTotals, Month } from './source.ts'
import { createDigests } from './sum-digests.ts'

export const movements: ArchiveSource = {
  ...monthlyMovements,
  name: 'movements',
  // Any past month can be archived. If a payment is unfinished, its later movements belong to a later month.
  notYet: () => Promise.resolve(undefined),
  createTally,
  createReading: readingOf,
}

function readingOf(lane: InLane, month: Month): ArchiveReading {
  const tally = createTally(month)
  const digests = createDigests<CauseDigest>(({ tenantId, cause }) => `${tenantId} ${cause}`)
  const sealed = () => ({ sums: tally.sums(), digests: digests.all() })
  return {
    tally,
    compare: async (lines) => digests.add(await readDigests(lane, lines)),
    fault: async () => tally.breaks(await balancesBefore(lane, tally.sums(), month))[0],
    seal: (tx, head) => insertSeal(tx, { ...head, ...sealed() }),
    isSealed: async (until) => textOf(await readSealed(lane, until)) === textOf(sealed()),
  }
}

async function balancesBefore(
  lane: InLane,
  sums: SealedSum[],
  { since }: Month,
): Promise<Parameters<MovementTally['breaks']>[0]> {
  const left = new Map<string, BalanceAtEnd>()
  for (const { tenantId, currency } of sums.filter(({ name }) => name === 'available')) {
    const found = await findLastEntry(lane, { tenantId, currency, until: since })
    if (found !== undefined) left.set(`${tenantId} ${currency}`, found)
  }
  return (tenantId, currency) => left.get(`${tenantId} ${currency}`)
}

function textOf({ sums, digests }: { sums: SealedSum[]; digests: CauseDigest[] }): string {
  const lines = [
    ...sums.map((sum) => sumText(sum).join(' ')),
    ...digests.map(({ tenantId, cause, count, digest }) => `${tenantId} ${cause} ${count} ${digest}`),
  ]
  return lines.toSorted().join('\n')
}

// Totals of a month of movements: the sums of each account, and the first and last entry number of each account
// statement.

type MovementTally = ArchiveTotals & {
  sums(): SealedSum[]
  breaks(before: (tenantId: Uuid, currency: string) => BalanceAtEnd | undefined): string[]
}

type BalanceAtEnd = { through: bigint; balance: bigint }

type EntryRange = { tenantId: Uuid; currency: string; first: bigint; last: bigint; count: bigint; balance: bigint }

function createTally({ name, since, until }: Month): MovementTally {
  const sums = new Map<string, SealedSum>()
  const statements = new Map<string, EntryRange>()
  let rows = 0n
  let lastKey = ''

  function sumOf(tenantId: Uuid, currency: string, account: string): SealedSum {
    const key = `${tenantId} ${currency} ${account}`
    const nothing = { debits: 0n, credits: 0n, movements: 0n, lastEntry: null, balanceAfter: null }
    const sum = sums.get(key) ?? { tenantId, currency, name: account, ...nothing }
    sums.set(key, sum)
    return sum
  }

  function addEntry(sum: SealedSum, entry: bigint, balance: bigint): void {
    const { tenantId, currency } = sum
    const key = `${tenantId} ${currency}`
    const known = statements.get(key) ?? { tenantId, currency, first: entry, last: entry, count: 0n, balance }
    statements.set(key, known)
    known.count += 1n
    if (entry < known.first) known.first = entry
    if (entry >= known.last) [known.last, known.balance] = [entry, balance]
    sum.lastEntry = known.last
    sum.balanceAfter = known.balance
  }

  const sorted = (): SealedSum[] =>
    [...sums].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, sum]) => sum)

  return {
    add(line) {
      const row = parseRow(line)
      const key = row.tenantId + row.id
      const at = new Date(`${row.createdAt}Z`)
      if (!(key > lastKey) || !(at >= since && at < until))
        throw new OperatorError(`A row of ${name} is twice or out of its order or month: ${row.id}.`)
      lastKey = key
      rows += 1n
      const debited = sumOf(row.tenantId, row.currency, row.debit)
      const credited = sumOf(row.tenantId, row.currency, row.credit)
      debited.debits += row.amount
      credited.credits += row.amount
      debited.movements += 1n
      credited.movements += 1n
      const listed = [debited, credited].find((sum) => sum.name === 'available')
      if (listed !== undefined && row.entry !== null && row.balanceAfter !== null)
        addEntry(listed, row.entry, row.balanceAfter)
    },
    rows: () => rows,
    summary: () => sorted().map(sumText),
    sums: sorted,
    breaks: (before) =>
      [...statements.values()]
        .filter((statement) => !continuesWithoutGap(statement, sumOf, before(statement.tenantId, statement.currency)))
        .map(({ tenantId, currency }) => `the ${currency} entries of tenant ${tenantId} in ${name} do not follow`),
  }
}

/** Checks that the entry numbers continue without gaps, and that the balance changed by the sum of the amounts. */
function continuesWithoutGap(
  { tenantId, currency, first, last, count, balance }: EntryRange,
  sumOf: (tenantId: Uuid, currency: string, account: string) => SealedSum,
  { through, balance: left }: BalanceAtEnd = { through: 0n, balance: 0n },
): boolean {
  const { debits, credits } = sumOf(tenantId, currency, 'available')
  return first === through + 1n && last === through + count && balance === left + credits - debits
}

type ArchivedMovement = {
  tenantId: Uuid
  id: Uuid
  currency: string
  debit: string
  credit: string
  amount: bigint
  entry: bigint | null
  balanceAfter: bigint | null
  createdAt: string
}

function parseRow(line: string): ArchivedMovement {
  // The cells have the order of `movementColumns`.
  const cells = JSON.parse(line) as (string | null)[]
  const text = (at: number): string => cells[at] ?? ''
  const number = (at: number): bigint | null => (cells[at] === null ? null : BigInt(text(at)))
  return {
    tenantId: text(0) as Uuid,
    id: text(1) as Uuid,
    currency: text(2),
    debit: text(3),
    credit: text(4),
    amount: BigInt(text(5)),
    entry: number(9),
    balanceAfter: number(10),
    createdAt: text(11),
  }
}

function sumText(sum: SealedSum): (string | null)[] {
  const { tenantId, currency, name, lastEntry, balanceAfter } = sum
  const moved = [sum.debits, sum.credits, sum.movements].map(String)
  const end = [lastEntry?.toString() ?? null, balanceAfter?.toString() ?? null]
  return [tenantId, currency, name, ...moved, ...end]
}
