// Every endpoint × role × environment, without and with a second factor, before and after step-up. The deciding
// function gets all combinations; over HTTP each answer of each endpoint is tried once. The expected table is written
// here by hand, from the design and not from the code.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import type { DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { requirePermission } from '#api/dashboard/admit.ts'
import { judge, permissions, type Permission } from '#api/dashboard/permissions.ts'
import { ApiError } from '#platform/errors.ts'
import { roles, type SignedIn, type UserRole } from '#users/service.ts'
import { addPerson, dashboardEndpoints, type TestPerson } from '#tests/support/dashboard.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const endpoints = dashboardEndpoints()

/** S staging, P production, 2 with step-up in production: owner, admin, developer, finance, support, viewer. */
const design: Record<Permission, string> = {
  'payments.see': 'SP SP SP SP SP SP',
  'balance.see': 'SP SP S SP – SP',
  export: 'SP SP S SP – –',
  'customers.change': 'SP SP S SP SP –',
  'payouts.propose': 'SP2 SP2 S SP2 – –',
  'payouts.approve': 'SP2 SP2 – SP2 – –',
  'receipts.share': 'SP SP S SP SP –',
  'payouts.pause': 'SP2 SP2 – – – –',
  'requests.see': 'SP SP SP – SP –',
  'webhooks.see': 'SP SP SP – SP –',
  'webhooks.change': 'SP2 SP2 SP2 – – –',
  'keys.list': 'SP SP SP – – –',
  'keys.change': 'SP2 SP2 S – – –',
  simulator: 'S S S S S –',
  'people.manage': 'SP2 SP2 – – – –',
  'settings.see': 'SP SP – – – –',
  'settings.change': 'SP2 – – – – –',
  'alerts.change': 'SP2 – – – – –',
  'audit.all': 'SP SP – – – –',
  'audit.own': 'SP SP SP SP SP SP',
  'go-live': 'SP2 – – – – –',
}

function cellOf(permission: Permission, role: UserRole): string {
  return design[permission].split(' ')[roles.indexOf(role)] ?? ''
}

type Place = 'staging' | 'production' | 'business'
type Strength = 'no factor' | 'factor' | 'stepped up'
const strengths: Strength[] = ['no factor', 'factor', 'stepped up']

/** The answer of the pipeline: `in` if the request reached its fields or its module. */
function expectedOf(endpoint: DashboardEndpoint, role: UserRole, place: Place, strength: Strength): string {
  const { permission, writes, stepUp } = endpoint
  const inProduction = place !== 'staging'
  const named = permissions.find((one) => one === permission)
  const cell = named === undefined ? 'SP' : cellOf(named, role)
  if (!cell.includes(inProduction ? 'P' : 'S') || permission === 'operator') return 'FORBIDDEN'
  const wantsStepUp =
    stepUp === 'always' || (stepUp === 'production' && inProduction) || (writes && inProduction && cell.endsWith('2'))
  if (strength === 'no factor' && (wantsStepUp || (writes && inProduction))) return 'SECOND_FACTOR_REQUIRED'
  return wantsStepUp && strength === 'factor' ? 'STEP_UP_REQUIRED' : 'in'
}

const refusals = ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'STEP_UP_REQUIRED']

/** Makes a call that does nothing after the permission check: no body fits, and no record has such an id. */
async function tried(endpoint: DashboardEndpoint, person: TestPerson, place: Place): Promise<string> {
  const path = endpoint.path
    .replace('/dashboard/api', '')
    .replace(':business', formatId('business', service.business.id))
    .replace(':environment', place)
    .replaceAll(/:\w+/g, 'nothing')
  // Invalid for every endpoint: a request with a body that cannot be parsed does nothing.
  const body = endpoint.method === 'GET' ? {} : { body: '[', headers: { 'Content-Type': 'application/json' } }
  const query = endpoint.method === 'GET' ? '?page=0' : ''
  const { body: answer } = await person.call(`${path}${query}`, { method: endpoint.method, ...body })
  return refusals.find((code) => code === answer.error?.code) ?? 'in'
}

const ofBusiness = endpoints.filter(({ path }) => path.includes('/:business/'))

function placesOf({ path }: DashboardEndpoint): Place[] {
  return path.includes('/:environment/') ? ['staging', 'production'] : ['business']
}

const steppedUpUntilMs = 1

function decided(endpoint: DashboardEndpoint, role: UserRole, place: Place, strength: Strength): string {
  const { id: business, tenants } = service.business
  const hasSecondFactor = strength !== 'no factor'
  const signedIn: SignedIn = {
    signInId: business,
    person: { id: business, name: '', email: '', hasSecondFactor, hasApp: false, hasPasskey: false, isOperator: false },
    level: 'full',
    steppedUpUntilMs: strength === 'stepped up' ? steppedUpUntilMs : 0,
    roles: new Map([[business, role]]),
  }
  try {
    const tenant = place === 'business' ? undefined : tenants[place]
    requirePermission(endpoint, signedIn, { business, role, tenant }, steppedUpUntilMs - 1)
  } catch (error) {
    if (error instanceof ApiError && refusals.includes(error.code)) return error.code
    throw error
  }
  return 'in'
}

