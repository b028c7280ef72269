// `ledger verify` on figures, and counting them again, where only payments and deposits can show the truth.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Context, Tenant } from '#platform/context.ts'
import { inLane, statement } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import { firstUuid, lastUuid } from '#platform/ids.ts'
import { durations } from '#stats/stats.ts'
import type { Side } from '#ledger/digests.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { rebuildFigures, counted, toBeCounted, figureInvariants } from '#payments/stats.ts'
import { recount } from '#tests/stats/recount.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
let room: Awaited<ReturnType<typeof open>>
let tenant: Tenant
let other: Tenant

const nothing = statement('tests.nothing', 'select')
const owner = (text: string, ...values: unknown[]) => asOwner(database, text, values)

/** The findings with pages of any size: the wrong hours, and how many more there are. */
async function found(): Promise<string[]> {
  const at = async (rowsPerPage: number) => {
    const breaches = await verifyLedger(ctx, { invariants: figureInvariants, rowsPerPage })
    return breaches.flatMap(({ ids, message }) => (ids.length === 0 ? [message] : ids))
  }
  const all = await at(20_000)
  expect(await at(3)).toEqual(all)
  return all
}

async function sumOf(side: Side): Promise<bigint> {
  let sum = 0n
  const walk = { lane: inLane(ctx.db, tenant.lane), rowsPerPage: 2, from: firstUuid, upTo: lastUuid }
  for await (const { parts } of side(walk, 'infinity'))
    for (const { tenantId, digest } of parts) if (tenantId === tenant.id) sum += BigInt(digest)
  return sum
}

/** Writes figures for each hour around that time, of payments that do not exist. */
const makeUp = ({ lane, id }: Tenant, at: Date, hours: number) =>
  owner(
    `insert into hourly_stat
     select $1, $2, $3::timestamptz + make_interval(hours => n), 'deposit', 'NGN', 'failed', 'EXPIRED', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
       from generate_series(-$4::int, $4::int) as n`,
    lane,
    id,
    at,
    hours,
  )

beforeEach(async () => {
  await owner('truncate payment, deposit, event, hourly_stat')
  clock.advance(24 * hourMs - ((clock.now() + 30 * 60_000) % hourMs))
  room = await open()
  ;[tenant, other] = room.tenants
})

describe('figures of payments', () => {
  it('have each duration where it belongs, at its bounds too, and a success in the hour in which it was one', async () => {
    const tookMs = durations.flatMap(([, belowMs]) => (Number.isFinite(belowMs) ? [belowMs - 1, belowMs] : []))
    const acceptedMs = clock.now()
    await Promise.all(tookMs.map((ms) => room.accept(tenant, `R-${ms}`)))
    for (const ms of tookMs) {
      clock.advance(acceptedMs + ms - clock.now())
      await room.settle(tenant, `R-${ms}`, { result: { kind: 'succeeded' } })
    }
    await room.accept(tenant, 'FAILED')
    clock.advance(3_000)
    await room.settle(tenant, 'FAILED', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' } })
    clock.advance(5 * hourMs)
    await room.settle(tenant, 'R-999', { result: { kind: 'reversed' } })
    expect(await found()).toEqual([])
    const live = await recount(database)
    expect(live.found).toEqual(live.wanted)
    // Otherwise the proof would join the right hours too, which takes long.
    expect(await sumOf(counted)).toBe(await sumOf(toBeCounted))
    clock.advance(5 * hourMs)
    await rebuildFigures(ctx, tenant)
    expect(await recount(database)).toEqual(live)
  })
})

describe('rebuilding figures', () => {
  it('have each payment and deposit, also those that are alike, by their ends and reasons', async () => {
    await Promise.all(['A', 'B', 'C'].map((reference) => room.accept(tenant, reference)))
    await owner(
      `insert into deposit (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id, account_number,
         account_name, bank_name, sender_account_name, sender_account_number, sender_bank_name, narration, return_reason,
         paid_at, created_at, updated_at)
       select $1, $2, gen_random_uuid(), n, s.status, 'NGN', 70000, 700, 'a', 'in-' || n, s.number, '', '', '', '', '', '', s.why, at, at,
              case s.status when 'PENDING' then at else at + interval '1 h' end
         from (values (1, 'PENDING', null, '1'), (2, 'SUCCESSFUL', null, '1'), (3, 'SUCCESSFUL', null, '1'), (4, 'FAILED', null, '1'),
                      (5, 'FAILED', 'OVERPAID', '1'), (6, 'SUCCESSFUL', null, '')) as s (n, status, why, number),
              (values ($3::timestamptz)) as t (at)`,
      tenant.lane,
      tenant.id,
      new Date(clock.now()),
    )
    clock.advance(5 * hourMs)
    const { rows } = await rebuildFigures(ctx, tenant)
    const { found: anew, wanted } = await recount(database)
    expect(anew).toEqual(wanted)
    expect(anew).toHaveLength(rows)
    expect(await found()).toEqual([])
  })

  it('begins again when a payout of a past hour is returned meanwhile', async () => {
    await room.accept(tenant, 'R-1')
    await room.settle(tenant, 'R-1', { result: { kind: 'succeeded' } })
    clock.advance(5 * hourMs)
    let attempts = 0
    const transaction: Context['db']['transaction'] = (work, lane) =>
      ctx.db.transaction(async (tx) => {
        attempts += 1
        const query = tx.query.bind(tx)
        tx.query = async (...asked) => {
          await query(nothing)
          await room.settle(tenant, 'R-1', { result: { kind: 'reversed' } })
          return query(...asked)
        }
        return work(tx)
      }, lane)
    const { rows } = await rebuildFigures({ ...ctx, db: { ...ctx.db, transaction } }, tenant)
    expect({ rows, attempts }).toEqual({ rows: 3, attempts: 2 })
    expect(await found()).toEqual([])
  })

  it('changes past hours of this tenant only', async () => {
    await room.accept(tenant, 'OVER')
    clock.advance(hourMs)
    await room.accept(tenant, 'BEFORE')
    clock.advance(hourMs)
    await owner('delete from hourly_stat')
    const before = new Date(Math.floor(clock.now() / hourMs) * hourMs - hourMs)
    await makeUp(tenant, before, 1)
    await makeUp(other, before, 1)
    expect(await rebuildFigures(ctx, tenant)).toEqual({ before, rows: 1 })
    const kept = await owner('select hour, outcome from hourly_stat where tenant_id = $1 order by hour', tenant.id)
    expect(kept).toEqual([
      { hour: new Date(before.getTime() - hourMs), outcome: 'accepted' },
      { hour: before, outcome: 'failed' },
      { hour: new Date(before.getTime() + hourMs), outcome: 'failed' },
    ])
    expect(await owner('select 1 from hourly_stat where tenant_id = $1', other.id)).toHaveLength(3)
  })
})

describe('figures of what never happened', () => {
  it('are found, with the hour and what they say', async () => {
    const at = new Date('2026-01-01T00:00:00.000Z')
    await makeUp(tenant, at, 0)
    expect(await found()).toEqual(['2026-01-01T00:00:00.000Z deposit failed EXPIRED'])
  })

  it('of payments that do not exist are listed for a hundred hours, and counted for the others', async () => {
    await makeUp(tenant, new Date('2026-01-01T00:00:00.000Z'), 52)
    const all = await found()
    expect(all).toHaveLength(101)
    expect(all.at(-1)).toMatch(/^further figures and payments disagree \(5 in all/)
  })
})
