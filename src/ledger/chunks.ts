// A snapshot that answers no more once it is old, and whose last statement is cut when it takes too long.

import { inLane, isTooLong, type Db, type InLane } from '#platform/db/db.ts'
import { firstUuid, uuidAfter, uuidBefore, type Uuid } from '#platform/ids.ts'
import type { Check } from './invariant.ts'
import type { Pace } from './table-scan.ts'
import { accountPages, type AccountTotals } from './verify-queries.ts'
import type { Finding } from './verify.ts'

/**
 * No snapshot gets older. With one open, acceptance fell to 55 % within 60 s, because vacuum takes nothing away that the
 * snapshot may still see, and the scan for due payments walks over it.
 */
const snapshotMsMax = 30_000
/** What a statement may take, also the last one: a hundred times as long as a page does. */
const statementMsMax = 15_000

class SnapshotEnded extends Error {}

export function takeSnapshot(
  db: Db,
  number: number,
  { pace, ms = snapshotMsMax - statementMsMax }: { pace: Pace; ms?: number | undefined },
): Check['atOneMoment'] {
  return async (work) => {
    try {
      return await db.snapshot((tx) => {
        const startMs = performance.now()
        const lane = inLane(tx, number)
        return work({
          lane: number,
          query: (what, values) =>
            pace(() => {
              if (performance.now() - startMs > ms) throw new SnapshotEnded('the snapshot is old')
              return lane.query(what, values)
            }),
        })
      }, statementMsMax)
    } catch (error) {
      if (error instanceof SnapshotEnded || isTooLong(error)) return undefined
      throw error
    }
  }
}

// How a proof over a whole lane is cut into pieces that are proved one by one, so that no snapshot gets old: a snapshot
// holds back vacuum in the whole database, and acceptance slows down with its age (docs/ledger.md has the proof of it all).
//
// A piece is some tenants with few movements, all of whose rows are read in one snapshot; or one large tenant, for which
// the proof has a way that needs no snapshot of all its rows.

type Proof = {
  /** All rows of the tenants from `check.from` to `check.upTo`, which `check.lane` shows as they were at one moment. */
  ofSome: (check: Check) => Promise<void>
  /** `check.lane` shows a later moment with each statement; `check.from` and `check.upTo` are the one tenant. */
  ofLarge: (check: Check, tenantId: Uuid) => Promise<void>
}

export async function prove(check: Check, proof: Proof): Promise<void> {
  for await (const piece of piecesOf(check)) await provePiece(check, piece, proof)
}

async function provePiece(check: Check, piece: Piece, proof: Proof): Promise<void> {
  const { from, upTo, rows } = piece
  if (piece.isLarge) return proof.ofLarge({ ...check, from, upTo }, from)
  // What a snapshot that ends early has found is found again.
  const findIn = async (lane: InLane): Promise<Finding[]> => {
    const found: Finding[] = []
    await proof.ofSome({ ...check, lane, from, upTo, report: (finding) => found.push(finding) })
    return found
  }
  const findings = await check.atOneMoment(findIn)
  if (findings !== undefined) return findings.forEach(check.report)
  // The totals of the accounts promised fewer rows, or the machine is slow.
  if (rows > 0) return prove({ ...check, from, upTo, rowsPerSnapshot: 0 }, proof)
  // Between two tenants there is nothing at any moment.
  if ((await findIn(check.lane)).length === 0) return
  const message = `tenants from ${from} to ${upTo} have no accounts, but more rows than can be read at one moment`
  check.report({ ids: [], message })
}

/** `rows`: by what the accounts say; a tenant has one at least. */
type Piece = { from: Uuid; upTo: Uuid; isLarge: boolean; rows: number }

/** Between two pieces lies no tenant: rows of one that does not exist are in some piece too. */
async function* piecesOf(check: Check): AsyncGenerator<Piece> {
  for await (const { accounts, upTo, ...page } of accountPages(check)) {
    let { from } = page
    let rows = 0
    for (const [tenantId, rowsOfTenant] of rowsByTenant(accounts)) {
      if (rows + rowsOfTenant > check.rowsPerSnapshot) {
        if (from < tenantId) yield { from, upTo: uuidBefore(tenantId), isLarge: false, rows }
        from = tenantId
        rows = 0
      }
      if (rowsOfTenant > check.rowsPerSnapshot) {
        yield { from: tenantId, upTo: tenantId, isLarge: true, rows: rowsOfTenant }
        from = uuidAfter(tenantId)
      } else rows += rowsOfTenant
    }
    if (from <= upTo) yield { from, upTo, isLarge: false, rows }
  }
}

/** By what the accounts say, which is what is to be proved: a piece that is larger than that is cut again. */
function rowsByTenant(accounts: AccountTotals[]): Map<Uuid, number> {
  const rows = new Map<Uuid, number>()
  // Each movement is counted by two accounts. One for the accounts themselves.
  for (const { tenantId, movements } of accounts) rows.set(tenantId, (rows.get(tenantId) ?? 1) + Number(movements) / 2)
  return rows
}

/**
 * Until when nothing of this tenant can happen any more: whatever is committed after these accounts were read is dated
 * no earlier than what last touched `available` (Book.timeMs), and its id is made of a time no earlier than its date. Nor
 * than the time that it is: so nothing happens in a month that is sealed, however long the tenant has rested.
 */
export function settledUntil(accounts: AccountTotals[], sealed?: Date): Date {
  const touched = accounts.filter(({ name }) => name === 'available').map(({ touchedAt }) => touchedAt.getTime())
  return new Date(Math.max(touched.length === 0 ? 0 : Math.min(...touched), sealed?.getTime() ?? 0))
}

/** Before every id that is made of this time. */
export function firstIdAt(time: Date): Uuid {
  const digits = Math.max(time.getTime(), 0).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}${firstUuid.slice(13)}` as Uuid
}

/** Every movement counts in two accounts, so accounts that count the same have had none in between. */
export function isUnmoved(before: AccountTotals[], after: AccountTotals[]): boolean {
  const text = (accounts: AccountTotals[]): string =>
    accounts.map(({ currency, name, movements }) => `${currency} ${name} ${movements}`).join()
  return text(before) === text(after)
}
