// Creating customers, many at once.

import type { Context, Tenant } from '#base/context.ts'
import { newUuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import type { SecretBox } from '#base/secret.ts'
import { placeAfter, type Customer, type CustomerDetails, type LockTenants } from './customer.ts'
import { findCustomers, insertCustomers, lastCustomers, type NewCustomer } from './sql.ts'

export type CreateCommand = { tenant: Tenant; reference: string; details: CustomerDetails; bvn: string | null }

export type CreateOutcome = { kind: 'created'; customer: Customer } | { kind: 'exists' }

/** A sealed BVN opens only as this customer's. */
export function bvnContext(id: string): string {
  return `customer.bvn:${id}`
}

export function createCustomersOperation(
  ctx: Context,
  box: SecretBox,
  lockTenants: LockTenants,
): Operation<CreateCommand, CreateOutcome> {
  return {
    name: 'customers.create',
    async run(tx, commands) {
      const lane = commands[0]?.tenant.lane ?? 0
      const tenantIds = [...new Set(commands.map(({ tenant }) => tenant.id))]
      const locks = lockTenants(tx, lane, tenantIds)
      await locks.sent
      const keys = commands.map(({ tenant, reference }) => ({ tenantId: tenant.id, reference }))
      const [found, last] = await Promise.all([
        findCustomers(tx, lane, keys),
        lastCustomers(tx, lane, tenantIds),
        locks.done,
      ])
      const taken = new Set(found.map(({ tenantId, reference }) => `${tenantId} ${reference}`))
      const created: NewCustomer[] = []
      const outcomes = commands.map(({ tenant, reference, details, bvn }): CreateOutcome => {
        const key = `${tenant.id} ${reference}`
        if (taken.has(key)) return { kind: 'exists' }
        taken.add(key)
        const place = placeAfter(last.get(tenant.id), ctx.clock.now())
        last.set(tenant.id, place)
        const id = newUuid(place.createdAt.getTime())
        const sealedBvn = bvn === null ? null : box.seal(bvn, bvnContext(id))
        const about = { lane, tenantId: tenant.id, id, reference, status: 'ACTIVE' as const }
        const customer = { ...details, ...about, ...place, updatedAt: place.createdAt, sealedBvn }
        created.push(customer)
        return { kind: 'created', customer }
      })
      if (created.length > 0) insertCustomers(tx, lane, created)
      return outcomes
    },
  }
}
