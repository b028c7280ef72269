// Accepting and settling, compared with a naive oracle: for any commands in any order, outcomes and rows are those
// computed by hand.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { acceptOperation, type AcceptOutcome } from '#payments/accept.ts'
import type { Result } from '#payments/payment.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/fees.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { settleOperation, type SettleCommand, type SettleOutcome } from '#payments/settle.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { knownBanks, Oracle, type Ask, type Word } from './oracle.ts'
import { commandFor, createTenant, requestOf, startProcess, type Process } from './process.ts'

const database = await useTestDatabase()
const tenantsMax = 3
const balance = 3_000_000

const tenant = fc.integer({ min: 0, max: tenantsMax - 1 })
const reference = fc.integer({ min: 0, max: 7 }).map((index) => `R-${index}`)
const amount = fc.constantFrom(1, 499_999, 500_000, 500_001, 900_000, 2_000_000, 9_000_000)
const bankSlug = fc.constantFrom(...knownBanks, ...knownBanks, 'no-such-bank')
const asks = fc.array(fc.record({ tenant, reference, amount, bankSlug }), { minLength: 1, maxLength: 12 })
const words = fc.array(
  fc.record({
    tenant,
    reference,
    result: fc.constantFrom('succeeded', 'failed', 'reversed'),
  }),
  {
    minLength: 1,
    maxLength: 12,
  },
)
const round = fc.oneof(
  asks.map((list) => ({ kind: 'accept' as const, list })),
  words.map((list) => ({ kind: 'settle' as const, list })),
)

const results: Record<Word['result'], Result> = {
  succeeded: { kind: 'succeeded', sessionId: '9'.repeat(30) },
  failed: { kind: 'failed', reason: 'DO_NOT_HONOR' },
  reversed: { kind: 'reversed' },
}

function openRoom(process: Process) {
  const accepting = acceptOperation(process.ctx)
  const settling = settleOperation(
    process.ctx,
    createEventOutbox(process.ctx.clock),
    createInflows(process.ctx, depositFees),
  )
  return {
    accept(owner: Tenant, ask: Ask): Promise<AcceptOutcome> {
      const request = requestOf({ reference: ask.reference, amount: toMoney(ask.amount), bankSlug: ask.bankSlug })
      return process.lanes.of(owner.lane).submit(accepting, commandFor(owner, request))
    },
    settle(owner: Tenant, word: Word): Promise<SettleOutcome> {
      const command: SettleCommand = {
        tenantId: owner.id,
        reference: word.reference,
        result: results[word.result],
      }
      return process.lanes.of(owner.lane).submit(settling, command)
    },
  }
}

type Left = {
  tenant_id: string
  reference: string
  ordinal: string
  status: string
  events: string[]
  movements: string[]
}

async function leftBy(tenants: Tenant[]) {
  const ids = tenants.map(({ id }) => id)
  const rows = await asOwner<Left>(
    database,
    `select tenant_id, reference, ordinal, status,
       array(select name from event e where e.lane = p.lane and e.tenant_id = p.tenant_id and e.source_id = p.id order by created_at, id) as events,
       array(select kind from ledger_movement m where m.lane = p.lane and m.tenant_id = p.tenant_id and m.source_id = p.id order by id) as movements
     from payment p where tenant_id = any($1) order by tenant_id, ordinal`,
    [ids],
  )
  const accounts = await asOwner<{ tenant_id: string; name: string; balance: string }>(
    database,
    'select tenant_id, name, credits - debits as balance from ledger_account where tenant_id = any($1)',
    [ids],
  )
  const of = (name: string): number[] =>
    ids.map((id) => Number(accounts.find((account) => account.tenant_id === id && account.name === name)?.balance))
  const payments = rows.map((row) => ({ ...row, tenant: ids.indexOf(row.tenant_id as never) }))
  return { payments, available: of('available'), reserved: of('reserved') }
}

function expectSame(left: Awaited<ReturnType<typeof leftBy>>, oracle: Oracle): void {
  const shown = ({
    tenant: owner,
    reference: name,
    ordinal,
    status,
    events,
    movements,
  }: Omit<Left, 'tenant_id' | 'ordinal'> & { tenant: number; ordinal: number | string }) =>
    `${owner} ${name} #${ordinal} ${status} ${events.join()} ${movements.join()}`
  expect(left.payments.map(shown).toSorted()).toEqual([...oracle.payments.values()].map(shown).toSorted())
  expect(left.available).toEqual(oracle.available)
  expect(left.reserved).toEqual(oracle.reserved)
}

