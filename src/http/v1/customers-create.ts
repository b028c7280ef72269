import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import type { Customers } from '#customers/customers.ts'
import { customerData } from '#customers/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { reference } from '#http/fields.ts'
import { customerFields, customerSchema } from './customer-fields.ts'

export function customersCreate(customers: Customers): Endpoint {
  return endpoint({
    operationId: 'createCustomer',
    method: 'POST',
    path: '/v1/customers',
    scope: 'collect',
    tag: 'Customers',
    summary: 'Create a customer',
    description: 'A reference that exists is refused with 409; this is not replayed.',
    body: z.object({ reference, ...customerFields }),
    data: customerSchema,
    errors: ['CONFLICT'],
    handle: async ({ caller: { tenant }, body }) => {
      const { firstName, lastName, email = null, phoneNumber = null, bvn = null } = body
      const metadata = body.metadata === undefined || body.metadata === null ? null : JSON.stringify(body.metadata)
      const details = { firstName, lastName, email, phoneNumber, metadata }
      const outcome = await customers.create({ tenant, reference: body.reference, details, bvn })
      if (outcome.kind === 'created') return { data: customerData(outcome.customer) }
      throw new ApiError('CONFLICT', 'A customer with this reference already exists', {
        details: [{ field: 'reference', message: 'reference is that of another customer' }],
      })
    },
  })
}
