// One statement of a search reads one piece, however long the list is.

import { expect, it } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { searchPayments, walkPayments } from '#payments/list.ts'
import { hourMs } from '#platform/durations.ts'
import { useSettling } from './settling.ts'

const { clock, ctx, open } = await useSettling()

it('is a piece and no more, from the latest on, without a gap', async () => {
  const { tenants, accept } = await open()
  const [tenant] = tenants
  for (let number = 1; number <= 11; number++) await accept(tenant, `R-${number}`)
  const pieces: unknown[] = []
  const db: Db = {
    ...ctx.db,
    query: (what, values = []) => {
      if (what.name === 'payments.matching') pieces.push([Number(values[3]), Number(values[4])])
      return ctx.db.query(what, values)
    },
  }
  const none = { filter: { failureReason: 'DO_NOT_HONOR' }, limit: 10 }
  const bounds = { pieceRows: 3n, questionRows: 8n }
  const first = await searchPayments({ db }, tenant, 'bank_transfer', none, bounds)
  await searchPayments({ db }, tenant, 'bank_transfer', { ...none, behind: first.next }, bounds)
  expect(pieces).toEqual([
    [8, 11],
    [5, 8],
    [3, 5],
    [0, 3],
  ])
})

it('is handed to the reader as soon as it is read', async () => {
  const { tenants, accept, settle } = await open()
  const [tenant] = tenants
  for (const reference of ['A', 'B', 'C']) await accept(tenant, reference)
  await settle(tenant, 'B', { result: { kind: 'succeeded' } })
  const pieces = []
  for await (const piece of walkPayments(ctx, tenant, 'bank_transfer', { filter: { status: 'SUCCESS' } }))
    pieces.push(piece.map(({ reference }) => reference))
  expect(pieces).toEqual([['B']])
})

it('is not the last one while an older payment of the period is left, although a younger one ends meanwhile', async () => {
  const { tenants, accept, settle } = await open()
  const [tenant] = tenants
  const end = (reference: string) => settle(tenant, reference, { result: { kind: 'succeeded' } })
  await accept(tenant, 'OLD')
  clock.advance(hourMs)
  await accept(tenant, 'FIRST')
  await accept(tenant, 'SECOND')
  await end('OLD')
  await end('FIRST')
  let isEnded = false
  const db: Db = {
    ...ctx.db,
    async query(what, values) {
      // The figures, which count two, are read by now.
      if (what.name === 'payments.matching' && !isEnded) {
        isEnded = true
        await end('SECOND')
      }
      return ctx.db.query(what, values)
    },
  }
  const hour = Math.floor(clock.now() / hourMs) * hourMs
  const filter = { endedFrom: new Date(hour), endedBefore: new Date(hour + hourMs) }
  const bounds = { pieceRows: 2n, questionRows: 100n }
  const { payments } = await searchPayments({ db }, tenant, 'bank_transfer', { filter, limit: 10 }, bounds)
  expect(payments.map(({ reference }) => reference)).toEqual(['SECOND', 'FIRST', 'OLD'])
})
