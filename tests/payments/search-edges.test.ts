// Searches of payments at the edges: of a piece, of a question, of a range of time, and of the cursor before it.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import type { Bounds } from '#platform/db/numbered-list.ts'
import { searchPayments, walkPayments, type SearchQuestion } from '#payments/list.ts'
import { commandOf, useSettling } from './settling.ts'

const { clock, ctx, open } = await useSettling()
let tenant: Tenant
/** The time of each payment; the first one has the number 1. */
const times: Date[] = []
const count = 12

beforeAll(async () => {
  const room = await open()
  tenant = room.tenants[0]
  for (let number = 1; number <= count; number++) {
    clock.advance(1_000)
    times[number] = new Date(clock.now())
    const draft = { reference: `R-${number}`, amount: toMoney(number % 3 === 0 ? 3_000 : 1_000) }
    await room.accept(tenant, draft.reference, commandOf(tenant, draft))
  }
})

const large: Bounds = { pieceRows: 100n, questionRows: 100n }
/** The numbers of the found payments, and the rest of the answer. */
async function search(question: Partial<SearchQuestion>, bounds?: Bounds) {
  const asked = { filter: {}, limit: 100, ...question }
  const { payments, ...rest } = await searchPayments(ctx, tenant, 'bank_transfer', asked, bounds)
  return { found: payments.map(({ reference }) => Number(reference.slice(2))), ...rest }
}
const down = (from: number, to: number): number[] => Array.from({ length: from - to + 1 }, (_, index) => from - index)
const end = { next: undefined, lookedBackTo: undefined }

describe('a search', () => {
  it('without bounds reads a short list at once', async () => {
    expect(await search({})).toEqual({ found: down(12, 1), looked: 12, ...end })
  })

  it.each([
    [13n, { found: down(9, 5), looked: 5, ...end }],
    [11n, { found: down(9, 5), looked: 5, ...end }],
    [10n, { found: down(9, 5), looked: 5, ...end }],
    [9n, { found: down(8, 5), looked: 4, ...end }],
    [6n, { found: [5], looked: 1, ...end }],
    [5n, { found: [], looked: 0, ...end }],
    [4n, { found: [], looked: 0, ...end }],
  ])('that goes on behind %s stays within its range of time', async (behind, answer) => {
    const range = { from: times[5], before: times[10] }
    expect(await search({ ...range, behind }, large)).toEqual(answer)
    expect(await search({ ...range, behind }, { pieceRows: 2n, questionRows: 100n })).toEqual(answer)
  })

  it('looks through no more than one question may, and says from where and when to go on', async () => {
    const rare = { filter: { amountFrom: toMoney(3_000) } }
    for (const pieceRows of [1n, 2n, 3n, 100n]) {
      const bounds = { pieceRows, questionRows: 5n }
      const first = await search(rare, bounds)
      expect(first).toEqual({ found: [12, 9], looked: 5, next: 8n, lookedBackTo: times[8] })
      const second = await search({ ...rare, behind: first.next }, bounds)
      expect(second).toEqual({ found: [6, 3], looked: 5, next: 3n, lookedBackTo: times[3] })
      expect(await search({ ...rare, behind: second.next }, bounds)).toEqual({ found: [], looked: 2, ...end })
    }
  })

  it('stops at the last that was wanted, and looks at nothing behind it', async () => {
    for (const pieceRows of [1n, 2n, 5n, 100n]) {
      const bounds = { pieceRows, questionRows: 100n }
      expect(await search({ limit: 3 }, bounds)).toEqual({
        found: [12, 11, 10],
        looked: 3,
        next: 10n,
        lookedBackTo: times[10],
      })
      const rare = { filter: { amountFrom: toMoney(3_000) }, limit: 2 }
      expect(await search(rare, bounds)).toEqual({ found: [12, 9], looked: 4, next: 9n, lookedBackTo: times[9] })
    }
    expect(await search({ limit: 12 }, large)).toEqual({ found: down(12, 1), looked: 12, ...end })
  })
})

describe('a walk', () => {
  const walk = async (question: Omit<SearchQuestion, 'limit'>) => {
    const pieces = []
    for await (const piece of walkPayments(ctx, tenant, 'bank_transfer', question)) pieces.push(piece)
    return pieces.map((piece) => piece.map(({ reference }) => Number(reference.slice(2))))
  }

  it('gives all of a range of time that are so, and no piece without any', async () => {
    expect(await walk({ filter: {} })).toEqual([down(12, 1)])
    expect(await walk({ filter: { amountFrom: toMoney(3_000) }, from: times[4], before: times[12] })).toEqual([[9, 6]])
    expect(await walk({ filter: { amountFrom: toMoney(4_000) } })).toEqual([])
  })
})
