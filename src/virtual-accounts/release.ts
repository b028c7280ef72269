// Releases the numbers of abandoned openings. It is unknown whether the rail ever provided one, so the rail is asked
// again: it returns the same number or provides one now, which is then closed.

import { present } from '#platform/assert.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { inLane, statement, type InLane } from '#platform/db/db.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import { findHolders } from './account-owners.ts'
import type { Provisioning } from './account.ts'
import { claimOpenings, deleteOpening, type Pauses } from './provisioning-queries.ts'
import {
  askRail,
  attemptsMax,
  closeAtRail,
  payeeOf,
  type AccountCustomer,
  type Windows,
  type Opener,
} from './provisioning.ts'
import { findCustomers } from './queries.ts'

/** Requests that a process sends to rails at once. */
const atOnceMax = 32

/** A rail that is down is not asked every second, and one that is up again is asked within the hour. */
const pauses: Pauses = { shortestMs: minuteMs, longestMs: hourMs }

type GiverBack = Omit<Windows, 'railFor'> & Pick<Opener, 'ctx'>

/**
 * Releases the due openings of a lane; resolves with how many were tried. No transaction is open while a rail is
 * asked.
 */
export async function giveBackOpenings(giver: GiverBack, lane: number): Promise<number> {
  const { ctx } = giver
  const due = await claimOpenings(inLane(ctx.db, lane), new Date(ctx.clock.now()), atOnceMax, pauses)
  await Promise.all(
    due.map(async ({ opening, tenant }) => {
      // After any error the row becomes due again by itself.
      const left = await giveBack(giver, tenant, opening).catch((error: unknown) => ({ err: error }))
      const about = { opening: opening.id, tenant: tenant.id, since: opening.createdAt.toISOString() }
      if (left === undefined) ctx.log.info(about, 'released an account whose opening was abandoned')
      else ctx.log.warn({ ...about, ...left }, 'could not release an account number; the worker retries')
    }),
  )
  return due.length
}

/** Resolves with why the rail may still have a number of the opening; undefined if it has none. */
async function giveBack(
  giver: GiverBack,
  tenant: Tenant,
  opening: Provisioning,
): Promise<{ detail: string } | undefined> {
  const { ctx } = giver
  const payee = await readPayee(giver, opening)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const answer = await askRail(giver, tenant, { opening, payee, attempt })
    if (answer.kind === 'unavailable') return { detail: answer.detail }
    if (answer.kind !== 'created') break
    const { accountNumber, handle } = answer
    // The number of an open account belongs to that account and must stay open, so the next attempt follows, as
    // during the opening.
    const place = { environment: tenant.environment, accountNumber }
    const isOwned = [...(await findHolders(ctx.db, [place])).values()].some(({ isOpen }) => isOpen)
    if (isOwned && handle === null) continue
    if (answer.expiresAtMs !== undefined && answer.expiresAtMs <= ctx.clock.now()) break
    if (!(await closeAtRail(giver, tenant, opening, answer))) return { detail: 'the rail did not close it' }
    if (!isOwned) break
  }
  await deleteOpening(ctx.db, opening)
  return undefined
}

async function readPayee(
  { ctx, box }: GiverBack,
  { lane, tenantId, customer }: Provisioning,
): Promise<AccountCustomer | null> {
  if (customer === null) return null
  const [found] = await findCustomers(inLane(ctx.db, lane), [{ tenantId, reference: customer.reference }])
  return payeeOf(box, present(found, 'the customer of an opening exists'))
}

// Uses only the indexes virtual_account_due and virtual_account_opening_due (lane, due_at), at most $3 entries of
// each.
const dueAccountsQuery = statement(
  'accounts.due',
  `select count(*)::int as count, min(due_at) as oldest from (
     (select due_at from virtual_account where lane = $1 and due_at is not null and due_at <= $2 order by due_at limit $3)
     union all
     (select due_at from virtual_account_opening where lane = $1 and due_at <= $2 order by due_at limit $3)) as due`,
)

type DueReleases = { count: number; oldest: Date | null }

/** `limit`: the most accounts, and the most openings, that are counted. */
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
