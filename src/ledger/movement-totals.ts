// Digests of the movements of payments and deposits, in the table and in sealed months: one side of their
// verification (digests.ts).

import { statement, type Statement } from '#platform/db/db.ts'
import { firstUuid } from '#platform/ids.ts'
import { archivedUntil } from './archived.ts'
import { digestsSql, type TenantDigest, type Side } from './digests.ts'
import { causes, type CauseList } from './movement-causes.ts'
import { pageOf, scanPages, type ScanPage, type TableScan } from './table-scan.ts'

const inTable: Record<CauseList, Statement> = {
  payments: statement('ledger.verify_moved_by_payments', movedPage('payments')),
  deposits: statement('ledger.verify_moved_by_deposits', movedPage('deposits')),
}

function movedPage(cause: CauseList): string {
  const { where, text } = causes[cause]
  return pageOf({
    table: 'ledger_movement',
    key: 'id',
    columns: 'source_id, kind, debit, credit, amount, currency, reference, created_at as at',
    parts: digestsSql(`(select * from page where ${where} and at >= ${archivedUntil}) as found`, text),
  })
}

const sealed = statement(
  'ledger.verify_sealed_digests',
  pageOf({
    table: 'ledger_archive_digest',
    key: 'cause',
    columns: 'count, digest',
    parts: `
      select tenant_id as "tenantId", false as "isLate", sum(count)::bigint as count, sum(digest)::text as digest
        from page where cause = $6 group by tenant_id`,
  }),
)

/** The digests of sealed months, which are always settled. */
const sealedDigests = (walk: TableScan, cause: CauseList): AsyncGenerator<ScanPage<TenantDigest>> =>
  scanPages<TenantDigest>(sealed, '', walk, cause)

function digestsInTable(
  walk: TableScan,
  cause: CauseList,
  settledUntil: Date | 'infinity',
): AsyncGenerator<ScanPage<TenantDigest>> {
  return scanPages<TenantDigest>(inTable[cause], firstUuid, walk, settledUntil)
}

/** Movements in the table and in sealed months. */
export const movedFor = (cause: CauseList): Side =>
  async function* (walk, settledUntil) {
    yield* sealedDigests(walk, cause)
    yield* digestsInTable(walk, cause, settledUntil)
  }
