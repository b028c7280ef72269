// One notice of a provider is one deposit of one business, whatever account number a repeated notice names and wherever
// it arrives.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import type { DepositNotice } from '#rails/rail.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { createTestDatabase, useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const credited = 9_900n

async function available(tenant: Tenant): Promise<bigint> {
  return (await balancesOf(room.ctx.db, tenant))['available'] ?? 0n
}

async function twoBusinesses(): Promise<{ tenants: Tenant[]; notices: DepositNotice[]; subject: string }> {
  const tenants = [await room.newTenant(), await room.newTenant()]
  const numbers = await Promise.all(tenants.map((tenant) => room.openStatic(tenant)))
  const { providerId } = room.notice({})
  const notices = numbers.map((accountNumber) => room.notice({ providerId, accountNumber, amount: 10_000 }))
  return { tenants, notices, subject: `production:bank:${providerId}` }
}

describe('a notice that comes again with the account number of another business', () => {
  it('credits the first one alone, and waits for an operator', async () => {
    const { tenants, notices, subject } = await twoBusinesses()
    const outcomes = []
    for (const notice of [...notices, ...notices]) outcomes.push(await room.deposits.receive('production', notice))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['recorded', 'taken', 'unchanged', 'taken'])
    expect(await Promise.all(tenants.map(available))).toEqual([credited, 0n])
    const raised = await exceptionsAbout(database, subject)
    expect(raised).toMatchObject([{ kind: 'notice-contradicted', tenant_id: tenants[1]?.id, amount: '10000' }])
    expect(raised[0]?.fact).toContain(JSON.stringify(notices[1]?.account).replaceAll(/\D/g, ''))
  })

  it('counts once if both copies come in one batch', async () => {
    const { tenants, notices } = await twoBusinesses()
    const outcomes = await Promise.all(notices.map((notice) => room.deposits.receive('production', notice)))
    const kinds = outcomes.map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['recorded', 'taken'])
    expect(await Promise.all(tenants.map(available))).toEqual(
      kinds.map((kind) => (kind === 'recorded' ? credited : 0n)),
    )
  })

  it('is another one in the other environment, and from another provider', async () => {
    const { tenants, notices } = await twoBusinesses()
    const [first, second] = notices as [DepositNotice, DepositNotice]
    expect((await room.deposits.receive('production', first)).kind).toBe('recorded')
    if ('number' in second.account) await room.openedBy(second.account.number, 'other')
    expect((await room.deposits.receive('production', { ...second, provider: 'other' })).kind).toBe('recorded')
    expect(await Promise.all(tenants.map(available))).toEqual([credited, credited])
  })
})

describe('notices that two processes get at once, each for another business in a lane of its own', () => {
  it('credit once each, however they are ordered, and no process waits for the other in a circle', async () => {
    const shared = await createTestDatabase()
    await asOwner(shared, 'update installation set lanes = 2')
    const processes = [createRoom(shared), createRoom(shared)] as const
    const tenants = [await processes[0].newTenant(), await processes[0].newTenant()]
    while (new Set(tenants.map(({ lane }) => lane)).size < 2) tenants[1] = await processes[0].newTenant()
    const numbers = await Promise.all(tenants.map((tenant) => processes[0].openStatic(tenant)))
    const ids = Array.from({ length: 400 }, (_, index) => `RACE-${(index * 7) % 400}`)
    const heard = await Promise.all(
      processes.map(({ deposits, notice }, index) => {
        const ordered = index === 0 ? ids : ids.toReversed()
        const accountNumber = numbers[index] ?? ''
        return Promise.all(
          ordered.map((providerId) =>
            deposits.receive('production', notice({ providerId, accountNumber, amount: 10_000 })),
          ),
        )
      }),
    )
    const kinds = heard.flat().map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'recorded')).toHaveLength(ids.length)
    expect(kinds.filter((kind) => kind === 'taken')).toHaveLength(ids.length)
    const balances = await Promise.all(tenants.map((tenant) => balancesOf(processes[0].ctx.db, tenant)))
    expect(balances.reduce((sum, { available: held }) => sum + (held ?? 0n), 0n)).toBe(credited * BigInt(ids.length))
    const [both] = await asOwner<{ twice: string }>(
      shared,
      'select count(*) - count(distinct provider_id) as twice from deposit',
    )
    expect(both?.twice).toBe('0')
    const invariants = [...ledgerInvariants, ...depositInvariants]
    expect(await verifyLedger(processes[0].ctx, { invariants })).toEqual([])
    await Promise.all(processes.map(({ ctx }) => ctx.db.close()))
    const [count] = await asOwner<{ deadlocks: string }>(
      shared,
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    await shared.drop()
    expect(count?.deadlocks).toBe('0')
  })
})
