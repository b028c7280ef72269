// Opens one virtual account in three steps: the lane stores the opening, the rail provides a number while no
// transaction is open, and the lane creates the account. If the process dies between two steps, a repeated request
// continues the opening; otherwise its number is released.

import { unreachable, present } from '#platform/assert.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { inLane, statement, type InLane } from '#platform/db/db.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import { minuteMs, hourMs } from '#platform/durations.ts'
import { Unavailable } from '#platform/errors.ts'
import { newUuid } from '#platform/ids.ts'
import type { Money } from '#platform/money.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { NewAccount, StaticAccountOrder, VirtualAccounts as AccountsPort } from '#rails/ports.ts'
import type { RailBank } from '#rails/rail.ts'
import { attemptReferenceOf, railReferenceOf } from '#rails/formats.ts'
import type { AmountPolicy, Provisioning, OpeningOutcome, NewProvisioning, AccountType } from './account.ts'
import { bvnContext } from './customers.ts'
import { deleteOpening, claimOpenings, type Pauses } from './provisioning-queries.ts'
import type { BeginCommand, ProvisioningOutcome, OpenCommand, OpenOutcome } from './provisioning-steps.ts'
import { businessNameOf, findCustomers, type StoredCustomer } from './queries.ts'
import { findHolders } from './account-owners.ts'

export type StaticRequest = { customerReference: string; bankSlug: string | undefined; accountName: string | undefined }

export type DynamicRequest = {
  amount: Money
  reference: string | null
  accountName: string | undefined
  expiresInMinutes: number
  amountPolicy: AmountPolicy
  narration: string | null
  metadata: string | null
}

export type Opener = Writer &
  RailAccess & {
    beginning: Operation<BeginCommand, ProvisioningOutcome>
    opening: Operation<OpenCommand, OpenOutcome>
  }

/** The length that a payer's bank can show. */
const accountNameLengthMax = 100

export async function openStatic(opener: Opener, tenant: Tenant, request: StaticRequest): Promise<OpeningOutcome> {
  const { ctx, box, findBank, railFor, portOf } = opener
  const keys = [{ tenantId: tenant.id, reference: request.customerReference }]
  const [found] = await findCustomers(inLane(ctx.db, tenant.lane), keys)
  if (found === undefined) return { kind: 'unknown-customer' }
  if (found.status === 'ERASED') return { kind: 'erased-customer' }
  const bank = request.bankSlug === undefined ? null : findBank(request.bankSlug)
  if (bank === undefined) return { kind: 'unknown-bank' }
  const { id, reference, firstName, lastName } = found
  const rail = railFor(tenant, 'static')
  const nowMs = ctx.clock.now()
  const wanted: NewProvisioning = {
    id: newUuid(nowMs),
    type: 'static',
    reference,
    customer: { id, reference },
    bankSlug: bank?.slug ?? portOf(tenant, { rail, type: 'static' }).defaultBankSlug,
    accountName: request.accountName ?? `${firstName} ${lastName}`.slice(0, accountNameLengthMax),
    narration: null,
    metadata: null,
    order: null,
    rail,
    createdAt: new Date(nowMs),
  }
  return open(opener, tenant, wanted, payeeOf(box, found))
}

export async function openDynamic(opener: Opener, tenant: Tenant, request: DynamicRequest): Promise<OpeningOutcome> {
  const { ctx, railFor } = opener
  const { reference, narration, metadata, amount, amountPolicy: policy, expiresInMinutes } = request
  const accountName = request.accountName ?? (await businessNameOf(ctx.db, tenant))
  const nowMs = ctx.clock.now()
  const wanted: NewProvisioning = {
    id: newUuid(nowMs),
    type: 'dynamic',
    reference,
    customer: null,
    bankSlug: null,
    accountName,
    narration,
    metadata,
    order: { amount, policy, expiresAt: new Date(nowMs + expiresInMinutes * minuteMs) },
    rail: railFor(tenant, 'dynamic'),
    createdAt: new Date(nowMs),
  }
  return open(opener, tenant, wanted, null)
}

async function open(
  opener: Opener,
  tenant: Tenant,
  wanted: NewProvisioning,
  payee: AccountCustomer | null,
): Promise<OpeningOutcome> {
  const begun = await opener.laneOf(tenant.lane).submit(opener.beginning, { tenant, wanted })
  switch (begun.kind) {
    case 'begun':
      return continueOpening(opener, tenant, begun.opening, payee)
    case 'exists':
    case 'erased-customer':
      return begun
    case 'given-up':
      throw numberBeingReleased()
    default:
      return unreachable(begun)
  }
}

