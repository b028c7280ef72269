// The edges of the proof of payments against float books: the start of a book, a return, and the walk through the
// pages.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { firstUuid, lastUuid, type Uuid } from '#platform/ids.ts'
import { unbookedPages, uncausedPages } from '#payments/verify-queries.ts'
import type { Result } from '#payments/payment.ts'
import type { Source } from '#payments/settle.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
let tenants: readonly [Tenant, Tenant]
let ids: Record<string, Uuid>

const owner = (text: string, ...values: unknown[]) => asOwner(database, text, values)

/** Payments on the rail `a`, each a second after the one before. */
beforeEach(async () => {
  await owner('truncate payment, deposit, event, float_movement, provider_notice')
  const room = await open()
  tenants = room.tenants
  const source: Source = { kind: 'rail', environment: 'production', rail: 'a' }
  const endings: Record<string, Result[]> = {
    first: [{ kind: 'succeeded' }],
    second: [{ kind: 'succeeded' }],
    back: [{ kind: 'succeeded' }, { kind: 'reversed' }],
    other: [{ kind: 'succeeded' }, { kind: 'reversed' }],
  }
  for (const [reference, results] of Object.entries(endings)) {
    clock.advance(1_000)
    await room.accept(tenants[0], reference)
    for (const result of results) await room.settle(tenants[0], reference, { result, source })
  }
  ids = Object.fromEntries((await room.rows(tenants[0])).map(({ reference, id }) => [reference, id as Uuid]))
})

async function unbooked(): Promise<string[]> {
  const found: string[] = []
  const walk = { lane: inLane(ctx.db, 1), rowsPerPage: 2, from: firstUuid, upTo: lastUuid }
  for await (const { parts } of unbookedPages(walk))
    for (const part of parts)
      found.push(...part.ids.map((id) => Object.keys(ids).find((name) => ids[name] === id) ?? id))
  return found
}

async function uncaused(rowsPerPage: number) {
  const pages = []
  for await (const page of uncausedPages(ctx.db, rowsPerPage)) pages.push(page)
  return pages
}

const insert = (
  subject: string,
  { kind = 'payout', lane = 1, rail = 'a', environment = 'production', amount = 100_000 } = {},
) =>
  owner(
    `insert into float_movement (environment, rail, kind, subject, reference, lane, currency, debit, credit, amount, at)
     select $1, $2, $3, $4, $4, $5, 'NGN', debit, credit, $6, at from float_movement where subject = $7 and kind = 'payout'`,
    environment,
    rail,
    kind,
    subject,
    lane,
    amount,
    ids['first'],
  )

describe('a return', () => {
  it.each([
    ['in another environment', `environment = 'staging'`],
    ['at another rail', `rail = 'b'`],
    ['of another payment', `subject = 'another'`],
    ['of another amount', 'amount = amount + 1'],
  ])('is missed where the book has it %s', async (_what, change) => {
    await owner(`update float_movement set ${change} where subject = $1 and kind = 'reversal'`, ids['back'])
    expect(await unbooked()).toEqual(['back'])
  })
})

describe('a book that began', () => {
  it('when a payment ended need not have it, and has all that ended later', async () => {
    await owner('delete from float_movement where subject = $1', ids['second'])
    expect(await unbooked()).toEqual(['second'])
    const asFirst = `update payment p set created_at = f.created_at, updated_at = f.updated_at from payment f
      where (f.lane, f.tenant_id) = (p.lane, p.tenant_id) and f.reference = 'first' and p.reference = 'second'`
    await owner(asFirst)
    expect(await unbooked()).toEqual([])
  })

  it('in another environment, or at another rail, is not meant', async () => {
    await insert('of a tester', { environment: 'staging', rail: 'b' })
    await owner(`update float_movement set rail = 'b' where subject = $1`, ids['other'])
    await owner(`update payment set rail = 'b' where reference in ('second', 'other')`)
    await owner('delete from float_movement where subject = $1', ids['second'])
    expect(await unbooked()).toEqual([])
  })
})

