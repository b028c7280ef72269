// Notice claims: which tenant owns a notice, across all tenants and lanes. Also the notices that are stored because
// they could not be credited yet, and why.

import type { Environment, Tenant, Context } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type Queryable, type Tx, type ColumnValues } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { amountMax } from '#platform/money.ts'
import type { DepositNotice, PaidInto } from '#rails/rail.ts'
import { raiseReviewItem, noticeSubject, type ExceptionKind } from '#review/review-queue.ts'
import type { AccountOwner } from '#virtual-accounts/account-owners.ts'
import type { OwnedNotice, NoticeCommand, Deposit } from './deposit.ts'

export type NoticeId = { environment: Environment; provider: string; providerId: string }
type NoticeClaim = NoticeId & { tenantId: Uuid }

// Inserts in key order, so that two lanes that claim the same notices queue for each other and cannot deadlock.
const takeRows = statement(
  'deposits.take_notices',
  `insert into provider_notice (lane, environment, provider, provider_id, tenant_id)
   select $1, v.* from unnest($2::text[], $3::text[], $4::text[], $5::uuid[]) as v (environment, provider, provider_id, tenant_id)
    order by v.environment, v.provider, v.provider_id
   on conflict do nothing
   returning environment, provider, provider_id as "providerId", tenant_id as "tenantId"`,
)

/** Returns the notices that it claimed. Waits for other transactions that claim the same ones. */
function insertClaims(tx: Tx, wanted: NoticeClaim[]): Promise<NoticeClaim[]> {
  return tx.query<NoticeClaim>(takeRows, [tx.lane, ...keyColumns(wanted), arrayOf(wanted, ({ tenantId }) => tenantId)])
}

const ownersOf = statement(
  'deposits.owners_of_notices',
  `select n.environment, n.provider, n.provider_id as "providerId", n.tenant_id as "tenantId"
     from unnest($1::text[], $2::text[], $3::text[]) as k (environment, provider, provider_id)
     cross join lateral (
       select * from provider_notice
        where environment = k.environment and provider = k.provider and provider_id = k.provider_id limit 1) as n`,
)

function findOwnersOfNotices(tx: Tx, notices: NoticeId[]): Promise<NoticeClaim[]> {
  return tx.query<NoticeClaim>(ownersOf, keyColumns(notices))
}

function keyColumns(notices: NoticeId[]): ColumnValues[] {
  return arraysOf(notices, 'environment', 'provider', 'providerId')
}

const keepRow = statement(
  'deposits.keep_notice',
  `insert into inbound_notice
     (environment, provider, provider_id, status, account_number, currency, amount, sender_account_name,
      sender_account_number, sender_bank_name, narration, occurred_at, received_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   on conflict do nothing`,
)

/** Stores a notice once for each status. */
export function storeNotice(tx: Tx, environment: Environment, notice: OwnedNotice, now: Date): void {
  tx.send(keepRow, [
    environment,
    notice.provider,
    notice.providerId,
    notice.status,
    notice.accountNumber,
    notice.currency,
    notice.amount,
    notice.senderAccountName,
    notice.senderAccountNumber,
    notice.senderBankName,
    notice.narration,
    new Date(notice.occurredAtMs),
    now,
  ])
}

const keptRows = statement(
  'deposits.find_kept_notices',
  `select provider, provider_id as "providerId", status, account_number as "accountNumber", currency, amount,
          sender_account_name as "senderAccountName", sender_account_number as "senderAccountNumber",
          sender_bank_name as "senderBankName", narration, occurred_at as "occurredAt"
     from inbound_notice where environment = $1 and provider = $2 and provider_id = $3`,
)

export async function findStoredNotices(db: Queryable, notice: NoticeId): Promise<OwnedNotice[]> {
  const values = [notice.environment, notice.provider, notice.providerId]
  const rows = await db.query<Omit<OwnedNotice, 'occurredAtMs'> & { occurredAt: Date }>(keptRows, values)
  return rows.map(({ occurredAt, ...kept }) => ({ ...kept, occurredAtMs: occurredAt.getTime() }))
}

const openRows = statement(
  'deposits.open_notices',
  `select n.environment, n.provider, n.provider_id as "providerId"
     from unnest($1::text[], $2::text[], $3::text[]) as k (environment, provider, provider_id)
     cross join lateral (
       select environment, provider, provider_id from inbound_notice
        where environment = k.environment and provider = k.provider and provider_id = k.provider_id
          and resolved_at is null limit 1) as n`,
)

function findOpenNotices(tx: Tx, notices: NoticeId[]): Promise<NoticeId[]> {
  return tx.query<NoticeId>(openRows, keyColumns(notices))
}

