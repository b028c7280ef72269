// What should be so before a business goes live. Each point is looked at anew whenever it is asked for; nothing is kept of it.

import type { Context, Environment, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { findTenant } from '#businesses/business.ts'
import { readLowBalance } from '#businesses/low-balance.ts'
import type { Config } from '#config.ts'
import { judge } from '#http/dashboard/permissions.ts'
import type { Rooms } from '#http/routes.ts'
import { listPeople } from '#people/members.ts'

export type PointParts = {
  ctx: Context
  rooms: Pick<Rooms, 'payments' | 'webhooks'>
  config: Config
}

export type Point = {
  id: string
  title: string
  /** What is missing, or what was found. */
  says: string
  isDone: boolean
  /** Where it can be done. Null: on no page. */
  page: { environment: Environment; path: string } | null
}

/** The simulator's account whose transfers stay queued until somebody says how they end. */
const unknownAccount = '9990000009'
/** Of the latest transfers of staging so many are looked at. */
const transfersSeenMax = 100

export async function readPoints(parts: PointParts, business: Uuid, production: Tenant): Promise<Point[]> {
  const staging = await findTenant(parts.ctx, business, 'staging')
  return [
    ...(await peoplePoints(parts, business)),
    await receiverPoint(parts, production),
    await signaturePoint(parts, production),
    ...(staging === undefined ? [] : await transferPoints(parts, staging)),
    await lowBalancePoint(parts, production),
    railPoint(parts),
  ]
}

async function peoplePoints({ ctx }: PointParts, business: Uuid): Promise<Point[]> {
  const people = await listPeople(ctx, business)
  const owners = people.filter(({ role }) => role === 'owner').length
  const without = people.filter(
    ({ role, has_second_factor }) =>
      role !== null && !has_second_factor && judge('payouts.propose', role, 'production') !== 'no',
  )
  return [
    {
      id: 'second-factors',
      title: 'Everybody who may send money has a second factor',
      says:
        without.length === 0
          ? 'All of them have one.'
          : `Still missing: ${without.map(({ name }) => name).join(', ')}.`,
      isDone: without.length === 0,
      page: { environment: 'production', path: 'team' },
    },
    {
      id: 'two-owners',
      title: 'There are two owners',
      says:
        owners >= 2 ? `There are ${owners}.` : 'There is one. If they lose their factor, nobody can let them in again.',
      isDone: owners >= 2,
      page: { environment: 'production', path: 'team' },
    },
  ]
}

async function receiverPoint({ rooms }: PointParts, production: Tenant): Promise<Point> {
  const question = { page: 1, limit: 1, event: 'webhook.test', status: 'delivered' as const }
  const { total } = await rooms.webhooks.log.list(production, question)
  return {
    id: 'webhook',
    title: 'A webhook of production has answered a test',
    says: total > 0 ? 'One has.' : 'Create one in production and send it a test.',
    isDone: total > 0,
    page: { environment: 'production', path: 'webhooks' },
  }
}

async function signaturePoint({ rooms }: PointParts, production: Tenant): Promise<Point> {
  const active = (await rooms.webhooks.subscriptions.list(production)).filter(({ status }) => status === 'active')
  const unproved = active.filter(({ forgeryRefusedAt }) => forgeryRefusedAt === null).map(({ url }) => url)
  return {
    id: 'signature',
    title: 'Every webhook of production refuses a wrong signature',
    says:
      active.length === 0
        ? 'There is none yet.'
        : unproved.length === 0
          ? 'Each has refused one.'
          : `Not seen to refuse one: ${unproved.join(', ')}. Send each a wrong one: it must answer 400, 401 or 403.`,
    isDone: active.length > 0 && unproved.length === 0,
    page: { environment: 'production', path: 'webhooks' },
  }
}

async function transferPoints({ rooms }: PointParts, staging: Tenant): Promise<Point[]> {
  const question = { page: 1, limit: transfersSeenMax }
  const { total: failed } = await rooms.payments.list(staging, 'bank_transfer', { ...question, status: 'FAILED' })
  const { payments } = await rooms.payments.list(staging, 'bank_transfer', question)
  const ended = payments.some(
    (payment) =>
      payment.kind === 'bank_transfer' && payment.accountNumber === unknownAccount && payment.completedAt !== null,
  )
  return [
    {
      id: 'failed-transfer',
      title: 'A transfer has failed on staging',
      says: failed > 0 ? 'One has.' : 'Send one to 9990000007 and see what your program makes of it.',
      isDone: failed > 0,
      page: { environment: 'staging', path: 'payments' },
    },
    {
      id: 'unknown-transfer',
      title: 'A transfer stayed unknown on staging, and then ended',
      says: ended ? 'One did.' : `Send one to ${unknownAccount}, wait, then end it in the simulator.`,
      isDone: ended,
      page: { environment: 'staging', path: 'simulator' },
    },
  ]
}

async function lowBalancePoint({ ctx }: PointParts, production: Tenant): Promise<Point> {
  const isDone = (await readLowBalance(ctx, production)) !== null
  return {
    id: 'low-balance',
    title: 'Somebody is told when the balance of production runs low',
    says: isDone ? 'The alert is set.' : 'Set below which amount.',
    isDone,
    page: { environment: 'production', path: 'settings' },
  }
}

function railPoint({ config }: PointParts): Point {
  const isDone = config.rails !== undefined
  return {
    id: 'rail',
    title: 'A provider carries the money of production',
    says: isDone ? 'One is configured.' : 'Set RAILS_FILE: see docs/rails/.',
    isDone,
    page: null,
  }
}
