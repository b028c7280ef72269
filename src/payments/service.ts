// The payments module, as entry points call it.

import type { Inflows } from '#deposits/from-collection.ts'
import type { EventOutbox } from '#events/outbox.ts'
import { createFirstSeen } from '#platform/cache.ts'
import type { Clock } from '#platform/clock.ts'
import { type Tenant, type Context, traceOf } from '#platform/context.ts'
import { hourMs } from '#platform/durations.ts'
import { Unavailable } from '#platform/errors.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Money, Currency } from '#platform/money.ts'
import { madeUpOperatorReference, madeUpSessionId } from '#rails/nip.ts'
import { findBank } from '#directory/banks.ts'
import { chooseOperator, type MomoOperator } from '#directory/operators.ts'
import { type RailWish, walletPayee, type RailPayee, bankPayee } from '#rails/choose.ts'
import { type CarriedAmounts, amountsOfDirectory, amountFaultOf } from '#rails/operator-offers.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { createExecutor, type ExecutorOptions } from './execution/executor.ts'
import { watchFloats } from './execution/failover.ts'
import { postponeOperation } from './execution/record-step.ts'
import type { Means } from './execution/step.ts'
import {
  acceptOperation,
  type MomoCollectionOutcome,
  type Unfit,
  type AcceptCommand,
  type AcceptOutcome,
  type BankTransferOutcome,
  type MomoTransferOutcome,
  type TwinAnswer,
} from './accept.ts'
import { createAlarms } from './review-items.ts'
import { watchBrakes } from './brakes.ts'
import { createVerifyOtp, type VerifyOtp } from './verify-otp.ts'
import { createPaymentReader, type PaymentPage, listPayments, type ListQuestion, type PaymentReader } from './list.ts'
import { type SettleByHand, createSettleByHand, settleOperation, type TestersOutcome } from './settle.ts'
import {
  type MomoCollectionRequest,
  type PaymentKind,
  type Draft,
  type BankTransferRequest,
  leavingReasons,
  type Result,
  type MomoTransferRequest,
} from './payment.ts'
import { type FeeSchedule, payoutFeeOf } from './fees.ts'
import { applyRailNotice, type RailNoticeOutcome, type PaymentNotice } from './rail-notice.ts'

export type Payments = PaymentReader & {
  /**
   * Accepts a payment, or returns the reason why not. For the outcome `replayed`, the API answers
   * `asAccepted(payment)`.
   */
  initiate(tenant: Tenant, request: BankTransferRequest, by?: Asker): Promise<BankTransferOutcome>
  /**
   * Accepts payments as if each was initiated after the one before it. A lane takes all of them, or none if too many
   * are waiting. `goesOn`: the lane took earlier payments of the same request, so it does not refuse these even if it
   * is full.
   */
  initiateMany(
    tenant: Tenant,
    requests: BankTransferRequest[],
    by?: Asker,
    goesOn?: boolean,
  ): Promise<(BankTransferOutcome | ItemFailure)[]>
  sendMomo(tenant: Tenant, request: MomoTransferRequest, by?: Asker): Promise<MomoTransferOutcome>
  collect(tenant: Tenant, request: MomoCollectionRequest, by?: Asker): Promise<MomoCollectionOutcome>
  verifyOtp: VerifyOtp
  list(tenant: Tenant, kind: PaymentKind, question: ListQuestion): Promise<PaymentPage>
  /** Ends a payment on staging at a tester's request, without its rail. */
  complete(tenant: Tenant, reference: string, result: Result): Promise<TestersOutcome>
  /** Ends or returns a payment by the decision of an operator of the installation. */
  settleByHand: SettleByHand
  hear(notice: PaymentNotice): Promise<RailNoticeOutcome>
  /** The fee of a collection is subtracted from its amount when the collection succeeds. */
  feeFor(amount: Money, currency?: Currency, kind?: PaymentKind): Money
  /** Resolves with the number of payments that were due. */
  work(lane: number): Promise<number>
  /**
   * Opens review items for unfinished payments; resolves with the number of payments of the lane that it examined, 0
   * after the last page.
   */
  raiseAlarms(lane: number): Promise<number>
  /** Returns the payments that this process has leased, so that other processes can claim them. */
  release(): Promise<void>
}

/**
 * The service could not accept one item of a bulk request because of an internal error; the log names its reference.
 */
export type ItemFailure = { kind: 'failed' }

/**
 * The requester of a payment. `keyId` is stored with the payment; null if there is no API key. `twins` is set if the
 * requester is a person, because a person may send the same payout twice.
 */
export type Asker = { keyId: Uuid | null; twins?: TwinAnswer | undefined }

const nobody: Asker = { keyId: null }

type PaymentsOptions = Omit<Means, 'settling' | 'postponing' | 'stops' | 'floats' | 'absences' | 'floatPatienceMs'> &
  ExecutorOptions & {
    events: EventOutbox
    fees: FeeSchedule
    inflows: Inflows
    /** The first key hashes one-time codes; all of them are used to compare codes. */
    secretKeys: Buffer[]
    /** How long a payout waits while the balance at its rail is too small. */
    floatPatienceHours?: number
  }

