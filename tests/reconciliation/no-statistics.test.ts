// Reconciliation on tables that grew from empty, whatever PostgreSQL knows of them: a turn costs the lines that it
// compares, not those that were listed before. The test counts rows that PostgreSQL reads, not milliseconds.

import { beforeAll, describe, expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { findOfProvider } from '#deposits/provider-lookup.ts'
import { findUnowned, readFloat, totalFloat } from '#ledger/float.ts'
import { findByRailReferences } from '#payments/rail-notice.ts'
import { findKnown, resolveBreaks, insertBreaks } from '#reconciliation/mismatches.ts'
import { claimLines, findPayoutLines, finishLines, keepLines } from '#reconciliation/lines.ts'
import { sumOpenPayouts } from '#reconciliation/day-proof.ts'
import { payoutLine } from '#tests/support/listing-rail.ts'
import { useTablesOfEachSort } from '#tests/support/no-statistics.ts'
import { asOwner } from '#tests/support/owner.ts'

const rows = 20_000
const lines = 50
const name = { environment: 'production' as const, rail: 'acme' }
const now = new Date('2026-01-15T09:30:00Z')
const leaseEnd = new Date(now.getTime() + 60_000)

const sorts = await useTablesOfEachSort()

describe.each(sorts)('analysed $analysed', ({ database, db, are, expectRows }) => {
  const fresh = Array.from({ length: lines }, (_, at) => payoutLine({ reference: `fresh-${at}`, atMs: now.getTime() }))
  const facts = fresh.map(({ reference }) => ({ kind: 'amount' as const, subject: reference }))

  beforeAll(async () => {
    await asOwner(
      database,
      `insert into rail_line (environment, rail, list, line_id, direction, cause, reference, amount, currency, state, at, seen_at)
       select 'production', 'acme', 'payouts', 'old-' || n, 'out', 'payout', 'old-' || n, 1, 'NGN', 'succeeded', $1, $1
         from generate_series(1, $2::int) n`,
      [now, rows],
    )
    await are('young')
    await asOwner(
      database,
      `insert into rail_break (id, environment, rail, kind, subject, reference, fact, about_at, opened_at, closed_at, note)
       select gen_random_uuid(), 'production', 'acme', 'amount', 'old-' || n, '', '', $1, $1, $1, '' from generate_series(1, $2::int) n`,
      [now, rows],
    )
    await asOwner(
      database,
      `insert into float_movement select 'production', 'acme', 'NGN', 'payout', 'old-' || n, 1, 'old-' || n, 'balance',
         'tenants', 1, $1 from generate_series(1, $2::int) n`,
      [now, rows],
    )
    await are('grown')
  })

  it('keeping a page, claiming its lines and finishing them', async () => {
    await expectRows(lines * 12, () => db.transaction(async (tx) => keepLines(tx, name, fresh, now)))
    await expectRows(lines * 12, () => db.transaction(async (tx) => keepLines(tx, name, fresh, now)))
    await expectRows(lines * 20, () => claimLines(db, name, { now, leaseEnd, limit: lines }))
    const done = fresh.map(({ list, lineId }) => ({ list, lineId, dueAt: null }))
    await expectRows(lines * 20, () => db.transaction(async (tx) => finishLines(tx, name, leaseEnd, done)))
  })

  it('looking up what the lines are about', async () => {
    const references = fresh.map(({ reference }) => reference)
    await expectRows(lines * 16, () => findPayoutLines(db, name, references))
    await expectRows(lines * 10, () =>
      findByRailReferences(
        { db },
        [1],
        references.map(() => newUuid(now.getTime())),
      ),
    )
    await expectRows(lines * 10, () => findOfProvider(db, { environment: 'production', provider: 'acme' }, references))
    await expectRows(lines * 10, () => findUnowned(db, name, references))
    await expectRows(lines * 10, () => findKnown(db, name, facts))
  })

  it('the sum of the book and its amounts in progress, once a close has stored a total', async () => {
    const [yesterday, beganAt] = [new Date(now.getTime() - 86_400_000), new Date(now.getTime() - 9 * 86_400_000)]
    await totalFloat(db, name, new Date(now.getTime() + 1))
    await expectRows(20, () => readFloat(db, name))
    await expectRows(20, () => totalFloat(db, name, new Date(now.getTime() + 2)))
    const lateSince = new Date(now.getTime() + 1)
    await expectRows(20, () => sumOpenPayouts(db, name, { beganAt, lateSince, currency: 'NGN' }))
    expect(await sumOpenPayouts(db, name, { beganAt, lateSince: yesterday, currency: 'NGN' })).toBe(-BigInt(rows))
  })

  it('opening breaks and closing them', async () => {
    const opened = fresh.map(({ reference }) => ({
      ...name,
      id: newUuid(now.getTime()),
      kind: 'amount' as const,
      subject: reference,
      reference,
      amount: toMoney(1),
      currency: 'NGN',
      fact: '',
      aboutAt: now,
      openedAt: now,
    }))
    await expectRows(lines * 12, () => db.transaction((tx) => insertBreaks(tx, name, opened)))
    const resolved = facts.map((fact) => ({ ...fact, note: 'it agrees now' }))
    await expectRows(lines * 12, () => db.transaction(async (tx) => resolveBreaks(tx, name, resolved, now)))
  })
})
