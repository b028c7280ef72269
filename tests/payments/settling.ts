// The set-up of tests about settling: two tenants of one lane that use the same references. Commands of one turn share
// a batch, in their order.

import { afterAll } from 'vitest'
import type { Context, Tenant } from '#platform/context.ts'
import { createLanes } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/fees.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { openBook } from '#ledger/post.ts'
import { openingPostings } from '#ledger/chart.ts'
import { acceptOperation, type AcceptCommand, type AcceptOutcome } from '#payments/accept.ts'
import type { Draft } from '#payments/payment.ts'
import { postponeOperation, type PostponeCommand } from '#payments/execution/record-step.ts'
import { settleOperation, type SettleCommand, type SettleOutcome } from '#payments/settle.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

export type Kept = {
  id: string
  reference: string
  status: string
  rail: string
  attempts: number
  asks: number
  due_at: Date | null
  submitted_at: Date | null
  parked_at: Date | null
  rail_word: string | null
  submission_answer: string | null
  rail_reference: string | null
  updated_at: Date
  succeeded_at: Date | null
  session_id: string | null
}

const transfer: Draft = {
  kind: 'bank_transfer',
  reference: 'R',
  amount: toMoney(100_000),
  currency: 'NGN',
  bankSlug: 'guaranty-trust-bank',
  bankName: 'Guaranty Trust Bank',
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  narration: null,
  metadata: null,
}

/** A command for the rail `a`, which pays out ten naira and is not called yet. */
export function commandOf(tenant: Tenant, draft: Partial<Draft>): AcceptCommand {
  return {
    tenant,
    draft: { ...transfer, ...draft } as Draft,
    fee: toMoney(1_000),
    payeeIsKnown: true,
    rail: { kind: 'served', rail: 'a' },
    isToldOf: false,
    keyId: null,
    trace: null,
    keepMs: 0,
  }
}

/** Production begins with an empty balance. */
function fund(ctx: Context, tenant: Tenant): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const book = await openBook(tx, [tenant.id])
    const cause = { id: tenant.id, reference: 'test money', atMs: ctx.clock.now() }
    book.post(tenant.id, 'NGN', cause, openingPostings(toMoney(10_000_000)))
  }, tenant.lane)
}

export async function useSettling() {
  const database = await useTestDatabase()
  const clock = createFakeClock()

  const ctx: Context = createTestContext(database.connect(), clock)
  const lanes = createLanes(ctx)
  const operations = {
    accepting: acceptOperation(ctx),
    settling: settleOperation(ctx, createEventOutbox(clock), createInflows(ctx, depositFees)),
    postponing: postponeOperation(),
  }
  afterAll(async () => {
    await lanes.drain()
    await ctx.db.close()
  })

  async function open() {
    const businesses = [await createBusiness(ctx, 'One'), await createBusiness(ctx, 'Other')] as const
    const tenants = [businesses[0].tenants.production, businesses[1].tenants.production] as const
    for (const tenant of tenants) await fund(ctx, tenant)
    const accept = (tenant: Tenant, reference: string, more: Partial<AcceptCommand> = {}): Promise<AcceptOutcome> =>
      lanes.of(tenant.lane).submit(operations.accepting, { ...commandOf(tenant, { reference }), ...more })
    return {
      businesses,
      tenants,
      accept,
      settle: (
        tenant: Tenant,
        reference: string,
        rest: Omit<SettleCommand, 'tenantId' | 'reference'>,
      ): Promise<SettleOutcome> =>
        lanes.of(tenant.lane).submit(operations.settling, { tenantId: tenant.id, reference, ...rest }),
      postpone: (tenant: Tenant, row: Omit<PostponeCommand, 'tenantId'>): Promise<void> =>
        lanes.of(tenant.lane).submit(operations.postponing, { tenantId: tenant.id, ...row }),
      rows: ({ id }: Tenant): Promise<Kept[]> =>
        asOwner<Kept>(database, 'select * from payment where tenant_id = $1 order by reference', [id]),
    }
  }

  type Room = Awaited<ReturnType<typeof open>>

  /** Four payments: the same two references of both tenants, each with its own lease end. */
  async function openWithFour() {
    const room: Room = await open()
    const all = room.tenants.flatMap((tenant) => ['R-1', 'R-2'].map((reference) => ({ tenant, reference })))
    const four = all.map((one, index) => ({ ...one, index, keepMs: (index + 1) * 60_000 }))
    await Promise.all(
      four.map(({ tenant, reference, keepMs, index }) =>
        room.accept(tenant, reference, {
          ...commandOf(tenant, { reference, amount: toMoney(100_000 + index) }),
          keepMs,
        }),
      ),
    )
    const acceptedMs = clock.now()
    return {
      ...room,
      four: four.map(({ keepMs, ...one }) => ({ ...one, leaseEnd: new Date(acceptedMs + keepMs) })),
      allRows: async (): Promise<Kept[]> => (await Promise.all(room.tenants.map(room.rows))).flat(),
    }
  }

  return { database, clock, ctx, lanes, open, openWithFour }
}
