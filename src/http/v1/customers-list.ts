import { z } from 'zod'
import type { Customers } from '#customers/customers.ts'
import { customerData } from '#customers/wire.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { limitParameter, pageParameter } from '#http/fields.ts'
import { customerSchema } from './customer-fields.ts'
import { listEndpoint } from './read-endpoints.ts'

export function customersList(customers: Customers): Endpoint {
  return listEndpoint({
    operationId: 'listCustomers',
    path: '/v1/customers',
    tag: 'Customers',
    summary: 'All customers, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
    query: z.object({ page: pageParameter, limit: limitParameter }),
    name: 'customers',
    item: customerSchema,
    list: async (tenant, question) => {
      const found = await customers.list(tenant, question)
      return { items: found.customers.map(customerData), total: found.total }
    },
  })
}
