// The signed-in user, and their permissions in each business.

import { queryOptions } from '@tanstack/react-query'
import { ask, type Environment } from './client.ts'
import { ApiFailure } from './failure.ts'

export type Role = 'owner' | 'admin' | 'developer' | 'finance' | 'support' | 'viewer'

export type Permission =
  | 'payments.see'
  | 'balance.see'
  | 'export'
  | 'customers.change'
  | 'payouts.propose'
  | 'payouts.approve'
  | 'webhooks.see'
  | 'webhooks.change'
  | 'requests.see'
  | 'keys.list'
  | 'keys.change'
  | 'simulator'
  | 'people.manage'
  | 'settings.see'
  | 'settings.change'
  | 'alerts.change'
  | 'audit.all'
  | 'audit.own'
  | 'go-live'
  | 'payouts.pause'
  | 'receipts.share'

export type Membership = {
  id: string
  name: string
  timeZone: string
  role: Role
  /** The role needs a second factor to reach anything of the business. */
  isFactorCompulsory: boolean
  permissions: Record<Environment, Permission[]>
  stepUp: Record<Environment, Permission[]>
}

export type Me = {
  person: {
    id: string
    name: string
    email: string
    hasSecondFactor: boolean
    hasApp: boolean
    hasPasskey: boolean
    recoveryCodesLeft: number
    isOperator: boolean
  }
  signIn: { id: string; steppedUpUntil: string | null }
  businesses: Membership[]
  version: string
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => (await ask<Me>('/dashboard/api/me', { signal, isSigningIn: true })).data,
  staleTime: 30_000,
})

export async function renameMe(name: string): Promise<void> {
  await ask('/dashboard/api/me', { method: 'PATCH', body: { name } })
}

export async function changePassword(current: string, next: string): Promise<void> {
  await ask('/dashboard/api/password', { method: 'POST', body: { current, next } })
}

export type SignIn = {
  id: string
  device: string
  address: string
  createdAt: string
  seenAt: string
  isThis: boolean
}

export const signInsQuery = queryOptions({
  queryKey: ['me', 'sign-ins'],
  queryFn: async () => (await ask<{ signIns: SignIn[] }>('/dashboard/api/sign-ins')).data.signIns,
})

export async function endSignIn(id: string): Promise<void> {
  await ask(`/dashboard/api/sign-ins/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

/** The secret of an authenticator app that is being set up, and the URI of its QR code. */
export type FactorToBe = { secret: string; uri: string }

/**
 * `password` may be absent if the user gave it, or a second factor, in the last ten minutes. Resolves with undefined if
 * the password must be given again.
 */
export async function beginFactor(password?: string): Promise<FactorToBe | undefined> {
  const body = password === undefined ? {} : { password }
  try {
    return (await ask<FactorToBe>('/dashboard/api/factors/totp/begin', { method: 'POST', body })).data
  } catch (error) {
    if (password === undefined && isFaultOf(error, 'password')) return undefined
    throw error
  }
}

export function isFaultOf(error: unknown, name: string): boolean {
  return error instanceof ApiFailure && error.details.some(({ field }) => field === name)
}

export async function confirmFactor(code: string): Promise<string[]> {
  return codesOf(await ask('/dashboard/api/factors/totp/confirm', { method: 'POST', body: { code } }))
}

export async function removeFactor(): Promise<void> {
  await ask('/dashboard/api/factors/totp', { method: 'DELETE' })
}

export async function makeRecoveryCodes(): Promise<string[]> {
  return codesOf(await ask('/dashboard/api/factors/recovery-codes', { method: 'POST' }))
}

function codesOf({ data }: { data: { recoveryCodes: string[] } }): string[] {
  return data.recoveryCodes
}
