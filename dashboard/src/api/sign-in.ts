// Sign-in with password and code or by a link, and sign-out.

import { queryOptions } from '@tanstack/react-query'
import { ask } from './client.ts'
import type { Role } from './me.ts'

/** The step that a sign-in still needs. `passkey`: a passkey or a code. */
export type Next = 'code' | 'passkey' | null

export const signInQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: async () =>
    (await ask<{ sendsMail: boolean; hasPeople: boolean }>('/dashboard/api/sign-in', { isSigningIn: true })).data,
})

/** The answer is the same for every address, so it does not show which addresses have an account. */
export async function requestPassword(email: string): Promise<void> {
  await ask('/dashboard/api/links/forgotten', { method: 'POST', body: { email }, isSigningIn: true })
}

export async function signIn(email: string, password: string): Promise<Next> {
  return next('sign-in', { email, password })
}

/** Six digits, or a recovery code. */
export async function giveCode(code: string): Promise<Next> {
  return next('sign-in/code', { code })
}

export async function signOut(everywhere = false): Promise<void> {
  await ask(`/dashboard/api/sign-out${everywhere ? '/everywhere' : ''}`, { method: 'POST', isSigningIn: true })
}

export async function stepUp(code: string): Promise<void> {
  await ask('/dashboard/api/step-up', { method: 'POST', body: { code } })
}

export type Link = {
  kind: 'welcome' | 'invitation' | 'reset'
  email: string | null
  businessName: string | null
  role: Role | null
  /**
   * True if the e-mail address that the link is for has an account. For an invitation it is null unless the visitor is
   * signed in with that address, because visitors must not find out which addresses have accounts.
   */
  hasAccount: boolean | null
}

export async function readLink(token: string): Promise<Link> {
  return (await ask<Link>('/dashboard/api/links/look', { method: 'POST', body: { token }, isSigningIn: true })).data
}

export type Accepted = { token: string; name?: string; email?: string; password?: string; businessName?: string }

export async function followLink(kind: Link['kind'], accepted: Accepted): Promise<Next> {
  return next(`links/${kind}`, accepted)
}

async function next(path: string, body: unknown): Promise<Next> {
  const options = { method: 'POST', body, isSigningIn: true } as const
  return (await ask<{ next: Next }>(`/dashboard/api/${path}`, options)).data.next
}
