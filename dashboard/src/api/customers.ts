// The people and firms that pay a business, each by the reference that the business gave it.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, under, type Place, type Query } from './client.ts'
import type { Customer } from './schema.ts'

export type CustomerFields = {
  firstName: string
  lastName: string
  email: string | null
  phoneNumber: string | null
  /** The API never returns a BVN. */
  bvn?: string
}

export function customersQuery(place: Place, query: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'customers', query],
    queryFn: ({ signal }) => ask<{ customers: Customer[] }>(under(place, 'v1/customers'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** The customers that match a text: at most 50, on one page. */
export function searchCustomersQuery(place: Place, search: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'customers', 'search', search],
    queryFn: async ({ signal }) =>
      (await ask<{ customers: Customer[] }>(under(place, 'customers'), { query: { search }, signal })).data.customers,
    placeholderData: keepPreviousData,
  })
}

export function customerQuery(place: Place, reference: string) {
  const path = under(place, `v1/customers/${encodeURIComponent(reference)}`)
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'customer', reference],
    queryFn: async ({ signal }) => (await ask<Customer>(path, { signal })).data,
  })
}

export async function createCustomer(place: Place, body: CustomerFields & { reference: string }): Promise<Customer> {
  return (await ask<Customer>(under(place, 'v1/customers'), { method: 'POST', body })).data
}

export async function updateCustomer(
  place: Place,
  reference: string,
  body: Partial<CustomerFields>,
): Promise<Customer> {
  const path = under(place, `v1/customers/${encodeURIComponent(reference)}`)
  return (await ask<Customer>(path, { method: 'PATCH', body })).data
}
