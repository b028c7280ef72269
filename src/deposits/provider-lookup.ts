// Finds deposits by the provider's id, across all tenants, and the rail of a provider. Also finds the last failed deposit of
// an account, and polls providers about deposits that stay PENDING.

import { type Context, type Environment, environments, type Tenant } from '#platform/context.ts'
import { arraysOf, type Db, inLane, type InLane, type Queryable, statement } from '#platform/db/db.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Money } from '#platform/money.ts'
import type { InboundNotices } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Deposit, DepositStatus, ReceiveCommand, ReceiveOutcome } from './deposit.ts'
import { depositColumnsOf, findDepositsOfNotices } from './queries.ts'

type DepositOfProvider = {
  providerId: string
  lane: number
  status: DepositStatus
  currency: string
  amount: Money
  accountNumber: string
  /** The money came but must go back. */
  isReturned: boolean
}

type ProviderName = { environment: Environment; provider: string }

const placesOf = statement(
  'deposits.places_of_provider',
  `select n.lane, n.tenant_id as "tenantId", n.provider_id as "providerId"
     from unnest($3::text[]) as k (value)
     cross join lateral (
       select * from provider_notice
        where environment = $1 and provider = $2 and provider_id = k.value limit 1) as n`,
)

// In the order of the index of notices, as in queries.ts.
const byProvider = statement(
  'deposits.of_provider',
  `select d.provider_id as "providerId", d.lane, d.status, d.currency, d.amount,
          d.account_number as "accountNumber", d.return_reason is not null as "isReturned"
     from unnest($3::uuid[], $4::text[]) as k (tenant_id, provider_id)
     cross join lateral (
       select * from deposit
        where lane = $1 and (tenant_id, provider, provider_id) >= (k.tenant_id, $2, k.provider_id)
        order by tenant_id, provider, provider_id limit 1) as d
    where d.tenant_id = k.tenant_id and d.provider = $2 and d.provider_id = k.provider_id`,
)

type NoticeOwner = { lane: number; tenantId: Uuid; providerId: string }

/** Finds the lane and tenant of each deposit in provider_notice, then queries each lane for its own deposits. */
export async function findOfProvider(
  db: Queryable,
  { environment, provider }: ProviderName,
  ids: string[],
): Promise<DepositOfProvider[]> {
  const places = await db.query<NoticeOwner>(placesOf, [environment, provider, ids])
  const found: DepositOfProvider[] = []
  for (const [lane, ofLane] of Map.groupBy(places, (place) => place.lane)) {
    const keys = arraysOf(ofLane, 'tenantId', 'providerId')
    found.push(...(await db.query<DepositOfProvider>(byProvider, [lane, provider, ...keys])))
  }
  return found
}

export async function findDepositOfNotice(
  db: Db,
  { environment, provider, providerId }: ProviderName & { providerId: string },
): Promise<Deposit | undefined> {
  const [place] = await db.query<NoticeOwner>(placesOf, [environment, provider, [providerId]])
  if (place === undefined) return undefined
  const [found] = await findDepositsOfNotices(inLane(db, place.lane), [{ ...place, provider }])
  return found
}

const keptIds = statement(
  'deposits.kept_ids',
  `select n.provider_id as "providerId" from unnest($3::text[]) as k (value)
    cross join lateral (
      select provider_id from inbound_notice
       where environment = $1 and provider = $2 and provider_id = k.value and resolved_at is null limit 1) as n`,
)

function findKeptIds(
  db: Queryable,
  { environment, provider }: ProviderName,
  ids: string[],
): Promise<{ providerId: string }[]> {
  return db.query(keptIds, [environment, provider, ids])
}

/** `kept`: its notice is stored for review. */
export type KnownMoney = ({ kind: 'deposit' } & DepositOfProvider) | { kind: 'kept' }

/**
 * Maps the provider's ids to the deposits or stored notices that we have. A missing id was never reported, or could not
 * be applied.
 */
export async function findKnownMoney(
  { db }: Pick<Context, 'db'>,
  from: { environment: Environment; provider: string },
  providerIds: string[],
): Promise<Map<string, KnownMoney>> {
  const [deposits, kept] = await Promise.all([
    findOfProvider(db, from, providerIds),
    findKeptIds(db, from, providerIds),
  ])
  return new Map<string, KnownMoney>([
    ...kept.map(({ providerId }) => [providerId, { kind: 'kept' }] as const),
    ...deposits.map((deposit) => [deposit.providerId, { kind: 'deposit', ...deposit }] as const),
  ])
}

/** Deposits store the name of the provider. In each adapter it is the name of the rail, as the float books require. */
type ProviderRail = { environment: Environment; provider: string; rail: string }

export function providersOf(rails: RailRegistry): ProviderRail[] {
  return environments.flatMap((environment) =>
    rails.namesOf(environment).flatMap((rail) => {
      const answer = rails.inbound(environment, { rail })
      return answer.kind === 'served' ? [{ environment, provider: answer.port.provider, rail }] : []
    }),
  )
}

export function railOfProvider(rails: RailRegistry, environment: Environment, provider: string): string | undefined {
  return providersOf(rails).find((one) => one.environment === environment && one.provider === provider)?.rail
}

// Polls providers about deposits that stay PENDING. Deposits are claimed in the lane under the tenants' locks; no
// transaction is open while a provider is asked, and its answer is applied like any other notice.

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

// Uses only the index of FAILED deposits, because a static account may have had any number of payments since the last one.
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
