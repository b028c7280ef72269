// `ledger verify` finds tampering with deposits and their movements, which only the owner of the database can do.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { depositReference, type Deposit } from '#deposits/deposit.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { type Breach, verifyLedger } from '#ledger/verify.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)

async function keepBooks(): Promise<{ tenant: Tenant; deposits: Record<Deposit['status'], Deposit> }> {
  const tenant = await room.newTenant()
  const accountNumber = await room.openStatic(tenant)
  async function receive(status: Deposit['status']): Promise<Deposit> {
    const outcome = await room.deposits.receive('production', room.notice({ accountNumber, status }))
    if (outcome.kind !== 'recorded') throw new Error(outcome.kind)
    return outcome.deposit
  }
  const deposits = {
    SUCCESSFUL: await receive('SUCCESSFUL'),
    PENDING: await receive('PENDING'),
    FAILED: await receive('FAILED'),
  }
  return { tenant, deposits }
}

async function breachesOf(tenant: Tenant, rowsPerPage: number): Promise<{ ids: string[]; message: string }[]> {
  const options = { invariants: depositInvariants, rowsPerPage }
  const told = (breaches: Breach[]): { ids: string[]; message: string }[] =>
    breaches.filter(({ tenantId }) => tenantId === tenant.id).map(({ ids, message }) => ({ ids, message }))
  const found = told(await verifyLedger(room.ctx, options))
  // The result is the same if each tenant is proved as a large one.
  expect(told(await verifyLedger(room.ctx, { ...options, rowsPerSnapshot: 0 }))).toEqual(found)
  return found
}

const again = `insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference,
  created_at) select lane, tenant_id, gen_random_uuid(), currency, 'rail', 'fees', amount, kind, source_id, reference,
  created_at from ledger_movement`

describe('deposits and movements that agree', () => {
  it('have no breach, in pages of any size', async () => {
    const { tenant } = await keepBooks()
    for (const rowsPerPage of [1, 2, 3, 20_000]) expect(await breachesOf(tenant, rowsPerPage)).toEqual([])
  })
})

describe('deposits and movements that disagree are named:', () => {
  it.each<[string, Deposit['status'], string, string]>([
    [
      'a credit that is missing',
      'SUCCESSFUL',
      'delete from ledger_movement where source_id = $1',
      'SUCCESSFUL, but not credited exactly once',
    ],
    [
      'a credit of another amount',
      'SUCCESSFUL',
      `update ledger_movement set amount = amount + 1 where source_id = $1`,
      'SUCCESSFUL, but not credited exactly once',
    ],
    [
      'a credit in another currency',
      'SUCCESSFUL',
      `update ledger_movement set currency = 'KES' where source_id = $1`,
      'SUCCESSFUL, but not credited exactly once',
    ],
    [
      'a fee that was taken twice',
      'SUCCESSFUL',
      `${again} where source_id = $1 and kind = 'deposit_fee'`,
      'SUCCESSFUL, but not credited exactly once',
    ],
    [
      'a credit of one that is no longer SUCCESSFUL',
      'SUCCESSFUL',
      `update deposit set status = 'FAILED' where id = $1`,
      'FAILED, but credited',
    ],
    [
      'a SUCCESSFUL one that nobody credited',
      'PENDING',
      `update deposit set status = 'SUCCESSFUL' where id = $1`,
      'SUCCESSFUL, but not credited exactly once',
    ],
    [
      'a credit of one that is gone',
      'SUCCESSFUL',
      'delete from deposit where id = $1',
      'movements credit a deposit that does not exist',
    ],
  ])('%s', async (_what, status, sql, message) => {
    const { tenant, deposits } = await keepBooks()
    const { id } = deposits[status]
    await asOwner(database, sql, [id])
    for (const rowsPerPage of [1, 20_000]) {
      expect(await breachesOf(tenant, rowsPerPage)).toEqual([{ ids: [depositReference(id)], message }])
    }
  })
})
