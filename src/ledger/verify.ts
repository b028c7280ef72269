// Proves the books anew from the movements. It reads one snapshot, so it can run beside live traffic, and page by page,
// so that neither a statement nor this process ever holds more than a page, however many rows there are.
//
// What must hold is a list. A room whose rows promise something about money adds its own entries to it.

import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { checkBalances, checkEntries, checkNegatives, checkTotals } from './verify-checks.ts'
import { lanesWithRows } from './sql-verify.ts'

export type Breach = {
  invariant: string
  tenantId?: string
  /** What is wrong, the first 100 of it: movements by id, accounts by currency and name. */
  ids: string[]
  message: string
}

export type Invariant = {
  /** What holds, as a sentence. */
  name: string
  /** Looks at the rows of one lane. */
  run: (check: Check) => Promise<void>
}

export type Check = {
  tx: Tx
  lane: number
  /** How many rows a statement may look at, so that it ends soon. */
  rowsPerPage: number
  /** Findings of one tenant with one message are told as one. */
  report: (finding: Finding) => void
  /** So many rows more were looked at. */
  progress: (rows: number) => void
}

/** `count` is how many there are when `ids` does not list them all. */
export type Finding = { tenantId?: Uuid; ids: string[]; count?: number; message: string }

export const ledgerInvariants: Invariant[] = [
  { name: 'the totals of an account are the sums of its movements', run: checkTotals },
  { name: 'the balances of a tenant and currency sum to zero', run: checkBalances },
  { name: 'available and reserved are never negative', run: checkNegatives },
  { name: 'entries are dense from 1, and each balance follows from the one before', run: checkEntries },
]

export type VerifyOptions = {
  /** What must hold; the ledger's own when left out. */
  invariants?: Invariant[]
  onProgress?: (done: { checked: number; what: string }) => void
  rowsPerPage?: number
}

export function verifyLedger(ctx: Context, options: VerifyOptions = {}): Promise<Breach[]> {
  const { invariants = ledgerInvariants, rowsPerPage = 20_000 } = options
  return ctx.db.snapshot(async (tx) => {
    const breaches: Breach[] = []
    for (const { name, run } of invariants) {
      const findings = createFindings()
      let checked = 0
      const progress = (rows: number): void => {
        checked += rows
        options.onProgress?.({ checked, what: name })
      }
      for await (const lane of lanesWithRows(tx)) {
        await run({ tx, lane, rowsPerPage, report: findings.add, progress })
      }
      breaches.push(...findings.told(name))
    }
    return breaches
  })
}

const idsMax = 100
const findingsMax = 1_000

type Gathered = { tenantId?: Uuid; ids: string[]; count: number; message: string }

/** Bounded: books that are wrong everywhere must not fill the memory of the one who looks. */
function createFindings() {
  const gathered = new Map<string, Gathered>()
  let untold = 0
  return {
    add({ tenantId, ids, count = ids.length, message }: Finding): void {
      const key = `${tenantId} ${message}`
      const known = gathered.get(key)
      if (known === undefined && gathered.size >= findingsMax) {
        untold += 1
        return
      }
      const listed = [...(known?.ids ?? []), ...ids].slice(0, idsMax)
      const whose = tenantId === undefined ? {} : { tenantId }
      gathered.set(key, { ...whose, ids: listed, count: (known?.count ?? 0) + count, message })
    },
    told(invariant: string): Breach[] {
      const told = [...gathered.values()].map(({ count, message, ...rest }) => {
        const more = count > rest.ids.length ? ` (${count} in all, the first ${rest.ids.length} are listed)` : ''
        return { invariant, ...rest, message: message + more }
      })
      if (untold > 0) told.push({ invariant, ids: [], message: `and ${untold} findings more, which are not listed` })
      return told
    },
  }
}
