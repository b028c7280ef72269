// Whose events: the business that the operator named, or else the first one, in the environment that is asked for.

import type { Context, Environment, Tenant } from '#base/context.ts'
import { OperatorError } from '#base/error.ts'
import { formatId, parseId, type Uuid } from '#base/ids.ts'
import { findTenant, listBusinesses } from '#businesses/business.ts'

export type TenantOptions = { business?: string; environment: Environment }

export type NamedTenant = { tenant: Tenant; business: string }

/** Parsed before any database is opened, so that the operator is told of a typing mistake at once. */
export function businessIdOf({ business }: { business?: string | undefined }): Uuid | undefined {
  if (business === undefined) return undefined
  const id = parseId('business', business)
  if (id === undefined)
    throw new OperatorError(`${business} is not the id of a business. Find it with: npx manilla businesses list`)
  return id
}

/** Of a business that a command cannot do without. */
export async function tenantOf(ctx: Context, businessId: Uuid, environment: Environment): Promise<Tenant> {
  const tenant = await findTenant(ctx, businessId, environment)
  if (tenant === undefined) throw unknownBusiness(formatId('business', businessId))
  return tenant
}

/** Undefined when the operator named no business and there is none yet. */
export async function chooseTenant(ctx: Context, options: TenantOptions): Promise<NamedTenant | undefined> {
  const id = businessIdOf(options)
  const all = await listBusinesses(ctx)
  const chosen = id === undefined ? all[0] : all.find((business) => business.id === id)
  if (chosen === undefined && id === undefined) return undefined
  const tenant = chosen === undefined ? undefined : await findTenant(ctx, chosen.id, options.environment)
  if (chosen === undefined || tenant === undefined) {
    throw unknownBusiness(options.business ?? '')
  }
  return { tenant, business: chosen.name }
}

function unknownBusiness(id: string): OperatorError {
  return new OperatorError(`There is no business ${id}. See: npx manilla businesses list`)
}
