// Decides whether a request to the dashboard may go on: who is signed in, of which business the path is, whether the role
// has the permission (permissions.ts), and whether a second factor is due.

import type { Environment, Tenant } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { parseId, type Uuid } from '#platform/ids.ts'
import type { UserRole, SignedIn } from '#users/service.ts'
import type { Admission, DashboardEndpoint } from './endpoint.ts'
import { isPermission, judge, titleOf, type Verdict } from './permissions.ts'

/**
 * The business, role and tenant that a request is for. Permission is checked before step-up, so that a user who lacks
 * the permission is not asked for a code first.
 */
export type Place = {
  business: Uuid | undefined
  role: UserRole | undefined
  tenant: Tenant | undefined
}

export type PlaceOptions = {
  environments: readonly Environment[]
  findTenant: (business: Uuid, environment: Environment) => Promise<Tenant | undefined>
}

/** Returns the user that the endpoint needs. Throws if no user is signed in, or if the second factor is still due. */
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

/** Resolves the business and environment in the path. Throws if the user is not a member of the business. */
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

/** Throws if the user lacks the permission or the required second factor. */
export function requirePermission(
  { permission, stepUp, writes }: Pick<DashboardEndpoint, 'permission' | 'stepUp' | 'writes'>,
  person: SignedIn | undefined,
  place: Place,
  nowMs: number,
): void {
  if (person === undefined) return
  const verdict = verdictOf(permission, person, place)
  if (verdict === 'no') throw refusal(permission, place)
  // An action on a whole business also affects its production.
  const inProduction = place.business !== undefined && place.tenant?.environment !== 'staging'
  if (writes && inProduction && !person.person.hasSecondFactor) throw secondFactorRequired()
  const wantsStepUp = stepUp === 'always' || (stepUp === 'production' && inProduction)
  if (wantsStepUp || (writes && verdict === 'step-up')) requireStepUp(person, nowMs)
}

/** Throws unless the second factor was checked recently. */
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
