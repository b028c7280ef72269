// One statement of a search reads one piece, however long the list is.

import { expect, it } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { searchPayments, walkPayments } from '#payments/list.ts'
import { useSettling } from './settling.ts'

const { ctx, open } = await useSettling()

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
