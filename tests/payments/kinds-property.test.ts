// All three kinds of payments compared with a simple model: for any requests under any references, the module answers,
// reserves, spends and credits what the model computes.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { verifyLedger } from '#ledger/verify.ts'
import type { PaymentKind, Result } from '#payments/payment.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createTenant, requestOf, startProcess, type Process } from './process.ts'

const database = await useTestDatabase()

const kinds = ['bank_transfer', 'momo_transfer', 'momo_collection'] as const
const words = ['succeeded', 'failed', 'reversed'] as const
const reference = fc.integer({ min: 0, max: 5 }).map((index) => `R-${index}`)
const amount = fc.constantFrom(1, 100, 500_000, 500_001, 4_000_000_000, 40_000_000_000)
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom(...kinds), reference, amount }),
  fc.record({ word: fc.constantFrom(...words), reference }),
)

type Ask = { kind: PaymentKind; reference: string; amount: number }
type End = { word: (typeof words)[number]; reference: string }

const results: Record<End['word'], Result> = {
  succeeded: { kind: 'succeeded' },
  failed: { kind: 'failed', reason: 'LIMIT_EXCEEDED' }, // Both lists of reasons have it.
  reversed: { kind: 'reversed' },
}

/** Keeps the books one step after the other, as simply as possible. */
class Oracle {
  readonly payments = new Map<string, { kind: PaymentKind; amount: number; status: string }>()
  available = 100_000_000_000
  reserved = 0
  deposits = 0

  ask({ kind, reference: name, amount: sum }: Ask): string {
    const first = this.payments.get(name)
    if (first !== undefined) {
      if (first.kind !== kind) return 'other-kind'
      return first.amount === sum ? 'replayed' : 'differs'
    }
    const debit = kind === 'momo_collection' ? 0 : sum + this.#fee(sum)
    if (debit > this.available) return 'insufficient-balance'
    this.available -= debit
    this.reserved += debit
    this.payments.set(name, { kind, amount: sum, status: kind === 'momo_collection' ? 'PENDING' : 'queued' })
    return 'accepted'
  }

  end({ word, reference: name }: End): string {
    const payment = this.payments.get(name)
    if (payment === undefined) return 'not-found'
    const { kind, amount: sum, status } = payment
    const open = status === 'queued' || status === 'PENDING'
    const debit = kind === 'momo_collection' ? 0 : sum + this.#fee(sum)
    if (word === 'reversed') {
      if (status === 'REVERSED') return 'unchanged'
      if (status !== 'SUCCESS' || kind === 'momo_collection') return 'impossible'
      this.available += debit
      payment.status = 'REVERSED'
      return 'settled'
    }
    const wanted = word === 'succeeded' ? 'SUCCESS' : 'FAILED'
    if (!open) return status === wanted || (status === 'REVERSED' && wanted === 'SUCCESS') ? 'unchanged' : 'impossible'
    payment.status = wanted
    this.reserved -= debit
    if (wanted === 'FAILED') this.available += debit
    else if (kind === 'momo_collection') {
      this.available += sum - Math.min(30_000, Math.floor(sum / 100))
      this.deposits += 1
    }
    return 'settled'
  }

  #fee(sum: number): number {
    return sum <= 500_000 ? 1_000 : sum <= 5_000_000 ? 2_500 : 5_000
  }
}

async function ask({ payments }: Process, tenant: Tenant, { kind, reference: name, amount: sum }: Ask) {
  const request = requestOf({ reference: name, amount: toMoney(sum) })
  if (kind === 'bank_transfer') return payments.initiate(tenant, request)
  const { currency, narration, metadata } = request
  const shared = { reference: name, amount: toMoney(sum), currency, narration, metadata }
  const wallet = { ...shared, phoneNumber: '+2348000000008', operator: undefined }
  if (kind === 'momo_transfer') return payments.sendMomo(tenant, { ...wallet, accountName: null })
  return payments.collect(tenant, { ...wallet, customerName: null })
}

async function leftBy({ id }: Tenant) {
  const accounts = await asOwner<{ name: string; balance: string }>(
    database,
    'select name, credits - debits as balance from ledger_account where tenant_id = $1',
    [id],
  )
  const of = (name: string): number => Number(accounts.find((account) => account.name === name)?.balance)
  const rows = await asOwner<{ reference: string; status: string }>(
    database,
    'select reference, status from payment where tenant_id = $1 order by reference',
    [id],
  )
  const [counted] = await asOwner<{ deposits: string }>(
    database,
    'select count(*) as deposits from deposit where tenant_id = $1',
    [id],
  )
  const statuses = rows.map((row) => `${row.reference} ${row.status}`)
  return { available: of('available'), reserved: of('reserved'), deposits: Number(counted?.deposits), statuses }
}

it('does what the oracle does, batch by batch', async () => {
  const clock = createFakeClock()
  const process = startProcess({ database, clock, leasesNew: false })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), async (batches) => {
      const tenant = await createTenant(process, 'staging')
      const oracle = new Oracle()
      for (const batch of batches) {
        clock.advance(1)
        // The commands of one turn share a batch: first all acceptances, then all ends.
        const asks = batch.filter((one) => 'kind' in one)
        const ends = batch.filter((one) => 'word' in one)
        const accepted = await Promise.all(asks.map((one) => ask(process, tenant, one)))
        expect(accepted.map(({ kind }) => kind)).toEqual(asks.map((one) => oracle.ask(one)))
        const ended = await Promise.all(
          ends.map((one) => process.payments.complete(tenant, one.reference, results[one.word])),
        )
        expect(ended.map(({ kind }) => kind)).toEqual(ends.map((one) => oracle.end(one)))
      }
      const statuses = [...oracle.payments].map(([name, { status }]) => `${name} ${status}`).toSorted()
      const { available, reserved, deposits } = oracle
      expect(await leftBy(tenant)).toEqual({ available, reserved, deposits, statuses })
    }),
    { numRuns: 60 },
  )
  const invariants = [...paymentInvariants, ...depositInvariants]
  expect(await verifyLedger(process.ctx, { invariants, rowsPerPage: 500 })).toEqual([])
})