const newTenants = (process: Process): Promise<Tenant[]> =>
  Promise.all(Array.from({ length: tenantsMax }, () => createTenant(process, 'production', BigInt(balance))))

describe('one process', () => {
  it('does what the oracle does, batch by batch', async () => {
    const clock = createFakeClock()
    const process = startProcess({ database, clock })
    const room = openRoom(process)
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 8 }), async (rounds) => {
        const tenants = await newTenants(process)
        const owner = (index: number): Tenant => tenants[index] as Tenant
        const oracle = new Oracle(tenants.map(() => balance))
        for (const { kind, list } of rounds) {
          clock.advance(1)
          // Submitted in one turn, they make one batch, in this order.
          const outcomes =
            kind === 'accept'
              ? await Promise.all(list.map((ask) => room.accept(owner(ask.tenant), ask)))
              : await Promise.all(list.map((word) => room.settle(owner(word.tenant), word)))
          const expected =
            kind === 'accept' ? list.map((ask) => oracle.accept(ask)) : list.map((word) => oracle.settle(word))
          expect(outcomes.map((outcome) => outcome.kind)).toEqual(expected)
        }
        expectSame(await leftBy(tenants), oracle)
      }),
      { numRuns: 60 },
    )
  })
})

describe('two processes on the same tenants at once', () => {
  it('together do what the oracle does in some order: one acceptance, one end and one debit each', async () => {
    const clock = createFakeClock()
    const processes = [startProcess({ database, clock }), startProcess({ database, clock })]
    const rooms = processes.map(openRoom)
    const room = (index: number) => rooms[index % 2] as (typeof rooms)[number]
    const command = fc.oneof(
      fc.record({
        ask: fc.record({
          tenant,
          reference,
          amount: fc.constantFrom(1, 500_001, 900_000),
          bankSlug: fc.constantFrom(...knownBanks),
        }),
      }),
      fc.record({
        word: fc.record({
          tenant,
          reference,
          result: fc.constantFrom('succeeded', 'failed', 'reversed'),
        }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 80 }), async (commands) => {
        const tenants = await newTenants(processes[0] as Process)
        const owner = (index: number): Tenant => tenants[index] as Tenant
        const outcomes = await Promise.all(
          commands.map(async (one, index) => {
            if ('ask' in one) return { ...one, kind: (await room(index).accept(owner(one.ask.tenant), one.ask)).kind }
            return { ...one, kind: (await room(index).settle(owner(one.word.tenant), one.word)).kind }
          }),
        )
        // The order in which processes decided is unknown, but the outcomes are enough to compute the rows.
        const oracle = new Oracle(tenants.map(() => balance))
        const left = await leftBy(tenants)
        const accepted = outcomes.flatMap((one) => ('ask' in one && one.kind === 'accepted' ? [one.ask] : []))
        const settled = outcomes.flatMap((one) => ('word' in one && one.kind === 'settled' ? [one.word] : []))
        const ordinalOf = (ask: Ask): number =>
          Number(left.payments.find((row) => row.tenant === ask.tenant && row.reference === ask.reference)?.ordinal)
        for (const ask of accepted.toSorted((a, b) => ordinalOf(a) - ordinalOf(b)))
          expect(acceptAnyway(oracle, ask)).toBe('accepted')
        for (const word of [
          ...settled.filter(({ result }) => result !== 'reversed'),
          ...settled.filter(({ result }) => result === 'reversed'),
        ]) {
          expect(oracle.settle(word)).toBe('settled')
        }
        expectSame(left, oracle)
        // The second command sees the effect of the first one, in any process.
        const second = outcomes.flatMap((one) =>
          'ask' in one && (one.kind === 'differs' || one.kind === 'replayed') ? [one] : [],
        )
        expect(second.map(({ ask }) => oracle.accept(ask))).toEqual(second.map(({ kind }) => kind))
      }),
      { numRuns: 40 },
    )
  })
})

/** Money that came back in between may have paid for it, so the oracle lends the balance here. */
function acceptAnyway(oracle: Oracle, ask: Ask): string {
  const loan = 1_000_000_000
  const lend = (sum: number): void => void (oracle.available[ask.tenant] = (oracle.available[ask.tenant] ?? 0) + sum)
  lend(loan)
  const outcome = oracle.accept(ask)
  lend(-loan)
  return outcome
}
