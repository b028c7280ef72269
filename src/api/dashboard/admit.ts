// Decides whether a request to the dashboard may go on: whether a user is signed in, is a member of the business in the
// path, has the permission (permissions.ts), and must first confirm with the second factor.

import type { Environment, Tenant } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { parseId, type Uuid } from '#platform/ids.ts'
import type { UserRole, SignedIn } from '#users/service.ts'
import type { Admission, DashboardEndpoint } from './endpoint.ts'
import { isPermission, judge, titleOf, type Verdict } from './permissions.ts'

export type Place = {
  business: Uuid | undefined
  role: UserRole | undefined
  tenant: Tenant | undefined
}

export type PlaceOptions = {
  environments: readonly Environment[]
  findTenant: (business: Uuid, environment: Environment) => Promise<Tenant | undefined>
}

export function requirePerson(
  { permission }: Pick<DashboardEndpoint, 'permission'>,
  person: SignedIn | undefined,
): SignedIn | undefined {
  if (permission === 'public') return person
  if (person === undefined) throw new ApiError('UNAUTHORIZED', 'You are not signed in.')
  if (person.level === 'full' || permission === 'half') return person
  const due = person.person.hasPasskey ? ['code', 'passkey'] : ['code']
  const details = due.map((field) => ({ field, message: `${field} is required` }))
  throw new ApiError('UNAUTHORIZED', 'Your second factor is still due.', { details })
}

/**
 * Resolves the business and environment in the path. Throws the same 404 if the business does not exist and if the user
 * is not a member of it.
 */
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
  if (tenant === undefined)
    throw notFound(`There is no such environment. This service has: ${environments.join(', ')}.`)
  return { business, role, tenant }
}

/**
 * Throws if the user lacks the permission or the required second factor. The permission is checked first, so that a
 * user who lacks it is not asked for a code in vain.
 */
export function requirePermission(
  { permission, stepUp, writes }: Pick<DashboardEndpoint, 'permission' | 'stepUp' | 'writes'>,
  person: SignedIn | undefined,
  place: Place,
  nowMs: number,
): void {
  if (person === undefined) return
  const verdict = verdictOf(permission, person, place)
  if (verdict === 'no') throw refusal(permission, place)
  // An action on a business as a whole affects its production environment too.
  const inProduction = place.business !== undefined && place.tenant?.environment !== 'staging'
  if (writes && inProduction && !person.person.hasSecondFactor) throw secondFactorRequired()
  const wantsStepUp = stepUp === 'always' || (stepUp === 'production' && inProduction)
  if (wantsStepUp || (writes && verdict === 'step-up')) requireStepUp(person, nowMs)
}

export function requireStepUp({ person, steppedUpUntilMs }: SignedIn, nowMs: number): void {
  if (!person.hasSecondFactor) throw secondFactorRequired()
  if (steppedUpUntilMs > nowMs) return
  throw new ApiError('STEP_UP_REQUIRED', 'Confirm with your second factor, then send this again.')
}

function verdictOf(admission: Admission, { person }: SignedIn, { role, tenant }: Place): Verdict {
  if (admission === 'operator') return person.isOperator ? 'yes' : 'no'
  if (!isPermission(admission)) return 'yes'
  return role === undefined ? 'no' : judge(admission, role, tenant?.environment ?? 'production')
}

function refusal(admission: Admission, { role, tenant }: Place): ApiError {
  if (role === undefined || !isPermission(admission)) {
    const sentence = 'This is for operators of the installation. Its administrator adds one: manilla people operator.'
    return new ApiError('FORBIDDEN', sentence)
  }
  const where = tenant === undefined ? '' : ` on ${tenant.environment}`
  return new ApiError('FORBIDDEN', `Your role, ${role}, may not do this${where}: ${titleOf(admission)}.`)
}

function secondFactorRequired(): ApiError {
  const sentence = 'Set up a second factor under “My profile” before you change anything in production.'
  return new ApiError('SECOND_FACTOR_REQUIRED', sentence)
}

export function compulsoryFactor(role: UserRole): ApiError {
  const sentence = `This business requires a second factor of your role, ${role}. Set one up under “My profile”.`
  return new ApiError('SECOND_FACTOR_REQUIRED', sentence)
}

function notFound(sentence: string): ApiError {
  return new ApiError('NOT_FOUND', sentence)
}
