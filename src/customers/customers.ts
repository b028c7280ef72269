// The customers room, as its doors see it. Their virtual accounts are in accounts.ts.

import type { Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import type { Writer } from '#base/lane.ts'
import type { PageQuestion } from '#base/ordinal.ts'
import type { SecretBox } from '#base/secret.ts'
import { bvnContext, createCustomersOperation, type CreateCommand, type CreateOutcome } from './create.ts'
import type { Customer } from './customer.ts'
import { customerList, findCustomers, updateCustomer, type CustomerChanges } from './sql.ts'

export type Corrections = Omit<CustomerChanges, 'sealedBvn'> & { bvn?: string | null | undefined }

export type CorrectOutcome = { kind: 'corrected'; customer: Customer } | { kind: 'erased' } | { kind: 'not-found' }

export type Customers = {
  create(command: CreateCommand): Promise<CreateOutcome>
  read(tenant: Tenant, reference: string): Promise<Customer | undefined>
  list(tenant: Tenant, question: PageQuestion): Promise<{ customers: Customer[]; total: number }>
  correct(tenant: Tenant, reference: string, corrections: Corrections): Promise<CorrectOutcome>
}

export type CustomersOptions = Writer & {
  box: SecretBox
}

export function createCustomers({ ctx, laneOf, box }: CustomersOptions): Customers {
  const creating = createCustomersOperation(ctx, box)
  const read: Customers['read'] = async (tenant, reference) => {
    const [customer] = await findCustomers(inLane(ctx.db, tenant.lane), [{ tenantId: tenant.id, reference }])
    return customer
  }
  return {
    async create(command) {
      if (command.bvn !== null) await box.requireCurrent()
      return laneOf(command.tenant.lane).submit(creating, command)
    },
    read,
    async list(tenant, question) {
      const { rows, total } = await customerList.page(ctx.db, tenant, question)
      return { customers: rows, total }
    },
    async correct(tenant, reference, { bvn, ...changes }) {
      // A sealed value belongs to the customer's id, which has to be known first and never changes.
      const customer = await read(tenant, reference)
      if (customer === undefined) return { kind: 'not-found' }
      if (typeof bvn === 'string') await box.requireCurrent()
      const sealedBvn = typeof bvn === 'string' ? box.seal(bvn, bvnContext(customer.id)) : bvn
      const now = new Date(ctx.clock.now())
      const corrected = await updateCustomer(ctx.db, tenant, reference, { ...changes, sealedBvn }, now)
      // No customer is ever taken away, so what is not ACTIVE is erased.
      return corrected === undefined ? { kind: 'erased' } : { kind: 'corrected', customer: corrected }
    },
  }
}
