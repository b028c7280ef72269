// The proof of payments whose events or movements are in archive files: a row on the edge belongs to the month that
// begins there, and one business's events say nothing about another's.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import { firstUuid, lastUuid, type Uuid } from '#platform/ids.ts'
import type { TenantDigest } from '#ledger/digests.ts'
import type { ScanPage } from '#ledger/table-scan.ts'
import type { Result } from '#payments/payment.ts'
import { eventPages, findEventMonths, missingDigests, orphanPages, sealedDigests } from '#payments/verify.ts'
import { sides } from '#payments/verify-queries.ts'
import { asOwner } from '#tests/support/owner.ts'
import { drafts } from './drafts.ts'
import { commandOf, useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
let tenants: readonly [Tenant, Tenant]
let ids: Record<string, Uuid>
/** The ends of two successive months. */
let [firstEnd, secondEnd] = [new Date(0), new Date(0)]

const owner = (text: string, ...values: unknown[]) => asOwner(database, text, values)
const walk = { lane: inLane(ctx.db, 1), rowsPerPage: 3, from: firstUuid, upTo: lastUuid }
const goTo = (ms: number): void => clock.advance(ms - clock.now())

function monthAfter(time: number): Date {
  const date = new Date(time)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1))
}

const nobody = '01900000-0000-7000-8000-000000000000'
const monthOf = (end: Date): string => new Date(end.getTime() - 1).toISOString().slice(0, 7)

const succeeded: Result = { kind: 'succeeded', sessionId: '9'.repeat(30) }

/** Both businesses do the same: the times of acceptances and ends, in hours after the first month. */
const story: [hours: number, reference: string, result?: Result][] = [
  [-5, 'old'],
  [-5, 'back'],
  [-4, 'old', succeeded],
  [-4, 'back', succeeded],
  [-1, 'edge'],
  [0, 'edge', succeeded],
  [0, 'new'],
  [0, 'in'],
  [1, 'new', succeeded],
  [1, 'in', { kind: 'succeeded', operatorReference: 'M-1' }],
  [2, 'back', { kind: 'reversed' }],
]

beforeEach(async () => {
  await owner(`truncate payment, deposit, event, ledger_movement, ledger_account, event_archive, event_archive_digest,
    ledger_archive, ledger_archive_digest`)
  firstEnd = monthAfter(clock.now() + 10 * hourMs)
  secondEnd = monthAfter(firstEnd.getTime())
  goTo(firstEnd.getTime() - 6 * hourMs)
  const room = await open()
  tenants = room.tenants
  for (const [hours, reference, result] of story) {
    goTo(firstEnd.getTime() + hours * hourMs)
    for (const tenant of tenants)
      if (result !== undefined) await room.settle(tenant, reference, { result })
      else {
        const { draft } = commandOf(tenant, { reference, ...(reference === 'in' ? drafts.momo_collection : {}) })
        await room.accept(tenant, reference, { draft })
      }
  }
  const rows = await room.rows(tenants[0])
  ids = Object.fromEntries(rows.map(({ reference, id }) => [reference, id as Uuid]))
})

const nameOf = (id: string | null): string => Object.entries(ids).find(([, own]) => own === id)?.[0] ?? `${id}`

const sealMonth = (table: string, end: Date) =>
  owner(
    `insert into ${table} (lane, until, since, rows, digest, sealed_at)
     values (1, $1, $1::timestamptz - interval '1 month', 0, decode(repeat('00', 32), 'hex'), $1)`,
    end,
  )

/** Archives the events of a month, mostly without leaving them in the table. */
async function sealEvents(end: Date, { removes = true } = {}): Promise<void> {
  await owner(
    `insert into event_archive_digest
     select 1, tenant_id, $1, count(*), sum(hashtextextended(concat_ws(' ', source_id, name, reference), 0)::numeric)
       from event where created_at < $1 and (name like 'transfer.%' or name like 'momo.%') group by tenant_id`,
    end,
  )
  if (removes) await owner('delete from event where created_at < $1', end)
  await sealMonth('event_archive', end)
}

async function sealMovements(end: Date): Promise<void> {
  await owner(
    `insert into ledger_archive_digest
     select 1, tenant_id, 'payments', $1, count(*),
            sum(hashtextextended(concat_ws(' ', source_id, kind, debit, credit, amount, currency, reference), 0)::numeric)
       from ledger_movement
      where created_at < $1 and kind in ('hold', 'payout', 'payout_fee', 'release', 'reversal', 'fee_refund') group by tenant_id`,
    end,
  )
  await sealMonth('ledger_archive', end)
}