export function createPayments(options: PaymentsOptions): Payments {
  const { ctx, rails, laneOf, secretKeys } = options
  for (const why of leavingReasons) ctx.metrics.paymentsMoved.inc({ why }, 0)
  const means = meansOf(options)
  const accepting = acceptOperation(ctx, means.stops)
  const executor = createExecutor(means, options)

  function commandOf(tenant: Tenant, drafted: CheckedDraft, { keyId, twins }: Asker): AcceptCommand {
    const { draft, rail } = drafted
    const fee = feeOfPayment(options, draft)
    const queue = { kind: draft.kind, rail: rail.kind === 'served' ? rail.rail : null }
    const isToldOf = queue.rail !== null && rails.tellsOfPayments(queue.rail)
    const keepMs = executor.keepMs(queue, tenant.environment)
    return { ...drafted, tenant, fee, keyId, isToldOf, keepMs, trace: traceOf(ctx), twins }
  }

  async function executeAccepted({ environment }: Tenant, deciding: Promise<AcceptOutcome>): Promise<AcceptOutcome> {
    const outcome = await deciding
    if (outcome.kind === 'accepted' && outcome.leaseEnd !== null)
      executor.take(outcome.payment, environment, outcome.leaseEnd)
    return outcome
  }

  const accept = (tenant: Tenant, drafted: CheckedDraft, by: Asker): Promise<AcceptOutcome> =>
    executeAccepted(tenant, laneOf(tenant.lane).submit(accepting, commandOf(tenant, drafted, by)))

  function acceptMany(tenant: Tenant, drafted: CheckedDraft[], by: Asker, goesOn: boolean) {
    const commands = drafted.map((one) => commandOf(tenant, one, by))
    const deciding = laneOf(tenant.lane).submitAll(accepting, commands, goesOn)
    return Promise.all(
      deciding.map((one, index) => executeAccepted(tenant, one).catch(failureOf(ctx, commands[index]))),
    )
  }

  return {
    ...createPaymentReader(ctx),
    // The kind of the draft decides which outcomes are possible.
    initiate: (tenant, request, by = nobody) =>
      accept(tenant, draftBankTransfer(rails, tenant, request), by) as Promise<BankTransferOutcome>,
    initiateMany: (tenant, requests, by = nobody, goesOn = false) => {
      const drafted = requests.map((request) => draftBankTransfer(rails, tenant, request))
      return acceptMany(tenant, drafted, by, goesOn) as Promise<(BankTransferOutcome | ItemFailure)[]>
    },
    sendMomo: (tenant, request, by = nobody) =>
      accept(tenant, draftMomoTransfer(rails, tenant, request), by) as Promise<MomoTransferOutcome>,
    collect: (tenant, request, by = nobody) =>
      accept(tenant, draftMomoCollection(rails, tenant, request), by) as Promise<MomoCollectionOutcome>,
    verifyOtp: createVerifyOtp({ ...means, secretKeys }),
    list: (tenant, kind, question) => listPayments(ctx, tenant, kind, question),
    complete: (tenant, reference, told) => complete(means, tenant, { reference, told }),
    settleByHand: createSettleByHand(ctx, laneOf, means.settling),
    hear: (notice) => applyRailNotice(means, notice),
    feeFor: (amount, currency = 'NGN', kind = 'bank_transfer') => feeOfPayment(options, { kind, amount, currency }),
    work: (lane) => executor.work(lane),
    raiseAlarms: createAlarms(means),
    release: () => executor.release(),
  }
}

type Priced = Pick<Draft, 'kind' | 'amount' | 'currency'>

function feeOfPayment({ fees, inflows }: PaymentsOptions, { kind, amount, currency }: Priced): Money {
  return kind === 'momo_collection' ? inflows.feeOf(amount, currency) : payoutFeeOf(fees, amount, currency)
}

function meansOf({ ctx, rails, laneOf, events, inflows, floatPatienceHours = 24 }: PaymentsOptions): Means {
  return {
    ctx,
    rails,
    laneOf,
    stops: watchBrakes(ctx, rails),
    floats: watchFloats(ctx.clock, rails),
    absences: createFirstSeen(ctx.clock),
    floatPatienceMs: floatPatienceHours * hourMs,
    settling: settleOperation(ctx, events, inflows),
    postponing: postponeOperation(),
  }
}

function complete(
  { ctx, laneOf, settling }: Means,
  tenant: Tenant,
  { reference, told }: { reference: string; told: Result },
): Promise<TestersOutcome> {
  const result = withProof(ctx.clock, tenant, reference, told)
  const settled = laneOf(tenant.lane).submit(settling, { tenantId: tenant.id, reference, result })
  return settled as Promise<TestersOutcome>
}

