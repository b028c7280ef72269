import { z } from 'zod'
import type { Customers } from '#customers/customers.ts'
import { customerData } from '#customers/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { limitParameter, pageParameter } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import { customerSchema } from './customer-fields.ts'

export function customersList(customers: Customers): Endpoint {
  return endpoint({
    operationId: 'listCustomers',
    method: 'GET',
    path: '/v1/customers',
    scope: 'read',
    tag: 'Customers',
    summary: 'All customers, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
    query: z.object({ page: pageParameter, limit: limitParameter }),
    data: z.object({ customers: z.array(customerSchema) }),
    paginated: true,
    handle: async ({ caller, query: { page, limit } }) => {
      const found = await customers.list(caller.tenant, { page, limit })
      return {
        data: { customers: found.customers.map(customerData) },
        pagination: paginationOf(page, limit, found.total),
      }
    },
  })
}