const resolveRows = statement(
  'deposits.resolve_notice',
  `update inbound_notice set resolved_at = $4
    where environment = $1 and provider = $2 and provider_id = $3 and resolved_at is null`,
)

export function resolveNotice(tx: Tx, { environment, provider, providerId }: NoticeId, at: Date): void {
  tx.send(resolveRows, [environment, provider, providerId, at])
}

type ClaimReport = { tenant: Tenant; notice: OwnedNotice }

/** By `noticeSubject`. */
export type NoticeOwners = Map<string, Uuid>

/**
 * If several tenants of one transaction report the same notice, the first gets it. `provider` and `providerId` identify
 * money forever, so one notice is one deposit of one tenant, even if it comes again with another tenant's account
 * number, in another lane or another process. Claims happen under the tenants' locks: two transactions that claim the
 * same notice queue for each other (ARCHITECTURE.md).
 */
export async function claimNotices(tx: Tx, reports: ClaimReport[]): Promise<NoticeOwners> {
  if (reports.length === 0) return new Map()
  const firsts = new Map(reports.toReversed().map((one) => [subjectOf(one), one])).values()
  const wanted = [...firsts].map((one) => ({ ...nameOf(one), tenantId: one.tenant.id }))
  return ownersIn(await insertClaims(tx, wanted))
}

export async function findOwners(tx: Tx, reports: ClaimReport[]): Promise<NoticeOwners> {
  return reports.length === 0 ? new Map() : ownersIn(await findOwnersOfNotices(tx, reports.map(nameOf)))
}

/** The subjects (`noticeSubject`) of the stored notices that await review. */
export async function findStoredSubjects(tx: Tx, commands: NoticeCommand[]): Promise<Set<string>> {
  const real = commands.filter(({ simulated }) => simulated === undefined)
  const rows = real.length === 0 ? [] : await findOpenNotices(tx, real.map(nameOf))
  return new Set(rows.map((row) => noticeSubject(row.environment, row)))
}

export function subjectOf({ tenant, notice }: ClaimReport): string {
  return noticeSubject(tenant.environment, notice)
}

/** Identifies a notice within its tenant. */
export function noticeText({
  tenantId,
  provider,
  providerId,
}: Pick<Deposit, 'tenantId' | 'provider' | 'providerId'>): string {
  return `${tenantId} ${provider} ${providerId}`
}

function nameOf({ tenant: { environment }, notice: { provider, providerId } }: ClaimReport) {
  return { environment, provider, providerId }
}

function ownersIn(rows: (ReturnType<typeof nameOf> & { tenantId: Uuid })[]): NoticeOwners {
  return new Map(rows.map((row) => [noticeSubject(row.environment, row), row.tenantId]))
}

/** Returns why the money cannot become a deposit; undefined if it can. `rail` reported the money. */
export function objectionTo(
  notice: DepositNotice,
  owner: AccountOwner | undefined,
  rail: string,
): Objection | undefined {
  if (owner === undefined)
    return { kind: 'notice-unowned', fact: `no customer owns the account ${accountNameOf(notice.account)}` }
  if (owner.rail !== rail) {
    const fact = `${rail} tells of money for the account ${owner.accountNumber}, which ${owner.rail} opened`
    return { kind: 'notice-unowned', fact }
  }
  // The API shows a deposit's amount as a JSON integer, which limits it.
  if (notice.amount <= amountMax) return undefined
  return { kind: 'deposit-without-room', fact: 'it is more than any books can hold, so there is no deposit of it' }
}

function accountNameOf(account: PaidInto): string {
  return 'number' in account ? account.number : `of our reference ${account.railReference}`
}

type Objection = { kind: ExceptionKind; fact: string }

export async function storeForReview(
  ctx: Context,
  environment: Environment,
  { notice, owner, objection }: { notice: DepositNotice; owner: AccountOwner | undefined; objection: Objection },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { account, ...rest } = notice
    // If no tenant owns the account, its number may be unknown as well.
    const accountNumber = owner?.accountNumber ?? ('number' in account ? account.number : '')
    storeNotice(tx, environment, { ...rest, accountNumber }, new Date(ctx.clock.now()))
    // No money came, so there is nothing to review.
    if (notice.status === 'FAILED') return
    raiseReviewItem(ctx, tx, {
      ...objection,
      environment,
      subject: noticeSubject(environment, notice),
      tenant: owner?.tenant ?? null,
      reference: '',
      currency: notice.currency,
      amount: notice.amount,
    })
  })
}
