// The deposits service: receives notices, simulates, settles, adopts, reads and polls deposits, and sends refunds.

import { present } from '#platform/assert.ts'
import { traceOf, type Environment, type Tenant } from '#platform/context.ts'
import { inLane, type InLane, statement } from '#platform/db/db.ts'
import { createFirstSeen } from '#platform/cache.ts'
import { newUuid } from '#platform/ids.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import type { AccountOwner, Owners } from '#virtual-accounts/account-owners.ts'
import type { EventOutbox } from '#events/outbox.ts'
import type { DepositNotice, InboundNotices } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { storeForReview, objectionTo } from './notice-claims.ts'
import { adoptNotice, type Adoption, type AdoptOutcome } from './adopt.ts'
import type { Deposit, DepositStatus, OwnedNotice, ReceiveCommand, ReceiveOutcome, TestersOutcome } from './deposit.ts'
import type { DepositFees } from './fees.ts'
import { createDepositReader, listDeposits, type DepositPage, type ListQuestion } from './list.ts'
import { railOfProvider } from './provider-lookup.ts'
import { depositColumnsOf, findLastFailed } from './queries.ts'
import { receiveOperation } from './record.ts'
import { applyRefundNotice, type RefundedMoney, sendBackRefunds } from './refunds.ts'

/** A payment that a tester makes up. */
export type SandboxDeposit = Omit<OwnedNotice, 'provider' | 'providerId' | 'currency' | 'occurredAtMs'>

export type Deposits = {
  /** Stores the notice for review if it cannot become a deposit. */
  receive(environment: Environment, notice: DepositNotice): Promise<ReceiveOutcome | { kind: 'kept' }>
  simulate(tenant: Tenant, simulated: SandboxDeposit): Promise<TestersOutcome>
  /** A tester settles a PENDING deposit. */
  settle(tenant: Tenant, reference: string, status: DepositStatus): Promise<TestersOutcome>
  adopt(wish: Adoption): Promise<AdoptOutcome>
  read(tenant: Tenant, reference: string): Promise<Deposit | undefined>
  list(tenant: Tenant, question: ListQuestion): Promise<DepositPage>
  lastFailed(tenant: Tenant, accountNumber: string): Promise<Deposit | undefined>
  /** Resolves with the number of deposits that were due. */
  poll(lane: number): Promise<number>
  applyRefundNotice(environment: Environment, money: RefundedMoney): Promise<'asked' | 'ended'>
  /** Resolves with the number of refunds that were due. */
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
      // The account may have been opened by a process whose clock is slightly ahead, and no payment is dated before its
      // account.
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

// Polls providers about deposits that stay PENDING. No transaction is open while a provider is asked, and its answer is
// applied like any other notice.

// Reads without a lock, because `schedulePoll` (apply-notice.ts) decides again under the tenant's lock.
const dueRows = statement(
  'deposits.find_due',
  `with due as materialized (
     select * from deposit where lane = $1 and due_at <= $2 order by due_at limit $3)
   select ${depositColumnsOf('due')}, t.environment
     from due cross join lateral (select environment from tenant where lane = $1 and id = due.tenant_id limit 1) as t`,
)

type DueDeposit = Deposit & { environment: Environment }

function findDueDeposits(db: InLane, now: Date, limit: number): Promise<DueDeposit[]> {
  return db.query<DueDeposit>(dueRows, [db.lane, now, limit])
}

type Poller = Writer & {
  rails: RailRegistry
  receiving: Operation<ReceiveCommand, ReceiveOutcome>
}

const atOnceMax = 32

async function pollPending(poller: Poller, lane: number): Promise<number> {
  const { ctx } = poller
  const due = await findDueDeposits(inLane(ctx.db, lane), new Date(ctx.clock.now()), atOnceMax)
  await Promise.all(due.map((deposit) => poll(poller, deposit)))
  return due.length
}

async function poll({ ctx, rails, laneOf, receiving }: Poller, deposit: DueDeposit): Promise<void> {
  const { lane, tenantId: id, environment, provider } = deposit
  const tenant: Tenant = { lane, id, environment }
  const port = portOf(rails, environment, provider)
  const command = { kind: 'poll' as const, tenant, deposit, canBeAsked: port?.ask !== undefined }
  const outcome = await laneOf(lane).submitOwn(receiving, command)
  if (outcome.kind !== 'ask' || port?.ask === undefined) return
  const answer = await port
    .ask(deposit)
    .catch((error: unknown) => ({ kind: 'unknown' as const, detail: String(error) }))
  if (answer.kind === 'unknown') {
    ctx.log.info(
      { deposit: deposit.id, provider, detail: answer.detail },
      'a provider has not confirmed a pending deposit yet',
    )
    return
  }
  // The answer counts only for this deposit, so the deposit's provider, id and time replace those in the answer.
  const { account, ...told } = answer.notice
  const accountNumber = 'number' in account ? account.number : deposit.accountNumber
  const occurredAtMs = deposit.paidAt.getTime()
  const notice = { ...told, accountNumber, provider, providerId: deposit.providerId, occurredAtMs }
  await laneOf(lane).submitOwn(receiving, { kind: 'notice', tenant, notice })
}

function portOf(rails: RailRegistry, environment: Environment, provider: string): InboundNotices | undefined {
  const rail = railOfProvider(rails, environment, provider)
  const answer = rail === undefined ? undefined : rails.inbound(environment, { rail })
  return answer?.kind === 'served' ? answer.port : undefined
}
