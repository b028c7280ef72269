// Facts about money that wait for a person: each is raised and reported once, and stays open until a person has dealt
// with it.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Context } from '#platform/context.ts'
import { createLog } from '#platform/observability/log.ts'
import { toMoney } from '#platform/money.ts'
import type { Uuid } from '#platform/ids.ts'
import {
  type Fact,
  raiseReviewItem,
  closeReviewItems,
  closeException,
  listOpenExceptions,
  exportExceptions,
} from '#review/review-queue.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { exceptionsAbout } from './open.ts'

const database = await useTestDatabase()
const base = createTestContext(database.connect())
const lines: string[] = []
const log = createLog({ level: 'info', format: 'json', write: (line) => void lines.push(line) })
const ctx: Context = { ...base, log }

const fact: Fact = {
  kind: 'payment-stuck',
  environment: 'production',
  subject: 'trf_1',
  fact: 'it has had no outcome for a day',
  tenant: null,
  reference: 'PAYOUT-1',
  currency: 'NGN',
  amount: toMoney(100),
}

const raised = (...facts: Fact[]): Promise<void> =>
  ctx.db.transaction(async (tx) => facts.forEach((one) => raiseReviewItem(ctx, tx, one)))

beforeEach(async () => {
  await asOwner(database, 'truncate review_item')
  lines.length = 0
})

describe('a fact', () => {
  it('that is raised again, at once or later, is one item and one line of the log', async () => {
    await raised(fact, fact)
    await Promise.all(Array.from({ length: 10 }, () => raised(fact)))
    expect(await exceptionsAbout(database, 'trf_1')).toHaveLength(1)
    expect(lines.filter((line) => line.includes('added an item to the review queue'))).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', kind: 'payment-stuck', subject: 'trf_1' })
    // Facts may name account numbers.
    expect(lines.join('')).not.toContain(fact.fact)
  })

  it('is another item if its text, kind or subject differs', async () => {
    await raised(
      fact,
      { ...fact, fact: 'other' },
      { ...fact, kind: 'payment-without-rail' },
      { ...fact, subject: 'trf_2' },
    )
    expect((await listOpenExceptions(ctx)).total).toBe(4)
    expect(await listOpenExceptions(ctx, ['payment-without-rail'])).toMatchObject({ total: 1, exceptions: [{}] })
  })

  it('is neither stored nor logged if its transaction is rolled back', async () => {
    const failing = ctx.db.transaction(async (tx) => {
      raiseReviewItem(ctx, tx, fact)
      await Promise.reject(new Error('no'))
    })
    await expect(failing).rejects.toThrow('no')
    expect([await exceptionsAbout(database, 'trf_1'), lines]).toEqual([[], []])
  })

  it('that settles itself is closed, also in the transaction that raises it', async () => {
    const settled = { kind: fact.kind, subject: fact.subject, note: 'it became SUCCESS' }
    await ctx.db.transaction(async (tx) => {
      raiseReviewItem(ctx, tx, fact)
      closeReviewItems(ctx, tx, [settled])
    })
    expect((await listOpenExceptions(ctx)).total).toBe(0)
    await raised(fact, { ...fact, subject: 'trf_2' })
    await ctx.db.transaction(async (tx) => closeReviewItems(ctx, tx, [settled]))
    expect((await listOpenExceptions(ctx)).exceptions).toMatchObject([{ subject: 'trf_2' }])
    expect(await exceptionsAbout(database, 'trf_1')).toMatchObject([{ note: 'it became SUCCESS' }])
  })
})

it('a fact stays open if it is raised after the items of its subject were closed, also in one transaction', async () => {
  await raised(fact)
  const contradiction = { ...fact, fact: 'its rail says failed, after it had ended SUCCESS' }
  await ctx.db.transaction(async (tx) => {
    closeReviewItems(ctx, tx, [{ kind: fact.kind, subject: fact.subject, note: 'it became SUCCESS' }])
    raiseReviewItem(ctx, tx, contradiction)
  })
  expect((await listOpenExceptions(ctx)).exceptions).toMatchObject([{ fact: contradiction.fact }])
})

describe('an operator', () => {
  it('closes an item once, with a note and an audit entry; the same fact stays closed', async () => {
    await raised(fact)
    const [open] = (await listOpenExceptions(ctx)).exceptions
    const id = open?.id as Uuid
    const outcomes = await Promise.all(['first', 'second'].map((note) => closeException(ctx, id, note)))
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['closed', 'was-closed'])
    const acts = await asOwner(database, "select details from audit_entry where act = 'exception.closed'")
    expect(acts).toHaveLength(1)
    await raised(fact)
    expect((await listOpenExceptions(ctx)).total).toBe(0)
    expect(await closeException(ctx, '01900000-0000-7000-8000-000000000000' as Uuid, 'x')).toEqual({
      kind: 'not-found',
    })
  })
})

describe('a later settlement', () => {
  it('leaves an item that an operator closed unchanged, with its note', async () => {
    await raised(fact)
    const [open] = (await listOpenExceptions(ctx)).exceptions
    await closeException(ctx, open?.id as Uuid, 'the bank confirmed it')
    const [before] = await exceptionsAbout(database, 'trf_1')
    base.clock.advance(60_000)
    await ctx.db.transaction(async (tx) =>
      closeReviewItems(ctx, tx, [{ kind: fact.kind, subject: fact.subject, note: 'it became SUCCESS' }]),
    )
    expect(await exceptionsAbout(database, 'trf_1')).toEqual([before])
    expect(before?.note).toBe('the bank confirmed it')
  })
})

describe('the metric', () => {
  it('shows how many are open of each kind, and 0 where none is', async () => {
    exportExceptions(ctx)
    const shown = (): Promise<string> => {
      base.clock.advance(5_000) // The metrics may be this old.
      return ctx.metrics.text()
    }
    await raised(fact, { ...fact, subject: 'trf_2' })
    expect(await shown()).toContain('manilla_exceptions_open{environment="production",kind="payment-stuck"} 2')
    expect(await shown()).toContain('manilla_exceptions_open{environment="production",kind="notice-unowned"} 0')
    await ctx.db.transaction(async (tx) =>
      closeReviewItems(ctx, tx, [{ kind: fact.kind, subject: 'trf_1', note: 'done' }]),
    )
    expect(await shown()).toContain('kind="payment-stuck"} 1')
  })
})
