// A process gives payments back only under the lease under which it decided, and with the answers of their rails.

import { beforeEach, describe, expect, it } from 'vitest'
import type { PostponeCommand } from '#payments/execution/record-step.ts'
import { readTries, type Try } from '#payments/execution/rail-call.ts'
import type { Uuid } from '#platform/ids.ts'
import { useSettling, type Kept } from './settling.ts'

const { clock, ctx, openWithFour } = await useSettling()
let room: Awaited<ReturnType<typeof openWithFour>>

beforeEach(async () => {
  room = await openWithFour()
})

const later = (ms: number): Date => new Date(clock.now() + ms)

/** Gives one of the four payments back for an hour, or as these changes say. */
function postpone(index: number, changes: Partial<PostponeCommand> = {}): Promise<void> {
  const { tenant, reference, leaseEnd } = fourth(index)
  return room.postpone(tenant, {
    reference,
    leaseEnd,
    dueAt: later(3_600_000),
    asks: 1,
    submittedAt: null,
    railAnswer: 'unknown',
    parkedAt: null,
    submissionAnswer: null,
    ...changes,
  })
}

function fourth(index: number) {
  const one = room.four[index]
  if (one === undefined) throw new Error('there are four')
  return one
}

const rowAt = async (index: number): Promise<Kept> => (await room.allRows())[index] as Kept

describe('a payment is postponed', () => {
  it('each of four with the same references as it was decided, in one batch', async () => {
    const dues = room.four.map(({ index }) => later(1_000 * (index + 1)))
    const parked = later(-1_000)
    await Promise.all([
      postpone(0, { dueAt: dues[0] as Date, asks: 3 }),
      postpone(1, { dueAt: dues[1] as Date, railAnswer: 'pending', submittedAt: parked }),
      postpone(2, { dueAt: dues[2] as Date, railAnswer: null, parkedAt: parked }),
      postpone(3, { dueAt: dues[3] as Date, asks: 0 }),
    ])
    expect(await room.allRows()).toMatchObject([
      { due_at: dues[0], asks: 3, rail_word: 'unknown', submitted_at: null, parked_at: null },
      { due_at: dues[1], asks: 1, rail_word: 'pending', submitted_at: parked, parked_at: null },
      { due_at: dues[2], asks: 1, rail_word: null, submitted_at: null, parked_at: parked },
      { due_at: dues[3], asks: 0, rail_word: 'unknown', submitted_at: null, parked_at: null },
    ])
  })

  it('only under the lease that holds, and never for good while it has no end', async () => {
    const before = await room.allRows()
    await postpone(0, { leaseEnd: new Date(fourth(0).leaseEnd.getTime() - 1) })
    await postpone(1, { dueAt: null })
    expect(await room.allRows()).toEqual(before)
  })

  it('for good once it has ended', async () => {
    const { tenant, reference } = fourth(3)
    await room.settle(tenant, reference, {
      result: { kind: 'succeeded', sessionId: '9'.repeat(30), lookAgainMs: 5_000 },
    })
    await postpone(3, { leaseEnd: later(5_000), dueAt: null })
    expect(await rowAt(3)).toMatchObject({ status: 'SUCCESS', due_at: null })
  })
})

describe('the answer of its rail', () => {
  const answer = (changes: Partial<Try>): Try => ({
    asked: 'status',
    answered: 'unknown',
    detail: 'no answer',
    firstAt: later(0),
    lastAt: later(0),
    times: 1,
    milliseconds: 5,
    ...changes,
  })

  it('is counted together, within a batch and after it, between the first time and the last', async () => {
    const { tenant } = fourth(0)
    const id = (await rowAt(0)).id as Uuid
    const [from, until, after] = [later(1_000), later(2_000), later(3_000)]
    const tried = (...tries: Try[]) => ({ tried: { id, tries } })
    await Promise.all([
      postpone(0, tried(answer({ firstAt: until, lastAt: until, times: 2 }), answer({ asked: 'submit' }))),
      postpone(0, tried(answer({ firstAt: from, lastAt: from, milliseconds: 9, detail: '' }))),
      postpone(0, tried(answer({ answered: 'not-found', detail: '' }))),
    ])
    const found = () => readTries(ctx.db, tenant, id)
    expect(await found()).toMatchObject([
      { asked: 'status', answered: 'not-found', times: 1 },
      {
        asked: 'status',
        answered: 'unknown',
        detail: 'no answer',
        firstAt: from,
        lastAt: until,
        times: 3,
        milliseconds: 9,
      },
      { asked: 'submit', answered: 'unknown', times: 1 },
    ])
    await postpone(0, tried(answer({ detail: 'a late one', firstAt: from, lastAt: from, milliseconds: 3 })))
    await postpone(0, tried(answer({ asked: 'submit', firstAt: after, lastAt: after })))
    expect(await found()).toMatchObject([
      {},
      { detail: 'a late one', firstAt: from, lastAt: until, times: 4, milliseconds: 3 },
      { asked: 'submit', lastAt: after, times: 2 },
    ])
  })

  it('is stored for that payment alone', async () => {
    const ids = (await room.allRows()).map(({ id }) => id as Uuid)
    await Promise.all(ids.map((id, index) => postpone(index, { tried: { id, tries: [answer({ times: index + 1 })] } })))
    for (const [index, id] of ids.entries())
      expect(await readTries(ctx.db, fourth(index).tenant, id)).toMatchObject([{ times: index + 1 }])
    expect(await readTries(ctx.db, fourth(0).tenant, ids[2] as Uuid)).toEqual([])
  })
})
