// The customers room, as its doors see it. Their virtual accounts are in accounts.ts.

import type { Context, Tenant } from '#base/context.ts'
import type { Lane } from '#base/lane.ts'
import type { SecretBox } from '#base/secret.ts'
import { bvnContext, createCustomersOperation, type CreateCommand, type CreateOutcome } from './create.ts'
import type { Customer, LockTenants } from './customer.ts'
import { countCustomers, findCustomers, readCustomers, updateCustomer, type CustomerChanges } from './sql.ts'

export type Corrections = Omit<CustomerChanges, 'sealedBvn'> & { bvn?: string | null | undefined }

export type Customers = {
  create(command: CreateCommand): Promise<CreateOutcome>
  read(tenant: Tenant, reference: string): Promise<Customer | undefined>
  list(tenant: Tenant, page: number, limit: number): Promise<{ customers: Customer[]; total: number }>
  correct(tenant: Tenant, reference: string, corrections: Corrections): Promise<Customer | undefined>
}

export type CustomersOptions = {
  ctx: Context
  laneOf: (lane: number) => Lane
  box: SecretBox
  lockTenants: LockTenants
}

export function createCustomers({ ctx, laneOf, box, lockTenants }: CustomersOptions): Customers {
  const creating = createCustomersOperation(ctx, box, lockTenants)
  const read: Customers['read'] = async (tenant, reference) => {
    const [customer] = await findCustomers(ctx.db, tenant.lane, [{ tenantId: tenant.id, reference }])
    return customer
  }
  return {
    create: (command) => laneOf(command.tenant.lane).submit(creating, command),
    read,
    async list(tenant, page, limit) {
      const last = await countCustomers(ctx.db, tenant)
      const high = last - BigInt((page - 1) * limit)
      const customers = high > 0n ? await readCustomers(ctx.db, tenant, high - BigInt(limit), high) : []
      return { customers, total: Number(last) }
    },
    async correct(tenant, reference, { bvn, ...changes }) {
      // A sealed value belongs to the customer's id, which has to be known first and never changes.
      const customer = await read(tenant, reference)
      if (customer === undefined) return undefined
      const sealedBvn = typeof bvn === 'string' ? box.seal(bvn, bvnContext(customer.id)) : bvn
      return updateCustomer(ctx.db, tenant, reference, { ...changes, sealedBvn }, new Date(ctx.clock.now()))
    },
  }
}
