// People who are signed in to the dashboard without a password. tests/users/ tests how people sign in.

import { randomBytes } from 'node:crypto'
import { createDashboardEndpoints, type EndpointParts } from '#api/dashboard/dashboard.ts'
import type { DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { createEndpoints } from '#api/server/routes.ts'
import { newUuid, formatId, type Uuid } from '#platform/ids.ts'
import { createSecretBox, sha256 } from '#platform/secrets.ts'
import { sealTotp } from '#users/factor-codes.ts'
import type { UserRole } from '#users/service.ts'
import { testSecretKey, type SharedService } from './service.ts'
import { createClient, type Answer, type CallOptions } from './client.ts'
import { asOwner } from './owner.ts'

export type TestPerson = {
  id: Uuid
  email: string
  /** The cookie as the browser sends it: name and value. */
  cookie: string
  token: string
  call(path: string, options?: CallOptions): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string, body?: unknown): Promise<Answer>
}

export type PersonOptions = {
  /** The role in the first business of the service, unless the test names another one. */
  role?: UserRole
  business?: Uuid
  hasFactor?: boolean
  /** The secret of a second factor, if the test needs its codes. `hasFactor` alone makes a factor without codes. */
  totp?: Buffer
  /** The person gave a second factor a moment ago. */
  steppedUp?: boolean
  level?: 'half' | 'full'
  isOperator?: boolean
}

/** The headers that a page of the dashboard sends. */
export const pageHeaders = {
  'Sec-Fetch-Site': 'same-origin',
  'X-Manilla-Dashboard': '1',
  'Content-Type': 'application/json',
}

let made = 0

export async function addPerson(service: SharedService, options: PersonOptions = {}): Promise<TestPerson> {
  const { role, business = service.business.id, hasFactor = false, steppedUp = false } = options
  const { level = 'full', isOperator = false, totp } = options
  made += 1
  const [id, signIn, nowMs] = [newUuid(Date.now()), newUuid(Date.now()), service.ctx.clock.now()]
  const token = randomBytes(32).toString('base64url')
  const email = `person${made}@example.ng`
  const now = new Date(nowMs).toISOString()
  const sealed = totp === undefined ? '00' : sealTotp(createSecretBox(testSecretKey), id, totp).toString('hex')
  await asOwner(
    service.database,
    `insert into person (id, email, name, password, totp_secret, is_operator, created_at)
     values ('${id}', '${email}', 'Person ${made}', '$argon2id$none', ${hasFactor ? `'\\x${sealed}'` : 'null'}, ${isOperator}, '${now}');
     insert into sign_in (id, person_id, token_hash, level, stepped_up_until, address, device, created_at, proven_at, seen_at)
     values ('${signIn}', '${id}', '\\x${sha256(token).toString('hex')}', '${level}',
       ${steppedUp ? `'${new Date(nowMs + 600_000).toISOString()}'` : 'null'}, '127.0.0.1', 'test', '${now}', '${now}', '${now}');
     ${
       role === undefined
         ? ''
         : `insert into membership (business_id, person_id, role, created_at) values ('${business}', '${id}', '${role}', '${now}')`
     }`,
  )
  const cookie = `manilla-${new URL(service.url).port}=${token}`
  return { id, email, token, cookie, ...callsOf(service, cookie) }
}

type Calls = Pick<TestPerson, 'call' | 'get' | 'post' | 'patch' | 'delete'>

/** Sends requests to paths below /dashboard/api. Without a cookie it is a stranger's browser. */
export function callsOf(service: SharedService, cookie?: string): Calls {
  const client = createClient(`${service.url.replace('127.0.0.1', 'localhost')}/dashboard/api`)
  const common = { ...pageHeaders, ...(cookie === undefined ? {} : { Cookie: cookie }) }
  const call: Calls['call'] = async (path, options = {}) =>
    client.call(path, { ...options, headers: { ...common, ...options.headers } })
  return {
    call,
    get: (path) => call(path),
    post: (path, body = {}) => call(path, { method: 'POST', body }),
    patch: (path, body) => call(path, { method: 'PATCH', body }),
    delete: (path, body) => call(path, { method: 'DELETE', ...(body === undefined ? {} : { body }) }),
  }
}

/** The path of a business, or of one of its environments, below /dashboard/api. */
export function below(service: SharedService, environment?: 'staging' | 'production'): string {
  const business = `/b/${formatId('business', service.business.id)}`
  return environment === undefined ? business : `${business}/${environment}`
}

/** All endpoints of the dashboard as values, for tests that do not call them: nothing is behind them. */
export function dashboardEndpoints(): DashboardEndpoint[] {
  const nothing: object = new Proxy(() => undefined, { get: () => nothing })
  const room = nothing as EndpointParts
  const { ctx, people, rooms, acts, config, address } = room
  return createDashboardEndpoints({ ctx, people, rooms, acts, config, address, v1: createEndpoints(rooms) })
}