describe('a book is walked', () => {
  it('in pages within their limit, none of them empty, to its end', async () => {
    const sizes = async (rowsPerPage: number) => (await uncaused(rowsPerPage)).map(({ rows }) => rows)
    expect(await sizes(1)).toEqual([1, 1, 1, 1, 1, 1])
    expect(await sizes(3)).toEqual([3, 3])
    expect(await sizes(4)).toEqual([4, 2])
    expect(await sizes(100)).toEqual([6])
  })

  it('and movements without a cause are reported in one order over all lanes', async () => {
    for (const [number, lane] of [1, 2, 1, 2].entries()) await insert(`x-${number}`, { lane })
    const [page] = await uncaused(100)
    const subjects = ['x-0', 'x-1', 'x-2', 'x-3']
    expect(page?.parts).toEqual([{ environment: 'production', rail: 'a', kind: 'payout', count: 4n, subjects }])
  })

  it('and of more than a hundred the first hundred are named, and all are counted', async () => {
    const names = Array.from({ length: 103 }, (_, number) => `x-${String(number).padStart(3, '0')}`)
    for (const name of names) await insert(name)
    const [page] = await uncaused(1_000)
    expect(page?.parts).toMatchObject([{ count: 103n, subjects: names.slice(0, 100) }])
  })
})

it('a payment that its rail knows is missed under a name that no rail uses', async () => {
  await owner('update payment set rail_reference = id where id = $1', ids['first'])
  await owner(`update float_movement set reference = 'no such name' where subject = $1`, ids['first'])
  expect((await uncaused(100))[0]?.parts).toMatchObject([{ kind: 'payout', subjects: [ids['first']] }])
})

describe('a payment that its rail knows by a name', () => {
  const name = '01900000-0000-7000-8000-000000000000'

  beforeEach(async () => {
    await owner('update payment set rail_reference = $2 where id = $1', ids['first'], name)
    await owner('update float_movement set reference = $2 where subject = $1', ids['first'], name)
  })

  it('is the cause of what the book says of it under that name', async () => {
    expect((await uncaused(100))[0]?.parts).toEqual([])
  })

  it.each([
    ['another amount', 'amount = amount + 1'],
    ['another payment', `subject = 'another'`],
    ['what has not come of it', `kind = 'reversal'`],
  ])('is not that of %s', async (_what, change) => {
    await owner(`update float_movement set ${change} where reference = $1`, name)
    expect((await uncaused(100))[0]?.parts).toMatchObject([{ count: 1n }])
  })
})

describe('money that a provider reported', () => {
  let [less, more]: Uuid[] = []

  beforeEach(async () => {
    ;[less, more] = tenants.map(({ id }) => id).toSorted()
    await owner(
      `insert into deposit (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id, account_number,
         account_name, bank_name, sender_account_name, sender_account_number, sender_bank_name, narration, paid_at, created_at, updated_at)
       values (1, $1, gen_random_uuid(), 1, 'SUCCESSFUL', 'NGN', 70000, 700, 'a', 'in-1', '1', '', '', '', '', '', '', now(), now(), now())`,
      more,
    )
    await owner(`insert into provider_notice values ('production', 'a', 'in-1', 1, $1)`, more)
    await insert('in-1', { kind: 'deposit', amount: 70_000 })
  })

  it('is caused by its deposit', async () => {
    expect((await uncaused(100))[0]?.parts).toEqual([])
  })

  it('is not caused by what another provider calls the same', async () => {
    await owner(`update deposit set provider = 'b'`)
    expect((await uncaused(100))[0]?.parts).toMatchObject([{ kind: 'deposit', subjects: ['in-1'] }])
  })

  it('is not caused by what another business has of the same', async () => {
    await owner('update provider_notice set tenant_id = $1', less)
    expect((await uncaused(100))[0]?.parts).toMatchObject([{ kind: 'deposit', subjects: ['in-1'] }])
  })
})
