// The payments room, as its doors see it.

import type { Context, Tenant } from '#base/context.ts'
import type { Lane } from '#base/lane.ts'
import type { EventPipe } from '#events/pipe.ts'
import type { Inflows } from '#deposits/from-collection.ts'
import type { RailRegistry } from '#rails/registry.ts'
import {
  acceptOperation,
  type AcceptCommand,
  type AcceptOutcome,
  type AnyOutcome,
  type CollectOutcome,
  type SendOutcome,
} from './accept.ts'
import { createCarrier } from './carry.ts'
import { draftBankTransfer, draftMomoCollection, draftMomoTransfer } from './draft.ts'
import { feeOf, type FeeSchedule } from './fees.ts'
import { CodeDesk, type OtpOutcome } from './otp.ts'
import type { MomoCollectionRequest, MomoTransferRequest, PaymentKind, PaymentOf, Request, Result } from './payment.ts'
import { createPaymentReader, listPayments, type ListQuestion, type PaymentPage } from './read.ts'
import { withProof } from './proof.ts'
import { settleOperation, type SettleOutcome } from './settle.ts'

export type Payments = {
  /** Each accepts, or says why not. The answer to `replayed` is `asAccepted(payment)`. */
  initiate(tenant: Tenant, request: Request): Promise<AcceptOutcome>
  sendMomo(tenant: Tenant, request: MomoTransferRequest): Promise<SendOutcome>
  collect(tenant: Tenant, request: MomoCollectionRequest): Promise<CollectOutcome>
  /** Takes a payer's one-time code to the operator. */
  verifyOtp(tenant: Tenant, reference: string, otp: string): Promise<OtpOutcome>
  /** A reference of another kind is not found. */
  read<K extends PaymentKind>(tenant: Tenant, kind: K, reference: string): Promise<PaymentOf<K> | undefined>
  list(tenant: Tenant, kind: PaymentKind, question: ListQuestion): Promise<PaymentPage>
  /** Ends a payment of any kind by a word that did not come from its rail: a tester's, on staging. */
  complete(tenant: Tenant, reference: string, result: Result): Promise<SettleOutcome>
  /** What a transfer costs. */
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
  inflows: Inflows
  /** Of this service; codes are compared under it. */
  secretKey: Buffer
  /** Whether this process also sends on what it accepts. */
  carries: boolean
  /** How many payments it may keep in hand at once. */
  inHandMax?: number
}

export function createPayments(options: PaymentsOptions): Payments {
  const { ctx, rails, laneOf, events, fees, inflows, secretKey, carries, inHandMax } = options
  const accepting = acceptOperation(ctx)
  const settling = settleOperation(ctx, events, inflows)
  const carrier = createCarrier({ ctx, rails, laneOf, settling, carries, inHandMax })
  const reader = createPaymentReader(ctx)
  const codes = new CodeDesk({ ctx, rails, laneOf, settling, secretKey })

  async function accept(
    tenant: Tenant,
    drafted: Pick<AcceptCommand, 'draft' | 'payeeIsKnown' | 'missingRail'>,
  ): Promise<AnyOutcome> {
    const { draft } = drafted
    const fee = draft.kind === 'momo_collection' ? inflows.feeOf(draft.amount) : feeOf(fees, draft.amount)
    const keepMs = carrier.keepMs(draft.kind, tenant.environment)
    const outcome = await laneOf(tenant.lane).submit(accepting, { ...drafted, tenant, fee, keepMs })
    if (outcome.kind === 'accepted' && outcome.payment.submittedAt !== null)
      carrier.take(outcome.payment, tenant.environment)
    return outcome
  }

  async function read<K extends PaymentKind>(tenant: Tenant, kind: K, reference: string) {
    const payment = await reader.read(tenant, reference)
    return payment?.kind === kind ? (payment as PaymentOf<K>) : undefined
  }

  return {
    // What cannot be drafted wrongly cannot come out of acceptance: a bank transfer has no operator, and so on.
    initiate: (tenant, request) => accept(tenant, draftBankTransfer(rails, tenant, request)) as Promise<AcceptOutcome>,
    sendMomo: (tenant, request) => accept(tenant, draftMomoTransfer(rails, tenant, request)) as Promise<SendOutcome>,
    collect: (tenant, request) =>
      accept(tenant, draftMomoCollection(rails, tenant, request)) as Promise<CollectOutcome>,
    verifyOtp: (tenant, reference, otp) => codes.verify(tenant, reference, otp),
    read,
    list: (tenant, kind, question) => listPayments(ctx, tenant, kind, question),
    complete: (tenant, reference, told) => {
      const result = withProof(ctx.clock, tenant, reference, told)
      return laneOf(tenant.lane).submit(settling, { tenantId: tenant.id, reference, result })
    },
    feeFor: (amount) => feeOf(fees, amount),
    work: (lane) => carrier.work(lane),
    release: () => carrier.release(),
  }
}
