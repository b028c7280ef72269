// Who calls, for which business and environment, and whether they may. Permission is judged before step-up: whoever may not
// is refused at once, and is not asked for a code first.

import type { Environment, Tenant } from '#base/context.ts'
import { ApiError } from '#base/error.ts'
import { parseId, type Uuid } from '#base/ids.ts'
import type { Role, SignedIn } from '#people/people.ts'
import type { Admission, DashboardEndpoint } from './endpoint.ts'
import { isPermission, judge, titleOf, type Verdict } from './permissions.ts'

export type Place = {
  business: Uuid | undefined
  role: Role | undefined
  tenant: Tenant | undefined
}

export type PlaceOptions = {
  environments: readonly Environment[]
  findTenant: (business: Uuid, environment: Environment) => Promise<Tenant | undefined>
}

/** The person whom this endpoint wants. Throws when nobody, or only half of somebody, is signed in. */
export function requirePerson(
  { permission }: Pick<DashboardEndpoint, 'permission'>,
  person: SignedIn | undefined,
): SignedIn | undefined {
  if (permission === 'public') return person
  if (person === undefined) throw new ApiError('UNAUTHORIZED', 'You are not signed in.')
  if (person.level === 'full' || permission === 'half') return person
  const details = [{ field: 'code', message: 'code is required' }]
  throw new ApiError('UNAUTHORIZED', 'The code of your second factor is still due.', { details })
}

/** What the path names, as far as this person has to do with it. */
export async function findPlace(
  uncheckedParams: Record<string, string | undefined>,
  person: SignedIn | undefined,
  { environments, findTenant }: PlaceOptions,
): Promise<Place> {
  const { business: uncheckedBusiness, environment: name } = uncheckedParams
  if (uncheckedBusiness === undefined) return { business: undefined, role: undefined, tenant: undefined }
  const business = parseId('business', uncheckedBusiness)
  const role = business === undefined ? undefined : person?.roles.get(business)
  if (business === undefined || role === undefined) throw notFound('There is no such business among yours.')
  if (name === undefined) return { business, role, tenant: undefined }
  const environment = environments.find((one) => one === name)
  const tenant = environment === undefined ? undefined : await findTenant(business, environment)
  if (tenant === undefined) throw notFound(`Here the environments are: ${environments.join(', ')}.`)
  return { business, role, tenant }
}

/** Throws when the person may not. */
export function requirePermission(
  { permission, stepUp, writes }: Pick<DashboardEndpoint, 'permission' | 'stepUp' | 'writes'>,
  person: SignedIn | undefined,
  place: Place,
  nowMs: number,
): void {
  if (person === undefined) return
  const verdict = verdictOf(permission, person, place)
  if (verdict === 'no') throw refusal(permission, place)
  // What concerns a business as a whole reaches its production too.
  const inProduction = place.business !== undefined && place.tenant?.environment !== 'staging'
  if (writes && inProduction && !person.person.hasSecondFactor) throw secondFactorRequired()
  const wantsStepUp = stepUp === 'always' || (stepUp === 'production' && inProduction)
  if (wantsStepUp || (writes && verdict === 'step-up')) requireStepUp(person, nowMs)
}

/** Throws unless the second factor was asked a moment ago. */
export function requireStepUp({ person, steppedUpUntilMs }: SignedIn, nowMs: number): void {
  if (!person.hasSecondFactor) throw secondFactorRequired()
  if (steppedUpUntilMs > nowMs) return
  throw new ApiError('STEP_UP_REQUIRED', 'Confirm with a code of your second factor, then send this again.')
}

function verdictOf(admission: Admission, { person }: SignedIn, { role, tenant }: Place): Verdict {
  if (admission === 'operator') return person.isOperator ? 'yes' : 'no'
  if (!isPermission(admission)) return 'yes'
  return role === undefined ? 'no' : judge(admission, role, tenant?.environment ?? 'production')
}

function refusal(admission: Admission, { role, tenant }: Place): ApiError {
  if (role === undefined || !isPermission(admission)) {
    const sentence = 'This is for operators of the installation. Whoever runs it makes one: manilla people operator.'
    return new ApiError('FORBIDDEN', sentence)
  }
  const where = tenant === undefined ? '' : ` on ${tenant.environment}`
  return new ApiError('FORBIDDEN', `Your role, ${role}, may not do this${where}: ${titleOf(admission)}.`)
}

export function secondFactorRequired(where: 'in production' | 'here' = 'in production'): ApiError {
  const sentence = `Set up a second factor under “My profile” before you change anything ${where}.`
  return new ApiError('SECOND_FACTOR_REQUIRED', sentence)
}

function notFound(sentence: string): ApiError {
  return new ApiError('NOT_FOUND', sentence)
}
