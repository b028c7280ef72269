import type { Customers } from '#customers/customers.ts'
import { customerData } from '#customers/wire.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import { customerNotFound, customerSchema } from './customer-fields.ts'
import { readEndpoint } from './read-endpoints.ts'

export function customerGet(customers: Customers): Endpoint {
  return readEndpoint({
    operationId: 'getCustomer',
    path: '/v1/customers/:reference',
    tag: 'Customers',
    summary: 'One customer, by its reference',
    description: 'By the reference that you gave it.',
    params: referenceParams,
    data: customerSchema,
    find: (tenant, { reference }) => customers.read(tenant, reference),
    show: customerData,
    notFound: customerNotFound,
  })
}
