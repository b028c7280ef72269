import { z } from 'zod'
import type { Customers } from '#customers/customers.ts'
import { customerData } from '#customers/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import { customerErased, customerFields, customerNotFound, customerSchema } from './customer-fields.ts'

const { firstName, lastName, ...optional } = customerFields

export function customerUpdate(customers: Customers): Endpoint {
  return endpoint({
    operationId: 'updateCustomer',
    method: 'PATCH',
    path: '/v1/customers/:reference',
    scope: 'collect',
    tag: 'Customers',
    summary: 'Correct what is known of a customer',
    description:
      'What is left out stays as it is; null forgets an optional field. The reference never changes. A customer who has been erased is refused with 409.',
    params: referenceParams,
    body: z.object({ firstName: firstName.optional(), lastName: lastName.optional(), ...optional }),
    data: customerSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params, body }) => {
      const { metadata } = body
      const text = metadata === undefined || metadata === null ? metadata : JSON.stringify(metadata)
      const outcome = await customers.correct(caller.tenant, params.reference, { ...body, metadata: text })
      switch (outcome.kind) {
        case 'corrected':
          return { data: customerData(outcome.customer) }
        case 'erased':
          throw customerErased()
        case 'not-found':
          throw customerNotFound()
      }
    },
  })
}
