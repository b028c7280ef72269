// The progress of a proof counts each row that it reads once.

import { expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { setLimits } from '#payments/limits.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { useSettling } from './settling.ts'

const { ctx, open } = await useSettling()

it('counts rows, and is the same for pages of any size', async () => {
  const { tenants, accept, settle } = await open()
  const rail = { kind: 'rail' as const, environment: 'production' as const, rail: 'a' }
  for (const tenant of tenants) {
    await setLimits(ctx, tenant, { perDay: toMoney(1_000_000) })
    for (const reference of ['A', 'B', 'C']) await accept(tenant, reference)
    await settle(tenant, 'A', { result: { kind: 'succeeded' }, source: rail })
    await settle(tenant, 'B', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' }, source: rail })
  }
  const progressOf = async (rowsPerPage: number): Promise<number[]> => {
    const checked = new Map<string, number>()
    const onProgress = (done: { what: string; checked: number }): unknown => checked.set(done.what, done.checked)
    expect(await verifyLedger(ctx, { invariants: paymentInvariants, rowsPerPage, onProgress })).toEqual([])
    const [reserved, , events, ordinals, , incoming, float, causes, days] = paymentInvariants
    return [reserved, incoming, events, ordinals, float, causes, days].map((one) => checked.get(one?.name ?? '') ?? 0)
  }
  const [accounts, payments, queued, ended, paid] = [4, 6, 2, 4, 2]
  const rows = [accounts + queued, accounts, payments + ended, payments, payments, paid, tenants.length]
  for (const rowsPerPage of [20_000, 2]) expect(await progressOf(rowsPerPage)).toEqual(rows)
})
