// Polls providers about deposits that stay PENDING. Deposits are claimed in the lane under the tenants' locks
// (`schedulePoll` in apply-notice.ts says how often); no transaction is open while a provider is asked, and its answer is
// applied like any other notice.

import type { Environment, Tenant } from '#platform/context.ts'
import { inLane, type InLane, statement } from '#platform/db/db.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import type { InboundNotices } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Deposit, ReceiveCommand, ReceiveOutcome } from './deposit.ts'
import { railOfProvider } from './provider-lookup.ts'
import { depositColumnsOf } from './queries.ts'

// Reads without a lock; the decision is made under the tenant's lock, under which alone deposits change (queries.ts).
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

/** Deposits that a process polls at once. */
const atOnceMax = 32

/** Polls the due deposits of a lane; resolves with how many were due. */
export async function pollPending(poller: Poller, lane: number): Promise<number> {
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
  // The answer counts only for this deposit, so the deposit's provider, id and time replace those in the answer. By the
  // provider's clock, the payment may be older than the account that it paid.
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
