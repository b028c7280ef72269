// Archived events compared with the payments, from the first archived month on.

import { expect, it } from 'vitest'
import { verifyLedger } from '#ledger/verify.ts'
import { toldInvariants } from '#payments/verify.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, ctx, open } = await useSettling()

it('an event in the only file that belongs to no payment is reported by its month', async () => {
  const { tenants, accept, settle } = await open()
  const [{ lane, id: tenantId }] = tenants
  await accept(tenants[0], 'R')
  await settle(tenants[0], 'R', { result: { kind: 'succeeded' } })
  const told = async () =>
    (await verifyLedger(ctx, { invariants: toldInvariants })).map(({ message, ids }) => [message, ids])
  expect(await told()).toEqual([])
  const until = '2020-02-01T00:00:00Z'
  await asOwner(
    database,
    `insert into event_archive (lane, until, since, rows, removed, digest, sealed_at, removed_at)
     values ($1, $2, '2020-01-01T00:00:00Z', 1, 1, decode(repeat('00', 32), 'hex'), now(), now())`,
    [lane, until],
  )
  expect(await told()).toEqual([])
  await asOwner(
    database,
    'insert into event_archive_digest (lane, tenant_id, until, count, digest) values ($1, $2, $3, 1, 7)',
    [lane, tenantId, until],
  )
  expect(await told()).toEqual([['payments and events disagree in a month that is archived', ['2020-01']]])
})
