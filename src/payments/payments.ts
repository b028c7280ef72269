// The payments room, as its doors see it.

import type { Context, Tenant } from '#base/context.ts'
import type { Lane } from '#base/lane.ts'
import { findBank } from '#directory/banks.ts'
import type { EventPipe } from '#events/pipe.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { acceptOperation, type AcceptOutcome } from './accept.ts'
import { createCarrier } from './carry.ts'
import { feeOf, type FeeSchedule } from './fees.ts'
import type { Payment, PaymentKind, Request, Result } from './payment.ts'
import { createPaymentReader, listPayments, type ListQuestion, type PaymentPage } from './read.ts'
import { withSessionId } from './session-id.ts'
import { settleOperation, type SettleOutcome } from './settle.ts'

export type Payments = {
  /** Accepts a bank transfer, or says why not. */
  initiate(tenant: Tenant, request: Request): Promise<AcceptOutcome>
  read(tenant: Tenant, reference: string): Promise<Payment | undefined>
  list(tenant: Tenant, kind: PaymentKind, question: ListQuestion): Promise<PaymentPage>
  /** Ends a payment by a word that did not come from its rail: a tester's, on staging. */
  complete(tenant: Tenant, reference: string, result: Result): Promise<SettleOutcome>
  feeFor(amount: Request['amount']): Request['amount']
  /** Takes up what is due in a lane; resolves with how much there was. */
  work(lane: number): Promise<number>
  /** Lets go of what this process holds. */
  release(): Promise<void>
}

export type PaymentsOptions = {
  ctx: Context
  rails: RailRegistry
  laneOf: (lane: number) => Lane
  events: EventPipe
  fees: FeeSchedule
  /** Whether this process also sends on what it accepts. */
  carries: boolean
  /** How many payments it may keep in hand at once. */
  inHandMax?: number
}

export function createPayments({ ctx, rails, laneOf, events, fees, carries, inHandMax }: PaymentsOptions): Payments {
  const accepting = acceptOperation(ctx)
  const settling = settleOperation(ctx, events)
  const carrier = createCarrier({ ctx, rails, laneOf, events, carries, inHandMax })
  const reader = createPaymentReader(ctx)
  return {
    async initiate(tenant, request) {
      const rail = rails.payout(tenant.environment)
      const outcome = await laneOf(tenant.lane).submit(accepting, {
        tenant,
        request,
        fee: feeOf(fees, request.amount),
        bank: findBank(request.bankSlug),
        missingRail: rail.kind === 'missing' ? rail.setting : undefined,
        keepMs: carrier.keepMs(tenant.environment),
      })
      if (outcome.kind === 'accepted' && outcome.payment.submittedAt !== null)
        carrier.take(outcome.payment, tenant.environment)
      return outcome
    },
    read: (tenant, reference) => reader.read(tenant, reference),
    list: (tenant, kind, question) => listPayments(ctx, tenant, kind, question),
    complete: (tenant, reference, told) => {
      const result = withSessionId(ctx.clock, tenant, reference, told)
      return laneOf(tenant.lane).submit(settling, { lane: tenant.lane, tenantId: tenant.id, reference, result })
    },
    feeFor: (amount) => feeOf(fees, amount),
    work: (lane) => carrier.work(lane),
    release: () => carrier.release(),
  }
}