async function sumsOf(pages: AsyncGenerator<ScanPage<TenantDigest>>) {
  const sums = new Map<string, { count: bigint; digest: bigint }>()
  for await (const { parts } of pages)
    for (const { tenantId, isLate, count, digest } of parts) {
      const key = `${tenantId} ${isLate ? 'late' : 'settled'}`
      const sum = sums.get(key) ?? { count: 0n, digest: 0n }
      sums.set(key, { count: sum.count + count, digest: sum.digest + BigInt(digest) })
    }
  return sums
}

async function wrongIn(pages: AsyncGenerator<ScanPage<{ tenantId: Uuid; ids: Uuid[] }>>): Promise<string[]> {
  const found: string[] = []
  for await (const { parts } of pages)
    for (const part of parts)
      found.push(...part.ids.map((id) => `${tenants.findIndex((one) => one.id === part.tenantId)} ${nameOf(id)}`))
  return found.toSorted()
}

const culprits = async (limit = 100) =>
  (await sides.findCulprits(walk, tenants[0].id, limit)).map(
    ({ id, kind, status }) => `${nameOf(id)} ${kind} ${status}`,
  )

describe('events', () => {
  it('that are in files are those that payments have not in the table, an event on the edge is in the table', async () => {
    await sealEvents(firstEnd)
    const missing = await sumsOf(missingDigests(walk))
    expect([...missing.values()].map(({ count }) => count)).toEqual([2n, 2n])
    expect(missing).toEqual(await sumsOf(sealedDigests(walk)))
    for (const { id } of tenants) expect(await findEventMonths(walk, id)).toEqual([])
    expect(await wrongIn(eventPages(walk))).toEqual([])
    expect(await wrongIn(orphanPages(walk))).toEqual([])
  })

  it('that are in files are held against these also while they are in the table still', async () => {
    await sealEvents(firstEnd, { removes: false })
    expect(await sumsOf(missingDigests(walk))).toEqual(await sumsOf(sealedDigests(walk)))
    for (const { id } of tenants) expect(await findEventMonths(walk, id)).toEqual([])
    expect(await wrongIn(eventPages(walk))).toEqual([])
  })

  it('of a payment that was accepted on the edge are in no file: a missing one is reported for the payment', async () => {
    await sealEvents(firstEnd)
    await owner('delete from event where source_id = $1', ids['new'])
    expect(await sumsOf(missingDigests(walk))).toEqual(await sumsOf(sealedDigests(walk)))
    expect(await wrongIn(eventPages(walk))).toEqual(['0 new'])
  })

  it('are searched for in the month in which each happened, and a wrong seal is reported by its month and business', async () => {
    await sealEvents(firstEnd)
    await sealEvents(secondEnd)
    for (const { id } of tenants) expect(await findEventMonths(walk, id)).toEqual([])
    const wrong = 'update event_archive_digest set digest = digest + 1 where tenant_id = $1 and until = $2'
    await owner(wrong, tenants[0].id, firstEnd)
    expect(await findEventMonths(walk, tenants[0].id)).toEqual([monthOf(firstEnd)])
    expect(await findEventMonths(walk, tenants[1].id)).toEqual([])
    await owner(wrong, tenants[1].id, secondEnd)
    expect(await findEventMonths(walk, tenants[1].id)).toEqual([monthOf(secondEnd)])
  })

  it('that stand with another business are missing with the one and of nothing with the other', async () => {
    await owner('update event set tenant_id = $2 where source_id = $1', ids['old'], tenants[1].id)
    expect(await wrongIn(eventPages(walk))).toEqual(['0 old'])
    expect(await wrongIn(orphanPages(walk))).toEqual([expect.stringMatching(/^1 /)])
  })

  it.each([
    ['under another reference', `reference = 'other'`, []],
    ['for another id', `source_id = '${nobody}'`, ['0 old']],
  ])('that tell of a payment %s are of nothing', async (_what, change, missing) => {
    await owner(`update event set ${change} where source_id = $1`, ids['old'])
    expect(await wrongIn(eventPages(walk))).toEqual(missing)
    expect(await wrongIn(orphanPages(walk))).toHaveLength(1)
  })

  it('of deposits belong to no payment, and none needs them', async () => {
    const rename = `update event set name = 'deposit.success', source_id = '${nobody}' where source_id = $1`
    await owner(rename, ids['in'])
    expect(await wrongIn(orphanPages(walk))).toEqual([])
  })
})