/** Requests numbers from the rail until one is free. An exception leaves the opening as it is. */
async function continueOpening(
  opener: Opener,
  tenant: Tenant,
  opening: Provisioning,
  payee: AccountCustomer | null,
): Promise<OpeningOutcome> {
  const { ctx, laneOf } = opener
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const answer = await askRail(opener, tenant, { opening, payee, attempt })
    if (answer.kind === 'unavailable') throw railDown(answer.detail)
    if (answer.kind !== 'created') {
      await deleteOpening(ctx.db, opening)
      return answer
    }
    const { kind: _created, ...account } = answer
    const given = { ...account, railReference: referenceOf(opening, attempt) }
    const outcome = await laneOf(tenant.lane).submit(opener.opening, { tenant, opening, given })
    switch (outcome.kind) {
      case 'opened':
      case 'exists':
        return outcome
      case 'claim-taken':
        if (await closeAtRail(opener, tenant, opening, given)) await deleteOpening(ctx.db, outcome.opening)
        return { kind: 'exists' }
      case 'given-up':
        throw numberBeingReleased()
      case 'number-taken':
        // If this account stayed open at the rail, it could get the money for the account that owns the number.
        if (given.handle !== null && !(await closeAtRail(opener, tenant, opening, given)))
          throw railDown('it did not close a number that another account has')
        break
      default:
        return unreachable(outcome)
    }
  }
  throw new Unavailable('No account number is free right now. Try again shortly.')
}

const releaseSeconds = 5

function numberBeingReleased(): Unavailable {
  return new Unavailable('The number of an earlier try is being given back. Try again shortly.', {
    retryAfterSeconds: releaseSeconds,
  })
}

type RailAccess = {
  /** The name of the rail that opens new accounts. If there is none, throws the error for a caller. */
  railFor: (tenant: Tenant, type: AccountType) => string
  /** The port of the rail that has the account, or was asked for it. Throws if this rail no longer exists. */
  portOf: (tenant: Tenant, held: { rail: string; type: AccountType }) => AccountsPort
  findBank: (slug: string) => RailBank | undefined
  box: SecretBox
}

const attemptsMax = 10

type AccountCustomer = StaticAccountOrder['customer']

function payeeOf(
  box: SecretBox,
  { id, firstName, lastName, email, phoneNumber, sealedBvn }: StoredCustomer,
): AccountCustomer {
  const bvn = sealedBvn === null ? null : box.open(sealedBvn, bvnContext(id))
  return { firstName, lastName, email, phoneNumber, bvn }
}

type NumberRequest = { opening: Provisioning; payee: AccountCustomer | null; attempt: number }

/**
 * Asks a rail for the number of an opening. The order is derived from the opening and the current customer data, so
 * every request is for the same account, and the rail promises to answer with the same number.
 */
function askRail(
  { portOf, findBank }: Pick<RailAccess, 'portOf' | 'findBank'>,
  tenant: Tenant,
  { opening, payee, attempt }: NumberRequest,
): Promise<NewAccount> {
  const port = portOf(tenant, opening)
  const { accountName, bankSlug, order } = opening
  const bank = bankSlug === null || bankSlug === port.defaultBankSlug ? null : findBank(bankSlug)
  if (bank === undefined)
    return Promise.resolve({ kind: 'unavailable', detail: `the bank ${bankSlug} is not known any more` })
  const about = { railReference: railReferenceOf(opening.id), bank, accountName, attempt }
  if (payee !== null) return port.createStatic({ ...about, customer: payee })
  const { amount, policy, expiresAt } = present(order, 'an account without a payee is a dynamic one')
  return port.createDynamic({ ...about, amount, policy, currency: 'NGN', expiresAtMs: expiresAt.getTime() })
}

function referenceOf({ id }: Provisioning, attempt: number): string {
  return attemptReferenceOf({ railReference: railReferenceOf(id), attempt })
}

/** Returns true if the rail has closed the account. Closing it twice is harmless. */
async function closeAtRail(
  { portOf }: Pick<RailAccess, 'portOf'>,
  tenant: Tenant,
  opening: Provisioning,
  { accountNumber, handle }: { accountNumber: string; handle: string | null },
): Promise<boolean> {
  const railReference = railReferenceOf(opening.id)
  const answer = await portOf(tenant, opening).close({ railReference, accountNumber, handle })
  return answer.kind === 'closed'
}

