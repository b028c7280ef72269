import type { Customers } from '#customers/customers.ts'
import { customerData } from '#customers/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import { customerNotFound, customerSchema } from './customer-fields.ts'

export function customerGet(customers: Customers): Endpoint {
  return endpoint({
    operationId: 'getCustomer',
    method: 'GET',
    path: '/v1/customers/:reference',
    scope: 'read',
    tag: 'Customers',
    summary: 'One customer, by its reference',
    description: 'By the reference that you gave it.',
    params: referenceParams,
    data: customerSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params }) => {
      const customer = await customers.read(caller.tenant, params.reference)
      if (customer === undefined) throw customerNotFound()
      return { data: customerData(customer) }
    },
  })
}
