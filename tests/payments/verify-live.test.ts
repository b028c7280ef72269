// `ledger verify` beside live traffic, with pages, snapshots and pieces so small that every sum is split: right books
// never have a breach, and traffic does not hide one.

import { describe, expect, it } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { type Breach, ledgerInvariants, verifyLedger, type VerifyOptions } from '#ledger/verify.ts'
import type { PaymentKind, Result } from '#payments/payment.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createTenant, requestOf, startProcess, type Process } from './process.ts'

const database = await useTestDatabase()
await asOwner(database, 'update installation set lanes = 2')

const invariants = [...ledgerInvariants, ...paymentInvariants, ...depositInvariants]
const kinds: PaymentKind[] = ['bank_transfer', 'momo_transfer', 'momo_collection']
const words: Result[] = [
  { kind: 'succeeded' },
  { kind: 'succeeded' },
  { kind: 'failed', reason: 'LIMIT_EXCEEDED' }, // Both lists of reasons have it.
  { kind: 'reversed' },
]

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

async function ask({ payments }: Process, tenant: Tenant, kind: PaymentKind): Promise<string> {
  const request = requestOf({ amount: toMoney(pick([1, 100, 600_000])) })
  const { reference, amount, currency, narration, metadata } = request
  const wallet = {
    reference,
    amount,
    currency,
    narration,
    metadata,
    phoneNumber: '+2348000000008',
    operator: undefined,
  }
  if (kind === 'bank_transfer') await payments.initiate(tenant, request)
  else if (kind === 'momo_transfer') await payments.sendMomo(tenant, { ...wallet, accountName: null })
  else await payments.collect(tenant, { ...wallet, customerName: null })
  return reference
}

/**
 * This many steps run while one invariant is proved, one with each page, so that a slow machine comes to an end too.
 */
const stepsMax = 10

type World = { tenants: Tenant[]; verify: (size: VerifyOptions) => Promise<Breach[]> }

/** Two processes whose clocks disagree. While pages are read they do everything they can to three tenants. */
async function createWorld(): Promise<World> {
  await asOwner(database, 'truncate payment, deposit, event, ledger_movement, ledger_account')
  const processes = [40, -40].map((skewMs) =>
    startProcess({ database, clock: { ...systemClock, now: () => Date.now() + skewMs }, leasesNew: false }),
  )
  const [process, behind] = processes as [Process, Process]
  const tenants = await Promise.all([0, 1, 2].map(() => createTenant(process, 'staging')))
  const asked: { tenant: Tenant; reference: string }[] = []

  async function step(): Promise<void> {
    const tenant = pick(tenants)
    asked.push({ tenant, reference: await ask(pick(processes), tenant, pick(kinds)) })
    const { tenant: whose, reference } = pick(asked)
    await pick(processes).payments.complete(whose, reference, pick(words))
  }

  async function verify(size: VerifyOptions): Promise<Breach[]> {
    const steps = new Map<string, Promise<void>[]>()
    const onProgress = ({ what }: { what: string }): void => {
      const begun = steps.get(what) ?? []
      steps.set(what, begun)
      if (begun.length < stepsMax) begun.push(step())
    }
    const breaches = await verifyLedger(process.ctx, { ...size, invariants, onProgress })
    await Promise.all([...steps.values()].flat())
    return breaches
  }

  // Each tenant has a deposit by the clock that is behind, and a later payment by the one that is ahead.
  for (const tenant of tenants) {
    await behind.payments.complete(tenant, await ask(behind, tenant, 'momo_collection'), { kind: 'succeeded' })
    await ask(process, tenant, 'bank_transfer')
  }
  for (let count = 0; count < 40; count++) await step()
  return { tenants, verify }
}

const credits = invariants.findIndex(({ name }) => name.startsWith('each SUCCESSFUL deposit is credited'))

const sizes: VerifyOptions[] = [
  { rowsPerPage: 7, rowsPerSnapshot: 0 },
  { rowsPerPage: 50, rowsPerSnapshot: 0, snapshotMs: 200 },
  { rowsPerPage: 20, rowsPerSnapshot: 60, snapshotMs: 50 },
  { rowsPerPage: 11, rowsPerSnapshot: 1_000_000 },
]

describe('beside live traffic', () => {
  it('books that are right have no breach', async () => {
    const { verify } = await createWorld()
    for (let round = 0; round < 4; round++) for (const size of sizes) expect(await verify(size)).toEqual([])
  })

  it.each([
    ['totals', "update ledger_account set credits = credits + 1 where tenant_id = $1 and name = 'rail'", [0, 1]],
    ['an amount', 'update ledger_movement set amount = amount + 1 where tenant_id = $1 and entry = 3', [0, 3]],
    ['a hold', "update ledger_movement set credit = 'rail' where tenant_id = $1 and kind = 'hold'", [0, 5]],
    ['an entry', 'update ledger_movement set balance_after = 7 where tenant_id = $1 and entry = 3', [3]],
    ['a deposit', 'update deposit set amount = amount + 1 where tenant_id = $1 and ordinal = 1', [8, credits]],
    ['a number', 'update payment set ordinal = ordinal + 1000 where tenant_id = $1 and ordinal = 1 and kind = $2', [7]],
    ['an event', 'delete from event where tenant_id = $1', [6]],
  ] as const)('a breach does not hide: %s', async (_what, sql, broken) => {
    const { tenants, verify } = await createWorld()
    const tenant = pick(tenants)
    await asOwner(database, sql, sql.includes('$2') ? [tenant.id, 'bank_transfer'] : [tenant.id])
    for (const size of sizes) {
      const breaches = await verify(size)
      const names = breaches.map(({ invariant }) => invariant)
      expect(names).toEqual(expect.arrayContaining(broken.map((at) => invariants[at]?.name)))
      expect(new Set(breaches.map(({ tenantId }) => tenantId))).toEqual(new Set([tenant.id]))
    }
  })
})
