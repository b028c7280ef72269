// Virtual accounts: numbers into which customers pay.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, under, type Place, type Query } from './client.ts'
import type { VirtualAccount, VirtualAccountDetails } from './schema.ts'

export type StaticAccountRequest = { customerReference: string; accountName?: string }

export type DynamicAccountRequest = {
  amount: number
  expiresInMinutes?: number
  amountPolicy: 'exact' | 'any'
  accountName?: string
  reference?: string
}

export function accountsQuery(place: Place, query: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'virtual-accounts', query],
    queryFn: ({ signal }) =>
      ask<{ virtualAccounts: VirtualAccount[] }>(under(place, 'v1/virtual-accounts'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}

export function accountQuery(place: Place, accountNumber: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'virtual-account', accountNumber],
    queryFn: async ({ signal }) => (await ask<VirtualAccountDetails>(pathOf(place, accountNumber), { signal })).data,
  })
}

export async function openStaticAccount(place: Place, body: StaticAccountRequest): Promise<VirtualAccount> {
  return (await ask<VirtualAccount>(under(place, 'v1/virtual-accounts/static'), { method: 'POST', body })).data
}

export async function openDynamicAccount(place: Place, body: DynamicAccountRequest): Promise<VirtualAccount> {
  return (await ask<VirtualAccount>(under(place, 'v1/virtual-accounts/dynamic'), { method: 'POST', body })).data
}

export async function closeAccount(place: Place, accountNumber: string): Promise<void> {
  await ask(pathOf(place, accountNumber), { method: 'DELETE' })
}

function pathOf(place: Place, accountNumber: string): string {
  return under(place, `v1/virtual-accounts/${encodeURIComponent(accountNumber)}`)
}