const retryAfterSeconds = 5

export function railDown(detail: string): Unavailable {
  return new Unavailable('The bank that holds virtual accounts does not answer now. Try again shortly.', {
    cause: new Error(detail),
    retryAfterSeconds,
  })
}

// Releases the numbers of abandoned openings. It is unknown whether the rail ever provided one, so the rail is asked
// again, and the number in its answer, old or new, is closed there.

const atOnceMax = 32

/** A rail that is down is asked once a minute at most, and within an hour after it is up again. */
const pauses: Pauses = { shortestMs: minuteMs, longestMs: hourMs }

type Releaser = Omit<RailAccess, 'railFor'> & Pick<Opener, 'ctx'>

/**
 * Releases the due openings of a lane; resolves with how many were tried. No transaction is open while a rail is
 * asked.
 */
export async function releaseOpenings(releaser: Releaser, lane: number): Promise<number> {
  const { ctx } = releaser
  const due = await claimOpenings(inLane(ctx.db, lane), new Date(ctx.clock.now()), atOnceMax, pauses)
  await Promise.all(
    due.map(async ({ opening, tenant }) => {
      // After any error the row becomes due again by itself.
      const left = await release(releaser, tenant, opening).catch((error: unknown) => ({ err: error }))
      const about = { opening: opening.id, tenant: tenant.id, since: opening.createdAt.toISOString() }
      if (left === undefined) ctx.log.info(about, 'released an account whose opening was abandoned')
      else ctx.log.warn({ ...about, ...left }, 'could not release an account number; the worker retries')
    }),
  )
  return due.length
}

/** Resolves with the reason if the rail may still have a number of the opening; undefined if it has none. */
async function release(
  releaser: Releaser,
  tenant: Tenant,
  opening: Provisioning,
): Promise<{ detail: string } | undefined> {
  const { ctx } = releaser
  const payee = await readPayee(releaser, opening)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const answer = await askRail(releaser, tenant, { opening, payee, attempt })
    if (answer.kind === 'unavailable') return { detail: answer.detail }
    if (answer.kind !== 'created') break
    const { accountNumber, handle } = answer
    // Another account may be open under this number. With a handle, the rail closes only our account. Without one, it
    // would close the other account, so the loop asks for another number, as during the opening.
    const place = { environment: tenant.environment, accountNumber }
    const isOwned = [...(await findHolders(ctx.db, [place])).values()].some(({ isOpen }) => isOpen)
    if (isOwned && handle === null) continue
    if (answer.expiresAtMs !== undefined && answer.expiresAtMs <= ctx.clock.now()) break
    if (!(await closeAtRail(releaser, tenant, opening, answer))) return { detail: 'the rail did not close it' }
    if (!isOwned) break
  }
  await deleteOpening(ctx.db, opening)
  return undefined
}

async function readPayee(
  { ctx, box }: Releaser,
  { lane, tenantId, customer }: Provisioning,
): Promise<AccountCustomer | null> {
  if (customer === null) return null
  const [found] = await findCustomers(inLane(ctx.db, lane), [{ tenantId, reference: customer.reference }])
  return payeeOf(box, present(found, 'the customer of an opening exists'))
}

// Uses only the indexes virtual_account_due and virtual_account_opening_due_at, at most $3 entries of each.
const dueAccountsQuery = statement(
  'accounts.due',
  `select count(*)::int as count, min(due_at) as oldest from (
     (select due_at from virtual_account where lane = $1 and due_at is not null and due_at <= $2 order by due_at limit $3)
     union all
     (select due_at from virtual_account_opening where lane = $1 and due_at <= $2 order by due_at limit $3)) as due`,
)

type DueReleases = { count: number; oldest: Date | null }

async function findDue(db: InLane, now: Date, limit: number): Promise<DueReleases> {
  const [row] = await db.query<DueReleases>(dueAccountsQuery, [db.lane, now, limit])
  return row ?? { count: 0, oldest: null }
}

const countedMax = 10_000

/**
 * Counts accounts to expire and numbers to release, for monitoring. Bounded, so that it costs the same with a million
 * due rows.
 */
export function dueAccounts({ db, clock }: Context, lane: number): Promise<DueReleases> {
  return findDue(inLane(db, lane), new Date(clock.now()), countedMax)
}
