// Whose events: the business and environment that an operator named, or those that are meant when none is.

import type { Context, Environment, Tenant } from '#base/context.ts'
import { OperatorError } from '#base/error.ts'
import { parseId, type Uuid } from '#base/ids.ts'
import { findTenant, listBusinesses } from '#businesses/business.ts'

export type TenantOptions = { business?: string; environment: Environment }

export type NamedTenant = { tenant: Tenant; business: string }

/** Before any database is asked, so that a slip of the pen is told at once. */
export function businessIdOf({ business }: TenantOptions): Uuid | undefined {
  if (business === undefined) return undefined
  const id = parseId('business', business)
  if (id === undefined) throw new OperatorError(`${business} is not the id of a business: it would begin with biz_.`)
  return id
}

/** Undefined: nobody was named, and there is no business yet. */
export async function chooseTenant(ctx: Context, options: TenantOptions): Promise<NamedTenant | undefined> {
  const id = businessIdOf(options)
  const all = await listBusinesses(ctx)
  const chosen = id === undefined ? all[0] : all.find((business) => business.id === id)
  if (chosen === undefined && id === undefined) return undefined
  const tenant = chosen === undefined ? undefined : await findTenant(ctx, chosen.id, options.environment)
  if (chosen === undefined || tenant === undefined) {
    throw new OperatorError(`There is no business ${options.business ?? ''}. See: npx manilla businesses list`)
  }
  return { tenant, business: chosen.name }
}
