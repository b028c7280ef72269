// The deposits room, as its doors see it.

import type { Context, Environment, Tenant } from '#base/context.ts'
import { formatId, newUuid } from '#base/ids.ts'
import type { Lane } from '#base/lane.ts'
import type { Owners } from '#customers/owners.ts'
import type { EventPipe } from '#events/pipe.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { Deposit, DepositFees, DepositStatus } from './deposit.ts'
import { createDepositReader, listDeposits, type DepositPage, type ListQuestion } from './read.ts'
import { receiveOperation, type ReceiveOutcome } from './receive.ts'
import { keepNotice } from './sql.ts'

/** What a tester says of money that is made up. */
export type Simulated = Omit<DepositNotice, 'provider' | 'providerId' | 'currency' | 'occurredAtMs'>

export type Deposits = {
  /** Takes a provider's notice: recorded, or kept and flagged when the account is nobody's. */
  receive(environment: Environment, notice: DepositNotice): Promise<ReceiveOutcome | { kind: 'kept' }>
  /** Makes money arrive, on staging. */
  simulate(tenant: Tenant, simulated: Simulated): Promise<ReceiveOutcome>
  settle(tenant: Tenant, reference: string, status: DepositStatus): Promise<ReceiveOutcome>
  read(tenant: Tenant, reference: string): Promise<Deposit | undefined>
  list(tenant: Tenant, question: ListQuestion): Promise<DepositPage>
}

export type DepositsOptions = {
  ctx: Context
  laneOf: (lane: number) => Lane
  owners: Owners
  events: EventPipe
  fees: DepositFees
}

export function createDeposits({ ctx, laneOf, owners, events, fees }: DepositsOptions): Deposits {
  const receiving = receiveOperation({ ctx, fees, events })
  const reader = createDepositReader(ctx)
  return {
    async receive(environment, notice) {
      const tenant = await owners.find(environment, notice.accountNumber)
      if (tenant === undefined) {
        await keepNotice(ctx.db, environment, notice, new Date(ctx.clock.now()))
        const { provider, providerId } = notice
        ctx.log.error({ environment, provider, providerId }, 'money came for an unknown account; see inbound_notice')
        return { kind: 'kept' }
      }
      const outcome = await laneOf(tenant.lane).submit(receiving, { kind: 'notice', tenant, notice })
      if (outcome.kind === 'contradicted') {
        ctx.log.error(
          { deposit: outcome.deposit.id, notice: notice.providerId, word: notice.status },
          'a provider contradicts what it said of a deposit; ask it',
        )
      }
      if (outcome.kind === 'waits-for-room') {
        const { id } = outcome.deposit
        ctx.log.error({ deposit: formatId('deposit', id) }, 'the books have no room for a deposit; it stays PENDING')
      }
      return outcome
    },
    async simulate(tenant, simulated) {
      const owner = await owners.find(tenant.environment, simulated.accountNumber)
      if (owner?.id !== tenant.id) return { kind: 'not-found' }
      const nowMs = ctx.clock.now()
      const named = { provider: 'simulator', providerId: newUuid(nowMs), currency: 'NGN' as const, occurredAtMs: nowMs }
      const notice = { ...simulated, ...named }
      return laneOf(tenant.lane).submit(receiving, { kind: 'notice', tenant, notice, simulated: true })
    },
    async settle(tenant, reference, status) {
      const deposit = await reader.read(tenant, reference)
      if (deposit === undefined) return { kind: 'not-found' }
      return laneOf(tenant.lane).submit(receiving, { kind: 'settle', tenant, deposit, status })
    },
    read: (tenant, reference) => reader.read(tenant, reference),
    list: (tenant, question) => listDeposits(ctx, tenant, question),
  }
}