describe('movements', () => {
  it('of a sealed month explain payments, in whichever month those ended or came back', async () => {
    await sealMovements(firstEnd)
    await owner(`update ledger_movement set reference = 'x' where source_id = $1 and kind = 'payout'`, ids['new'])
    expect(await culprits()).toEqual(['new bank_transfer SUCCESS'])
    for (const { id } of tenants) expect(await sides.findMonths(walk, id)).toEqual([])
    await owner('delete from ledger_movement where created_at < $1', firstEnd)
    expect(await culprits()).toEqual(['new bank_transfer SUCCESS'])
  })

  it('of several sealed months are those of payouts; deposits are sealed apart', async () => {
    await sealMovements(firstEnd)
    await owner('delete from ledger_movement where created_at < $1', firstEnd)
    await sealMovements(secondEnd)
    await owner(
      `insert into ledger_archive_digest select lane, tenant_id, 'deposits', until, 7, 7 from ledger_archive_digest`,
    )
    for (const { id } of tenants) expect(await sides.findMonths(walk, id)).toEqual([])
  })

  it('that a seal should have are reported by their month, for the business that they belong to', async () => {
    await sealMovements(firstEnd)
    await owner('update payment set amount = amount + 1 where id = $1', ids['back'])
    expect(await sides.findMonths(walk, tenants[0].id)).toEqual([monthOf(firstEnd)])
    expect(await sides.findMonths(walk, tenants[1].id)).toEqual([])
  })

  it('that disagree are reported for the first payments, with the number of all', async () => {
    await owner(`update ledger_movement set reference = 'x' where tenant_id = $1 and kind = 'hold'`, tenants[0].id)
    const all = Object.entries(ids)
      .filter(([name]) => name !== 'in')
      .toSorted(([, left], [, right]) => (left < right ? -1 : 1))
    const found = await sides.findCulprits(walk, tenants[0].id, 2)
    expect(found.map(({ id, total }) => [nameOf(id), total])).toEqual(all.slice(0, 2).map(([name]) => [name, 4n]))
    expect(await sides.findCulprits(walk, tenants[1].id, 2)).toEqual([])
  })
})

describe('settled at a moment', () => {
  const times = (): Date[] =>
    story.flatMap(([hours]) => [hours, hours + 0.5]).map((hours) => new Date(firstEnd.getTime() + hours * hourMs))

  it('is the same on both sides, whichever moment that is', async () => {
    for (const until of times())
      expect(await sumsOf(sides.wanted(walk, until))).toEqual(await sumsOf(sides.found(walk, until)))
  })

  it('is also a return of a payment without a time of success, whose event has it', async () => {
    await owner('update payment set succeeded_at = null')
    for (const until of times())
      expect(await sumsOf(sides.wanted(walk, until))).toEqual(await sumsOf(sides.found(walk, until)))
  })

  it('is also a success whose event is missing, because the payment has the time', async () => {
    await sealMonth('event_archive', firstEnd)
    await owner(`delete from event where source_id = $1`, ids['edge'])
    for (const until of times())
      expect(await sumsOf(sides.wanted(walk, until))).toEqual(await sumsOf(sides.found(walk, until)))
  })

  it('is what came back of a payment whose event is in a file, and not of one whose event is missing', async () => {
    const until = new Date(firstEnd.getTime() + 1.5 * hourMs)
    const settled = async () => (await sumsOf(sides.wanted(walk, until))).get(`${tenants[0].id} settled`)?.count
    const all = await settled()
    await owner('update payment set succeeded_at = null')
    await owner(`delete from event where name = 'transfer.success'`)
    const withoutPayout = await settled()
    expect(withoutPayout).toBe((all ?? 0n) - 2n)
    await sealMonth('event_archive', new Date(firstEnd.getTime() - 5 * hourMs))
    expect(await settled()).toBe(withoutPayout)
    await sealMonth('event_archive', firstEnd)
    expect(await settled()).toBe(all)
  })
})
