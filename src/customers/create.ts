// Creating customers, many at once.

import type { Context, Tenant } from '#base/context.ts'
import { newUuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { positionAfter } from '#base/ordinal.ts'
import type { SecretBox } from '#base/secret.ts'
import { withTenants } from '#ledger/lock.ts'
import type { Customer, CustomerDetails } from './customer.ts'
import { customerList, findCustomers, insertCustomers, type NewCustomer } from './sql.ts'

export type CreateCommand = { tenant: Tenant; reference: string; details: CustomerDetails; bvn: string | null }

export type CreateOutcome = { kind: 'created'; customer: Customer } | { kind: 'exists' }

/** A sealed BVN opens only as this customer's. */
export function bvnContext(id: string): string {
  return `customer.bvn:${id}`
}

export function createCustomersOperation(ctx: Context, box: SecretBox): Operation<CreateCommand, CreateOutcome> {
  return {
    name: 'customers.create',
    async run(tx, commands) {
      const keys = commands.map(({ tenant, reference }) => ({ tenantId: tenant.id, reference }))
      const [found, last] = await withTenants(
        tx,
        keys.map(({ tenantId }) => tenantId),
        (tenantIds) => Promise.all([findCustomers(tx, keys), customerList.lastOfTenants(tx, tenantIds)]),
      )
      const taken = new Set(found.map(({ tenantId, reference }) => `${tenantId} ${reference}`))
      const created: NewCustomer[] = []
      const outcomes = commands.map(({ tenant, reference, details, bvn }): CreateOutcome => {
        const key = `${tenant.id} ${reference}`
        if (taken.has(key)) return { kind: 'exists' }
        taken.add(key)
        const position = positionAfter(last.get(tenant.id), ctx.clock.now())
        last.set(tenant.id, position)
        const id = newUuid(position.createdAt.getTime())
        const sealedBvn = bvn === null ? null : box.seal(bvn, bvnContext(id))
        const about = { lane: tx.lane, tenantId: tenant.id, id, reference, status: 'ACTIVE' as const }
        const customer = { ...details, ...about, ...position, updatedAt: position.createdAt, sealedBvn }
        created.push(customer)
        return { kind: 'created', customer }
      })
      if (created.length > 0) insertCustomers(tx, created)
      return outcomes
    },
  }
}