describe.each(roles)('%s', (role) => {
  it.each(strengths)('with %s, at every endpoint', (strength) => {
    const differing: string[] = []
    for (const endpoint of ofBusiness)
      for (const place of placesOf(endpoint)) {
        const [expected, found] = [
          expectedOf(endpoint, role, place, strength),
          decided(endpoint, role, place, strength),
        ]
        if (expected !== found)
          differing.push(`${endpoint.method} ${endpoint.path} ${place}: ${found}, not ${expected}`)
      }
    expect(differing).toEqual([])
  })
})

describe('over HTTP', () => {
  const everyone = roles.flatMap((role) => strengths.map((strength) => ({ role, strength })))
  const people = new Map<string, { person: TestPerson; calls: number }>()
  // Keeps a person below the quota of a minute, which is not tested here.
  const callsMax = 100

  async function personOf(role: UserRole, strength: Strength): Promise<TestPerson> {
    const kept = people.get(`${role} ${strength}`)
    if (kept !== undefined && kept.calls < callsMax) {
      kept.calls += 1
      return kept.person
    }
    const options = { role, hasFactor: strength !== 'no factor', steppedUp: strength === 'stepped up' }
    const person = await addPerson(service, options)
    people.set(`${role} ${strength}`, { person, calls: 1 })
    return person
  }

  // The roles and strengths take turns over the endpoints, so each of them meets many endpoints.
  it.each(['in', ...refusals])('each endpoint that has the answer %s gives it', async (answer) => {
    const differing: string[] = []
    let turn = 0
    for (const endpoint of ofBusiness.filter(({ path }) => !path.endsWith('/live'))) {
      // An endpoint without a body cannot be sent a broken one, and would do its work.
      if (isDone(endpoint) && answer === 'in') continue
      for (const place of placesOf(endpoint)) {
        const asked = everyone.filter(({ role, strength }) => expectedOf(endpoint, role, place, strength) === answer)
        const one = asked[turn++ % asked.length]
        if (one === undefined) continue
        const found = await tried(endpoint, await personOf(one.role, one.strength), place)
        if (found !== answer)
          differing.push(`${endpoint.method} ${endpoint.path} ${place} ${one.role}, ${one.strength}: ${found}`)
      }
    }
    expect(differing).toEqual([])
  })
})

/** Such an endpoint has no field that could be wrong, so a call does its work. Only its refusals are tested here. */
function isDone({ method, body, path }: DashboardEndpoint): boolean {
  return method !== 'GET' && body === undefined && !/:(?!business|environment)\w+/.test(path)
}

describe('the table', () => {
  it('says of every permission what the design says', () => {
    for (const permission of permissions)
      for (const role of roles) {
        const cell = cellOf(permission, role)
        expect([permission, role, judge(permission, role, 'staging')]).toEqual([
          permission,
          role,
          cell.includes('S') ? 'yes' : 'no',
        ])
        const production = cell.endsWith('2') ? 'step-up' : cell.includes('P') ? 'yes' : 'no'
        expect([permission, role, judge(permission, role, 'production')]).toEqual([permission, role, production])
      }
  })

  it('has no permission that no endpoint names', () => {
    const named = new Set<string>(endpoints.map(({ permission }) => permission))
    expect(permissions.filter((permission) => !named.has(permission))).toEqual([])
  })

  it('holds for each endpoint of a business: none of them is for strangers', () => {
    expect(ofBusiness.filter(({ permission }) => permission === 'public').map(({ path }) => path)).toEqual([])
  })

  it('lets only people sign in, look at links and get a reset without being signed in', () => {
    const open = endpoints.filter(({ permission }) => permission === 'public' || permission === 'half')
    expect(open.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /dashboard/api/sign-in',
      'POST /dashboard/api/links/forgotten',
      'POST /dashboard/api/links/invitation',
      'POST /dashboard/api/links/look',
      'POST /dashboard/api/links/reset',
      'POST /dashboard/api/links/welcome',
      'POST /dashboard/api/passkeys/confirm/begin',
      'POST /dashboard/api/sign-in',
      'POST /dashboard/api/sign-in/code',
      'POST /dashboard/api/sign-in/code/passkey',
      'POST /dashboard/api/sign-in/passkey',
      'POST /dashboard/api/sign-in/passkey/begin',
      'POST /dashboard/api/sign-out',
    ])
  })
})

describe('operators', () => {
  it('alone see what concerns the installation', async () => {
    const [operator, owner] = [
      await addPerson(service, { isOperator: true, hasFactor: true, steppedUp: true }),
      await addPerson(service, { role: 'owner' }),
    ]
    for (const endpoint of endpoints.filter(({ permission }) => permission === 'operator')) {
      expect([endpoint.path, await tried(endpoint, owner, 'business')]).toEqual([endpoint.path, 'FORBIDDEN'])
      expect([endpoint.path, await tried(endpoint, operator, 'business')]).toEqual([endpoint.path, 'in'])
    }
  })
})
