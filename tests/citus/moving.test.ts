// A lane moves to another machine while its businesses pay.

import { expect, it, onTestFinished } from 'vitest'
import { present } from '#platform/assert.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { citusUrl } from '#tests/support/citus.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startService } from '#tests/support/service.ts'

const shardOf = `get_shard_id_for_distribution_column('payment', $1::int)`
type Node = { host: string; port: number }

it.runIf(citusUrl !== undefined)('what is accepted while its lane moves is kept, once, and ends', async () => {
  const database = await createTestDatabase()
  const service = await startService({ database, settings: { SANDBOX_SETTLE_MS: '20' } })
  onTestFinished(async () => {
    await service.stop()
    await database.drop()
  })
  const { lane, id } = service.business.tenants.staging
  const [from] = await asOwner<Node>(
    database,
    `select nodename as host, nodeport as port from citus_shards where table_name = 'payment'::regclass and shardid = ${shardOf}`,
    [lane],
  )
  const others = await asOwner<Node>(
    database,
    'select nodename as host, nodeport as port from pg_dist_node where shouldhaveshards and nodeport <> $1',
    [present(from, 'where the lane is').port],
  )
  const [to] = others

  const accepted = new Set<string>()
  let moving = true
  const callers = Array.from({ length: 8 }, async () => {
    while (moving) {
      const body = transferBody()
      // A caller without an answer asks again, like any caller.
      await untilHolds(async () => {
        expect((await service.staging.post('/v1/transfers/initiate', body)).status).toBe(200)
      })
      accepted.add(String(body['reference']))
    }
  })
  await untilHolds(() => expect(accepted.size).toBeGreaterThan(100))
  const before = accepted.size
  await asOwner(database, `select citus_move_shard_placement(${shardOf}, $2, $3, $4, $5)`, [
    lane,
    from?.host,
    from?.port,
    to?.host,
    to?.port,
  ])
  const meanwhile = accepted.size - before
  await untilHolds(() => expect(accepted.size).toBeGreaterThan(before + meanwhile + 100))
  moving = false
  await Promise.all(callers)

  const kept = `select reference, status from payment where lane = $1 and tenant_id = $2`
  await untilHolds(async () => {
    const rows = await asOwner<{ reference: string; status: string }>(database, kept, [lane, id])
    expect(rows.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
    expect(rows.map(({ reference }) => reference).toSorted()).toEqual([...accepted].toSorted())
  })
  expect(meanwhile).toBeGreaterThan(0)
  expect(await verifyLedger(service.ctx, { invariants: [...ledgerInvariants, ...paymentInvariants] })).toEqual([])
})
