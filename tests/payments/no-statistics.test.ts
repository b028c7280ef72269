// Accepting, settling, hearing notices and looking up payments on tables that grew from empty, without statistics and
// with old ones. The planner estimates worst then, and even so a batch must cost only its own rows.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { depositFees } from '#deposits/fees.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { readBalances } from '#ledger/post.ts'
import { acceptOperation, type AcceptCommand } from '#payments/accept.ts'
import type { Draft } from '#payments/payment.ts'
import { settleOperation } from '#payments/settle.ts'
import { findPayments } from '#payments/queries.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTablesOfEachSort } from '#tests/support/no-statistics.ts'
import { asOwner } from '#tests/support/owner.ts'
import { commandFor, requestOf } from './process.ts'

/** Batches of this size: two thirds bank transfers, the rest collections. */
const batchSize = 240
const batches = 40
/**
 * The most rows, of tables and indexes together, that a payment may read: found, locked and updated, each a few times.
 */
const rowsEach = 12

const sorts = await useTablesOfEachSort()

describe.each(sorts)('tables that are analysed when they are: $analysed', ({ database, db, are, expectRows }) => {
  const ctx = createTestContext(db)
  const accepting = acceptOperation(ctx)
  const settling = settleOperation(ctx, createEventOutbox(ctx.clock), createInflows(ctx, depositFees))
  let tenant: Tenant
  let made = 0

  async function newTenant(): Promise<Tenant> {
    const { staging } = (await createBusiness(ctx, 'Growing')).tenants
    for (const name of ['one', 'two']) {
      await asOwner(
        database,
        `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, created_at, updated_at)
         values ($1, $2, $3, $4, '{transfer.success,momo.collection.success}', 'active', '\\x00', '…', 'epoch', 'epoch')`,
        [staging.lane, staging.id, newUuid(ctx.clock.now()), `https://${name}.example`],
      )
    }
    return staging
  }

  function newCommands(): AcceptCommand[] {
    return Array.from({ length: batchSize }, (_, index) => {
      made += 1
      // The references follow no order.
      const reference = `P-${(made * 7_919) % 1_000_003}`
      return index % 3 === 0 ? collectionFor(tenant, reference) : transferFor(tenant, reference)
    })
  }

  async function accept(commands: AcceptCommand[]): Promise<Set<string>> {
    const outcomes = await db.transaction((tx) => accepting.run(tx, commands), tenant.lane)
    return new Set(outcomes.map(({ kind }) => kind))
  }

  async function settle(commands: AcceptCommand[]): Promise<Set<string>> {
    const words = commands.map(({ draft }) => ({
      tenantId: tenant.id,
      reference: draft.reference,
      result: { kind: 'succeeded' as const, sessionId: null },
    }))
    const outcomes = await db.transaction((tx) => settling.run(tx, words), tenant.lane)
    return new Set(outcomes.map(({ kind }) => kind))
  }

  beforeAll(async () => {
    for (let batch = 0; batch < batches; batch++) {
      // The statistics of the young tables know another tenant only.
      if (batch <= 1) tenant = await newTenant()
      ctx.clock.advance(1_000)
      const commands = newCommands()
      await accept(commands)
      await settle(commands)
      if (batch === 0) await are('young')
    }
    await are('grown')
  })

  it('a batch is accepted, accepted again and settled for what it touches', async () => {
    const commands = newCommands()
    await expectRows(batchSize * rowsEach, async () => expect(await accept(commands)).toEqual(new Set(['accepted'])))
    await expectRows(batchSize * rowsEach, async () => expect(await accept(commands)).toEqual(new Set(['replayed'])))
    await expectRows(batchSize * rowsEach, async () => expect(await settle(commands)).toEqual(new Set(['settled'])))
  })

  it('a single payment costs what it touches', async () => {
    const commands = newCommands().slice(0, 1)
    // The accounts of the two tenants fill less than a page, so PostgreSQL may read all of it.
    await expectRows(300, async () => {
      expect(await accept(commands)).toEqual(new Set(['accepted']))
      expect(await settle(commands)).toEqual(new Set(['settled']))
    })
  })

  it('payments and balances are looked up for what they are', async () => {
    const commands = newCommands()
    await accept(commands)
    const keys = commands.map(({ draft: { reference } }) => ({ tenantId: tenant.id, reference }))
    const absent = keys.map(({ tenantId, reference }) => ({ tenantId, reference: `${reference}-NOT` }))
    const readers = inLane(db.readers, tenant.lane)
    await expectRows(batchSize * 4, async () => {
      expect(await findPayments(readers, [...keys, ...absent])).toHaveLength(batchSize)
      expect(await readBalances(readers, [tenant.id])).toHaveLength(2)
    })
  })
})

function transferFor(tenant: Tenant, reference: string): AcceptCommand {
  return commandFor(tenant, requestOf({ reference, amount: toMoney(1_000) }), { keepMs: 10_000 })
}

function collectionFor(tenant: Tenant, reference: string): AcceptCommand {
  const draft: Draft = {
    kind: 'momo_collection',
    reference,
    amount: toMoney(1_000),
    currency: 'NGN',
    phoneNumber: '+2348000000001',
    operator: 'mtn',
    customerName: null,
    approval: { kind: 'handset' },
    narration: null,
    metadata: null,
  }
  return { ...transferFor(tenant, reference), draft }
}
