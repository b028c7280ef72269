// Asking what became of deposits that stay PENDING. Who is due is claimed in the lane, under the tenants' locks; no
// transaction is open while a provider is asked, and what it says is taken like any other notice.

import type { Environment, Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import type { Operation, Writer } from '#base/lane.ts'
import type { InboundNotices } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { ReceiveCommand, ReceiveOutcome } from './command.ts'
import { railOfProvider } from './rail-of-provider.ts'
import { findDueDeposits, type Due } from './sql-due.ts'

type Chaser = Writer & {
  rails: RailRegistry
  receiving: Operation<ReceiveCommand, ReceiveOutcome>
}

/** A provider is asked about so many at once by a process. */
const atOnceMax = 32

/** Those of a lane that are due; resolves with how many there were. */
export async function chasePending(chaser: Chaser, lane: number): Promise<number> {
  const { ctx } = chaser
  const due = await findDueDeposits(inLane(ctx.db, lane), new Date(ctx.clock.now()), atOnceMax)
  await Promise.all(due.map((deposit) => chase(chaser, deposit)))
  return due.length
}

async function chase({ ctx, rails, laneOf, receiving }: Chaser, deposit: Due): Promise<void> {
  const { lane, tenantId: id, environment, provider } = deposit
  const tenant: Tenant = { lane, id, environment }
  const port = portOf(rails, environment, provider)
  const look = { kind: 'look' as const, tenant, deposit, canBeAsked: port?.ask !== undefined }
  const outcome = await laneOf(lane).submitOwn(receiving, look)
  if (outcome.kind !== 'ask' || port?.ask === undefined) return
  const answer = await port
    .ask(deposit)
    .catch((error: unknown) => ({ kind: 'unknown' as const, detail: String(error) }))
  if (answer.kind === 'unknown') {
    ctx.log.info(
      { deposit: deposit.id, provider, detail: answer.detail },
      'a provider does not know a pending deposit yet',
    )
    return
  }
  // Only about this one: whatever else it says is not what it was asked.
  const { account, ...told } = answer.notice
  const accountNumber = 'number' in account ? account.number : deposit.accountNumber
  const notice = { ...told, accountNumber, provider, providerId: deposit.providerId }
  await laneOf(lane).submitOwn(receiving, { kind: 'notice', tenant, notice })
}

function portOf(rails: RailRegistry, environment: Environment, provider: string): InboundNotices | undefined {
  const rail = railOfProvider(rails, environment, provider)
  const answer = rail === undefined ? undefined : rails.inbound(environment, { rail })
  return answer?.kind === 'served' ? answer.port : undefined
}
