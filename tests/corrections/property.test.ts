// Random adjustments and returns of two processes at once, beside payments that are accepted and end: the books hold, and each
// review item pays for one correction at most.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import type { Actor, Tenant } from '#platform/context.ts'
import { createLanes } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import { createCorrections, correctionInvariants } from '#corrections/corrections.ts'
import { floatInvariants, ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { createSettleByHand, type Source } from '#payments/settle.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { useSettling } from '#tests/payments/settling.ts'
import { asOwner } from '#tests/support/owner.ts'
import { newException } from './items.ts'

const { database, ctx, lanes, open } = await useSettling()
const by: Actor = { kind: 'terminal', name: 'ada@office' }
const rail: Source = { kind: 'rail', environment: 'production', rail: 'a' }
const invariants = [...ledgerInvariants, ...floatInvariants, ...paymentInvariants, ...correctionInvariants]
const payments = 6
const items = 4

type Step =
  | { kind: 'adjust'; who: number; item: number; amount: bigint; process: number }
  | { kind: 'return'; who: number; payment: number; item: number | null; toBank: boolean; process: number }
  | { kind: 'accept' | 'succeed' | 'reverse'; who: number; payment: number }

const who = fc.nat(1)
const payment = fc.nat(payments - 1)
const process = fc.nat(1)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('adjust' as const),
    who,
    item: fc.nat(items - 1),
    amount: fc.oneof(fc.bigInt(-12_000_000n, -1n), fc.bigInt(1n, 5_000_000n)),
    process,
  }),
  fc.record({
    kind: fc.constant('return' as const),
    who,
    payment,
    item: fc.option(fc.nat(items - 1)),
    toBank: fc.boolean(),
    process,
  }),
  fc.record({ kind: fc.constantFrom('accept' as const, 'succeed' as const, 'reverse' as const), who, payment }),
)

it('the books hold after any of them, at once in two processes', async () => {
  const other = createLanes(ctx)
  const processes = [lanes, other].map(({ of }) =>
    createCorrections({ ctx, laneOf: of, settleByHand: createSettleByHand(ctx, of) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 4 }), async (rounds) => {
      const room = await open()
      const because = await Promise.all(Array.from({ length: items }, () => newException(database, ctx, null)))
      const adjusted: string[] = []
      for (const round of rounds) await Promise.all(round.map((one) => take(room, because, one, adjusted)))
      expect(adjusted.toSorted()).toEqual([...new Set(adjusted)].toSorted())
      const sql = `select reference from ledger_movement where kind = 'adjustment' and reference = any($1::text[])`
      const moved = await asOwner<{ reference: string }>(database, sql, [because])
      expect(moved.map(({ reference }) => reference).toSorted()).toEqual(adjusted.toSorted())
      for (const tenant of room.tenants) {
        const balances = Object.values(await balancesOf(ctx.db, tenant))
        expect(balances.reduce((sum, one) => sum + one, 0n)).toBe(0n)
      }
      expect(await verifyLedger(ctx, { invariants })).toEqual([])
    }),
    { numRuns: 12 },
  )
  await other.drain()

  async function take(
    room: Awaited<ReturnType<typeof open>>,
    because: string[],
    one: Step,
    adjusted: string[],
  ): Promise<void> {
    const tenant: Tenant = present(room.tenants[one.who], 'there are two')
    if (one.kind === 'adjust') {
      const item = present(because[one.item], 'there are so many')
      const wish = { currency: 'NGN' as const, amount: toMoney(one.amount), because: item, note: 'x', by }
      const outcome = await present(processes[one.process], 'there are two').adjust(tenant, wish)
      if (outcome.kind === 'adjusted') adjusted.push(item)
      return
    }
    const reference = `R-${one.payment}`
    if (one.kind === 'return') {
      const named = one.item === null ? {} : { because: present(because[one.item], 'there are so many') }
      const wish = { reference, as: 'returned' as const, toBank: one.toBank, note: 'x', by, ...named }
      await present(processes[one.process], 'there are two').settle(tenant, wish)
    } else if (one.kind === 'accept') await room.accept(tenant, reference)
    else {
      const result = one.kind === 'succeed' ? { kind: 'succeeded' as const } : { kind: 'reversed' as const }
      await room.settle(tenant, reference, { result, source: rail })
    }
  }
})
