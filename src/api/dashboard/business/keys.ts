// The endpoints with which users create, roll and revoke API keys. The rules are in businesses/, which the CLI uses too.

import { z } from 'zod'
import { dayMs } from '#platform/durations.ts'
import { ApiError } from '#platform/errors.ts'
import type { Environment } from '#platform/context.ts'
import { formatId } from '#platform/ids.ts'
import {
  createKey,
  listKeys,
  overlapHoursMax,
  revokeKey,
  rollKey,
  type ApiKey,
  type KeyChange,
} from '#businesses/keys.ts'
import { parseNetworks, parseScopes, scopes as allScopes } from '#businesses/keyring.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { requireId, text } from '#api/server/fields.ts'
import { requireReady } from './go-live.ts'

const path = '/dashboard/api/b/:business/:environment/keys'

/** Ten years. A key that must last longer is created without an expiry. */
const daysMax = 3_650
const keyParams = z.object({ id: z.string() })
const listsMax = 100

const newKey = z.object({
  name: text(100).trim().min(1, 'must not be empty'),
  scopes: parsed(parseScopes).nullable().default(null),
  allow: parsed(parseNetworks).nullable().default(null),
  expiresInDays: z
    .int('must be a whole number of days')
    .min(1, 'must be at least 1')
    .max(daysMax, `must be at most ${daysMax}`)
    .nullable()
    .default(null),
})

export function keyEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  return [list(parts), create(parts), roll(parts), revoke(parts)]
}

function list({ ctx }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path,
    permission: 'keys.list',
    handle: async ({ business, tenant }) => {
      const keys = await listKeys(ctx, business)
      return { data: { keys: keys.filter(isOf(tenant.environment)).map(shown) } }
    },
  })
}

function create(parts: EndpointParts): DashboardEndpoint {
  const { ctx } = parts
  return dashboardEndpoint({
    method: 'POST',
    path,
    permission: 'keys.change',
    body: newKey,
    handle: async ({ business, role, tenant, body, by }) => {
      if (tenant.environment === 'production') await requireReady(parts, { business, role, tenant })
      const { name, scopes, allow, expiresInDays } = body
      const expiresAt = expiresInDays === null ? null : new Date(ctx.clock.now() + expiresInDays * dayMs)
      const { secret, ...key } = await createKey({ ...ctx, by: by() }, tenant, name, { scopes, allow, expiresAt })
      return { data: { key: shown(key), secret } }
    },
  })
}

function roll({ ctx }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: `${path}/:id/roll`,
    permission: 'keys.change',
    params: keyParams,
    body: z.object({
      overlapHours: z
        .int('must be a whole number of hours')
        .min(0, 'must be at least 0')
        .max(overlapHoursMax, `must be at most ${overlapHoursMax}`),
    }),
    handle: async ({ business, tenant, params, body, by }) => {
      const id = requireId('key', params.id, noKey)
      const { secret, ...key } = changed(await rollKey({ ...ctx, by: by() }, id, body.overlapHours, tenant))
      const old = (await listKeys(ctx, business)).find((one) => one.id === id)
      return { data: { key: shown(key), secret, old: old === undefined ? null : shown(old) } }
    },
  })
}

function revoke({ ctx }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: `${path}/:id/revoke`,
    permission: 'keys.change',
    params: keyParams,
    handle: async ({ tenant, params, by }) => {
      const id = requireId('key', params.id, noKey)
      return { data: { key: shown(changed(await revokeKey({ ...ctx, by: by() }, id, tenant))) } }
    },
  })
}

function changed<T>(change: KeyChange<T>): T {
  switch (change.kind) {
    case 'done':
      return change.key
    case 'not-found':
      throw noKey()
    case 'not-active':
      throw new ApiError('CONFLICT', `This key is ${change.key.status} and cannot be changed. Create another one.`)
  }
}

function noKey(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such key in this environment.')
}

function isOf(environment: Environment): (key: ApiKey) => boolean {
  return (key) => key.environment === environment
}

function shown(key: ApiKey): Record<string, unknown> {
  const { id, name, prefix, lastFour, status, createdAt, createdBy, lastUsedAt, expiresAt, revokedAt, scopes, allow } =
    key
  const restricted = scopes.length === allScopes.length ? null : scopes
  const times = { createdAt, lastUsedAt, expiresAt, revokedAt }
  return { id: formatId('key', id), name, prefix, lastFour, status, createdBy, ...times, scopes: restricted, allow }
}

/** The schema of a list that the CLI's parser parses. A wrong list gets the parser's error message. */
function parsed<T>(
  parse: (unchecked: readonly string[]) => { kind: 'parsed'; value: T } | { kind: 'wrong'; sentence: string },
) {
  return z
    .array(z.string('must be texts'), 'must be a list')
    .max(listsMax)
    .transform((texts, context): T => {
      const result = parse(texts)
      if (result.kind === 'parsed') return result.value
      context.addIssue({ code: 'custom', message: `is wrong: ${result.sentence}` })
      return z.NEVER
    })
}
