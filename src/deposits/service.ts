// The deposits service: receives notices, simulates, settles, adopts, reads and polls deposits, and sends refunds.

import { present } from '#platform/assert.ts'
import { traceOf, type Environment, type Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { createFirstSeen } from '#platform/cache.ts'
import { newUuid } from '#platform/ids.ts'
import type { Writer } from '#platform/db/lane.ts'
import type { AccountOwner, Owners } from '#virtual-accounts/account-owners.ts'
import type { EventOutbox } from '#events/outbox.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { storeForReview, objectionTo } from './notice-claims.ts'
import { adoptNotice, type Adoption, type AdoptOutcome } from './adopt.ts'
import type {
  Deposit,
  DepositFees,
  DepositStatus,
  OwnedNotice,
  ReceiveCommand,
  ReceiveOutcome,
  TestersOutcome,
} from './deposit.ts'
import { createDepositReader, listDeposits, type DepositPage, type ListQuestion } from './list.ts'
import { pollPending } from './poll.ts'
import { railOfProvider } from './provider-lookup.ts'
import { findLastFailed } from './queries.ts'
import { receiveOperation } from './record.ts'
import { applyRefundNotice, type RefundedMoney, sendBackRefunds } from './refunds.ts'

/** A payment that a tester makes up. */
export type SandboxDeposit = Omit<OwnedNotice, 'provider' | 'providerId' | 'currency' | 'occurredAtMs'>

export type Deposits = {
  /** Applies a provider's notice; stores it for review if it cannot become a deposit. */
  receive(environment: Environment, notice: DepositNotice): Promise<ReceiveOutcome | { kind: 'kept' }>
  /** Simulates an incoming payment on staging. */
  simulate(tenant: Tenant, simulated: SandboxDeposit): Promise<TestersOutcome>
  /** A tester settles a PENDING deposit. */
  settle(tenant: Tenant, reference: string, status: DepositStatus): Promise<TestersOutcome>
  /** An operator names the owner of money that awaits review. */
  adopt(wish: Adoption): Promise<AdoptOutcome>
  read(tenant: Tenant, reference: string): Promise<Deposit | undefined>
  list(tenant: Tenant, question: ListQuestion): Promise<DepositPage>
  /** The last failed payment to an account. */
  lastFailed(tenant: Tenant, accountNumber: string): Promise<Deposit | undefined>
  /** Polls the PENDING deposits of a lane; resolves with how many were due. */
  poll(lane: number): Promise<number>
  /** Applies a provider's refund notice: a worker asks the rail at once. `ended`: there is no refund to ask about. */
  applyRefundNotice(environment: Environment, money: RefundedMoney): Promise<'asked' | 'ended'>
  /** Sends refunds of a lane; resolves with how many were due. */
  sendBack(lane: number): Promise<number>
}

export type DepositsOptions = Writer & {
  rails: RailRegistry
  owners: Owners
  events: EventOutbox
  fees: DepositFees
}

export function createDeposits({ ctx, rails, laneOf, owners, events, fees }: DepositsOptions): Deposits {
  const receiving = receiveOperation({ ctx, fees, events })
  const reader = createDepositReader(ctx)
  const absences = createFirstSeen(ctx.clock)
  // The kind of command determines the possible outcomes.
  const askTester = (tenant: Tenant, command: ReceiveCommand): Promise<TestersOutcome> =>
    laneOf(tenant.lane).submit(receiving, command) as Promise<TestersOutcome>
  return {
    async receive(environment, notice) {
      const owner = await owners.find(environment, { account: notice.account, atMs: notice.occurredAtMs })
      const rail = railOfProvider(rails, environment, notice.provider) ?? notice.provider
      const objection = objectionTo(notice, owner, rail)
      if (objection !== undefined) {
        await storeForReview(ctx, environment, { notice, owner, objection })
        return { kind: 'kept' }
      }
      const { tenant, ...paid } = present(owner, 'where there is no owner, there is an objection')
      return laneOf(tenant.lane).submit(receiving, { kind: 'notice', tenant, notice: ownedNotice(notice, paid) })
    },
    async simulate(tenant, simulated) {
      const nowMs = ctx.clock.now()
      const account = { number: simulated.accountNumber }
      const owner = await owners.find(tenant.environment, { account, atMs: nowMs })
      if (owner?.tenant.id !== tenant.id) return { kind: 'not-found' }
      // The clock of the process that opened the account may be slightly ahead.
      const occurredAtMs = Math.max(nowMs, owner.openedAt.getTime())
      const named = { provider: 'simulator', providerId: newUuid(nowMs), currency: 'NGN' as const, occurredAtMs }
      const notice = { ...simulated, ...named }
      return askTester(tenant, { kind: 'notice', tenant, notice, simulated: true, trace: traceOf(ctx) })
    },
    async settle(tenant, reference, status) {
      const deposit = await reader.read(tenant, reference)
      if (deposit === undefined) return { kind: 'not-found' }
      return askTester(tenant, { kind: 'settle', tenant, deposit, status, trace: traceOf(ctx) })
    },
    adopt: (wish) => adoptNotice({ ctx, owners, laneOf, receiving }, wish),
    read: (tenant, reference) => reader.read(tenant, reference),
    list: (tenant, question) => listDeposits(ctx, tenant, question),
    lastFailed: (tenant, accountNumber) =>
      findLastFailed(inLane(ctx.db, tenant.lane), { tenantId: tenant.id, accountNumber }),
    poll: (lane) => pollPending({ ctx, rails, laneOf, receiving }, lane),
    applyRefundNotice: (environment, money) => applyRefundNotice(ctx, environment, money),
    sendBack: (lane) => sendBackRefunds({ ctx, rails, absences }, lane),
  }
}

/** The provider's clock may date a payment before its account was opened, so the time is corrected. */
function ownedNotice(
  { account: _account, ...notice }: DepositNotice,
  paid: Pick<AccountOwner, 'accountNumber' | 'openedAt'>,
): OwnedNotice {
  const { accountNumber, openedAt } = paid
  return { ...notice, accountNumber, occurredAtMs: Math.max(notice.occurredAtMs, openedAt.getTime()) }
}
