// Polls providers about deposits that stay PENDING. Deposits are claimed in the lane under the tenants' locks; no
// transaction is open while a provider is asked, and its answer is applied like any other notice.

import type { Environment, Tenant } from '#platform/context.ts'
import { statement, type InLane, inLane } from '#platform/db/db.ts'
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

type Due = Deposit & { environment: Environment }

function findDueDeposits(db: InLane, now: Date, limit: number): Promise<Due[]> {
  return db.query<Due>(dueRows, [db.lane, now, limit])
}

// Uses the index of failed deposits only, because a static account may have had any number of payments since.
const lastFailedRow = statement(
  'deposits.last_failed',
  `select ${depositColumnsOf('d')} from deposit d
    where d.lane = $1 and d.tenant_id = $2 and d.account_number = $3 and d.account_number <> '' and d.status = 'FAILED'
      and (d.account_number, d.ordinal) > ($3, 0) and d.ordinal > 0
    order by d.account_number desc, d.ordinal desc limit 1`,
)

export async function findLastFailed(
  db: InLane,
  { tenantId, accountNumber }: PaidNumber,
): Promise<Deposit | undefined> {
  return (await db.query<Deposit>(lastFailedRow, [db.lane, tenantId, accountNumber]))[0]
}

type PaidNumber = Pick<Deposit, 'tenantId' | 'accountNumber'>

type Chaser = Writer & {
  rails: RailRegistry
  receiving: Operation<ReceiveCommand, ReceiveOutcome>
}

/** Questions that a process sends at once. */
const atOnceMax = 32

/** Polls the due deposits of a lane; resolves with how many were due. */
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
  // The answer counts only for this deposit, so its own provider and id replace those in the answer.
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