/** An internal error of one payment does not stop the others; unavailability of the service is reported for all. */
function failureOf({ log }: Context, command: AcceptCommand | undefined): (error: unknown) => ItemFailure {
  return (error) => {
    if (error instanceof Unavailable) throw error
    const names = { tenant: command?.tenant.id, reference: command?.draft.reference }
    log.error({ ...names, err: error }, 'one payment of many could not be accepted')
    return { kind: 'failed' }
  }
}

/**
 * If a success has no session id or no operator reference, adds a made-up one. The payment then stores only the one
 * that belongs to its kind: a bank transfer the session id, mobile money the operator reference.
 */
export function withProof(clock: Clock, tenant: Tenant, reference: string, result: Result): Result {
  if (result.kind !== 'succeeded') return result
  const seed = `${tenant.id} ${reference}`
  return {
    ...result,
    sessionId: result.sessionId ?? madeUpSessionId(seed, clock.now()),
    operatorReference: result.operatorReference ?? madeUpOperatorReference(seed),
  }
}

// Makes the draft of a payment from the request of a business: looks up the bank or operator, chooses the rail, and checks
// that the operator takes the currency and the amount, also that the amount is whole where the operator has no decimals.
// accept.ts refuses the drafts that fail here, in the order of its own checks.

export type CheckedDraft = Pick<AcceptCommand, 'draft' | 'payeeIsKnown' | 'unfit' | 'rail'>

export function draftBankTransfer(rails: RailRegistry, tenant: Tenant, request: BankTransferRequest): CheckedDraft {
  const bank = findBank(request.bankSlug)
  const draft = { ...request, kind: 'bank_transfer' as const, bankName: bank?.name ?? '' }
  const rail = rails.payout(tenant.environment, { wish: wishOf(tenant, request, bankPayee(request.bankSlug)) })
  return { draft, payeeIsKnown: bank !== undefined, rail }
}

export function draftMomoTransfer(rails: RailRegistry, tenant: Tenant, request: MomoTransferRequest): CheckedDraft {
  const { accountNumber = null, accountReference = null } = request
  const operator = chooseOperator(tenant.environment, request)
  const draft = { ...request, ...ofOperator(operator), kind: 'momo_transfer' as const, accountNumber, accountReference }
  const payee = walletPayee(operator, draft.currency)
  const rail = rails.momoPayout(tenant.environment, { wish: wishOf(tenant, request, payee) })
  const carried = rails.carriedBy('momoPayout', tenant.environment, payee)
  // If no rail of the environment pays tills or paybills, they count as unknown.
  const payeeIsKnown = operator !== undefined && (operator.recipient === 'phone' || rail.kind === 'served')
  return { draft, payeeIsKnown, unfit: unfitOf(request, operator, carried), rail }
}

export function draftMomoCollection(rails: RailRegistry, tenant: Tenant, request: MomoCollectionRequest): CheckedDraft {
  const operator = chooseOperator(tenant.environment, request)
  const payee = walletPayee(operator, operator?.currency ?? 'NGN')
  const rail = rails.momoCollection(tenant.environment, { wish: wishOf(tenant, request, payee) })
  const carried = rails.carriedBy('momoCollection', tenant.environment, payee)
  const approval =
    operator === undefined || rail.kind === 'missing'
      ? { kind: 'handset' as const } // Acceptance refuses it, so no payer is asked.
      : rail.port.approval({ operator, phoneNumber: request.phoneNumber })
  const draft = { ...request, ...ofOperator(operator), kind: 'momo_collection' as const, approval }
  return { draft, payeeIsKnown: operator !== undefined, unfit: unfitOf(request, operator, carried), rail }
}

/** A repeated request with the same reference chooses the same route. */
function wishOf({ id }: Tenant, { amount, reference }: { amount: Money; reference: string }, to: RailPayee): RailWish {
  return { ...to, amount, seed: `${id} ${reference}` }
}

/** The currency of a wallet, till or paybill is that of its operator. One with an unknown operator cannot be paid. */
export function currencyOfMomo(
  tenant: Tenant,
  { operator, phoneNumber }: { operator?: string | null | undefined; phoneNumber?: string | null | undefined },
): Currency {
  return ofOperator(
    chooseOperator(tenant.environment, { operator: operator ?? undefined, phoneNumber: phoneNumber ?? null }),
  ).currency
}

/** Acceptance refuses a payment without an operator, so its currency does not matter. */
function ofOperator(operator: MomoOperator | undefined): { operator: string; currency: Currency } {
  return { operator: operator?.slug ?? '', currency: operator?.currency ?? 'NGN' }
}

function unfitOf(
  { amount, currency }: { amount: Money; currency: Currency | undefined },
  operator: MomoOperator | undefined,
  carried: readonly CarriedAmounts[],
): Unfit | undefined {
  if (operator === undefined) return undefined
  if (currency !== undefined && currency !== operator.currency) {
    return { kind: 'other-currency', currency: operator.currency }
  }
  const fault = amountFaultOf(carried.length === 0 ? [amountsOfDirectory(operator)] : carried, amount)
  return fault === undefined ? undefined : { ...fault, currency: operator.currency }
}
