// Splits a verification of a whole lane into pieces with short snapshots. An old snapshot holds back vacuum in the
// whole database, and payment acceptance slows down with its age (docs/ledger.md describes the whole verification).
//
// A piece is either some tenants with few movements, whose rows are all read in one snapshot, or one large tenant,
// for which the check needs no snapshot of all its rows.

import { inLane, isTooLong, type Db, type InLane } from '#platform/db/db.ts'
import { firstUuid, uuidAfter, uuidBefore, type Uuid } from '#platform/ids.ts'
import type { InvariantCheck, Pace } from './table-scan.ts'
import { accountPages, type AccountTotals } from './verify-queries.ts'
import type { Violation } from './verify.ts'

/**
 * The maximum age of a snapshot. With one open, acceptance fell to 55 % within 60 s, because vacuum removes nothing
 * that the snapshot may still see, and the scan for due payments reads all of it.
 */
const snapshotMsMax = 30_000
/**
 * The time limit of a statement: a hundred times what a page takes. Every statement of a snapshot begins at least this
 * long before the maximum age.
 */
const statementMsMax = 15_000

class SnapshotEnded extends Error {}

export function takeSnapshot(
  db: Db,
  number: number,
  { pace, ms = snapshotMsMax - statementMsMax }: { pace: Pace; ms?: number | undefined },
): InvariantCheck['atOneMoment'] {
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

type ChunkProof = {
  /** Checks all rows of the tenants from `check.from` to `check.upTo`; `check.lane` shows them at one moment. */
  ofSome: (check: InvariantCheck) => Promise<void>
  /** Checks the one tenant `check.from` = `check.upTo`; each statement of `check.lane` shows a later moment. */
  ofLarge: (check: InvariantCheck, tenantId: Uuid) => Promise<void>
}

export async function proveLane(check: InvariantCheck, proof: ChunkProof): Promise<void> {
  for await (const piece of piecesOf(check)) await provePiece(check, piece, proof)
}

async function provePiece(check: InvariantCheck, piece: Piece, proof: ChunkProof): Promise<void> {
  const { from, upTo, rows } = piece
  if (piece.isLarge) return proof.ofLarge({ ...check, from, upTo }, from)
  // Findings of a snapshot that ends early are dropped, because the next attempt finds them again.
  const findIn = async (lane: InLane): Promise<Violation[]> => {
    const found: Violation[] = []
    await proof.ofSome({ ...check, lane, from, upTo, report: (finding) => found.push(finding) })
    return found
  }
  const findings = await check.atOneMoment(findIn)
  if (findings !== undefined) return findings.forEach(check.report)
  // The snapshot ended early: there are more rows than the account totals say, or the machine is slow. So each tenant
  // is checked alone, without a snapshot.
  if (rows > 0) return proveLane({ ...check, from, upTo, rowsPerSnapshot: 0 }, proof)
  // No tenant has accounts in this range. So nothing should be found, even without a snapshot.
  if ((await findIn(check.lane)).length === 0) return
  const message = `tenants from ${from} to ${upTo} have no accounts, but more rows than can be read at one moment`
  check.report({ ids: [], message })
}

type Piece = { from: Uuid; upTo: Uuid; isLarge: boolean; rows: number }

/** The pieces leave no gap, so that rows of a tenant that does not exist are checked too. */
async function* piecesOf(check: InvariantCheck): AsyncGenerator<Piece> {
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

/**
 * Estimates the rows from the account totals, which are themselves unverified. A piece that turns out larger is split
 * again.
 */
function rowsByTenant(accounts: AccountTotals[]): Map<Uuid, number> {
  const rows = new Map<Uuid, number>()
  // Two accounts count each movement, hence the half. The 1 is for the accounts themselves.
  for (const { tenantId, movements } of accounts) rows.set(tenantId, (rows.get(tenantId) ?? 1) + Number(movements) / 2)
  return rows
}

/**
 * The time before which nothing of this tenant can change. A change that commits after these accounts were read is
 * dated no earlier than the last change of `available` in any currency (Book.timeMs), and its id is no older than its
 * date. The change is also dated no earlier than the current time, so nothing changes in a sealed month, however long
 * the tenant was idle.
 */
export function finalUntil(accounts: AccountTotals[], sealed?: Date): Date {
  const touched = accounts.filter(({ name }) => name === 'available').map(({ touchedAt }) => touchedAt.getTime())
  return new Date(Math.max(0, ...touched, sealed?.getTime() ?? 0))
}

/** Returns an id that is lower than every id that is made at this time. */
export function firstIdAt(time: Date): Uuid {
  const digits = Math.max(time.getTime(), 0).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}${firstUuid.slice(13)}` as Uuid
}

/** Two accounts count every movement, so equal counts mean that no movement happened in between. */
export function isUnmoved(before: AccountTotals[], after: AccountTotals[]): boolean {
  const text = (accounts: AccountTotals[]): string =>
    accounts.map(({ currency, name, movements }) => `${currency} ${name} ${movements}`).join()
  return text(before) === text(after)
}
