// What tests of settling stand on: two tenants of one lane that use the same references, and whatever is asked in one turn
// rides in one batch, in that order.

import type { Tenant } from '#base/context.ts'
import { toKobo } from '#base/money.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/deposit.ts'
import { createEventPipe } from '#events/pipe.ts'
import { acceptOperation, type AcceptCommand, type AcceptOutcome } from '#payments/accept.ts'
import { putDownOperation, type PutDown } from '#payments/put-down.ts'
import { settleOperation, type SettleCommand, type SettleOutcome } from '#payments/settle.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { commandFor, createTenant, requestOf, startProcess, type Process } from './process.ts'

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
  rail_reference: string | null
  updated_at: Date
  succeeded_at: Date | null
  session_id: string | null
}

export async function useSettling() {
  const database = await useTestDatabase()
  const clock = createFakeClock()

  /** With payments `first` and `second` of each, whose leases all end at times of their own. */
  async function open() {
    const process: Process = startProcess({ database, clock, carries: false })
    const { ctx, lanes } = process
    const tenants = [await createTenant(process), await createTenant(process)] as const
    const operations = {
      accepting: acceptOperation(ctx),
      settling: settleOperation(ctx, createEventPipe(clock), createInflows(ctx, depositFees)),
      puttingDown: putDownOperation(ctx),
    }
    const accept = (tenant: Tenant, reference: string, more: Partial<AcceptCommand> = {}): Promise<AcceptOutcome> =>
      lanes.of(tenant.lane).submit(operations.accepting, {
        ...commandFor(tenant, requestOf({ reference })),
        rail: { kind: 'served', rail: 'a' },
        ...more,
      })
    return {
      process,
      tenants,
      accept,
      settle: (
        tenant: Tenant,
        reference: string,
        rest: Omit<SettleCommand, 'tenantId' | 'reference'>,
      ): Promise<SettleOutcome> =>
        lanes.of(tenant.lane).submit(operations.settling, { tenantId: tenant.id, reference, ...rest }),
      putDown: (tenant: Tenant, row: Omit<PutDown, 'tenantId'>): Promise<void> =>
        lanes.of(tenant.lane).submit(operations.puttingDown, { tenantId: tenant.id, ...row }),
      rows: ({ id }: Tenant): Promise<Kept[]> =>
        asOwner<Kept>(database, 'select * from payment where tenant_id = $1 order by reference', [id]),
    }
  }

  type Room = Awaited<ReturnType<typeof open>>

  /** Four payments: the same two references of both tenants, each with an end of its lease that no other has. */
  async function openWithFour() {
    const room: Room = await open()
    const all = room.tenants.flatMap((tenant) => ['R-1', 'R-2'].map((reference) => ({ tenant, reference })))
    const four = all.map((one, index) => ({ ...one, index, keepMs: (index + 1) * 60_000 }))
    await Promise.all(
      four.map(({ tenant, reference, keepMs, index }) =>
        room.accept(tenant, reference, {
          ...commandFor(tenant, requestOf({ reference, amount: toKobo(100_000 + index) })),
          rail: { kind: 'served', rail: 'a' },
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

  return { database, clock, open, openWithFour }
}
