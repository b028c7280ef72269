// Passkeys: the browser passes the server's question to an authenticator and returns its answer. The server writes
// bytes as base64url text in JSON, and this file converts them to and from the buffers that the browser takes.

import { queryOptions } from '@tanstack/react-query'
import { ask } from './client.ts'
import { isFaultOf } from './me.ts'
import type { Next } from './sign-in.ts'

export type Passkey = { id: string; name: string; createdAt: string; lastUsedAt: string | null }

export const passkeysQuery = queryOptions({
  queryKey: ['me', 'passkeys'],
  queryFn: async () => (await ask<{ passkeys: Passkey[] }>('/dashboard/api/passkeys')).data.passkeys,
})

export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function'
}

/** True if the browser can offer passkeys in the list below a field. Older browsers lack the function that tells it. */
export async function canOfferPasskeys(): Promise<boolean> {
  return hasPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false)
}

type Mediation = { mediation: 'conditional' | 'optional'; signal: AbortSignal }

/**
 * Signs in with any passkey of this site. `conditional`: the browser offers them below the address field, and the call waits
 * until the person chooses one.
 */
export async function signInWithPasskey({ mediation, signal }: Mediation): Promise<Next> {
  const { attempt, options } = await post<{ attempt: string; options: RequestJson }>('sign-in/passkey/begin')
  const credential = await useCredential(options, { mediation, signal })
  return (await post<{ next: Next }>('sign-in/passkey', { attempt, credential })).next
}

/** The second step of a sign-in. */
export async function confirmWithPasskey(): Promise<Next> {
  return (await post<{ next: Next }>('sign-in/code/passkey', { credential: await useOwn() })).next
}

export async function stepUpWithPasskey(): Promise<void> {
  await post('step-up/passkey', { credential: await useOwn() })
}

async function useOwn(): Promise<unknown> {
  const { options } = await post<{ options: RequestJson }>('passkeys/confirm/begin')
  return useCredential(options, { mediation: 'optional', signal: new AbortController().signal })
}

/**
 * Resolves with undefined if the password must be given again. `recoveryCodes`: null if the person had a second factor
 * before.
 */
export async function addPasskey(
  name: string,
  password?: string,
): Promise<{ recoveryCodes: string[] | null } | undefined> {
  const begun = await ask<{ options: CreationJson }>('/dashboard/api/passkeys/begin', {
    method: 'POST',
    body: password === undefined ? {} : { password },
  }).catch((error: unknown) => {
    if (password === undefined && isFaultOf(error, 'password')) return undefined
    throw error
  })
  if (begun === undefined) return undefined
  const credential = await makeCredential(begun.data.options)
  const options = { method: 'POST', body: { name, credential } } as const
  return (await ask<{ recoveryCodes: string[] | null }>('/dashboard/api/passkeys', options)).data
}

export async function renamePasskey(id: string, name: string): Promise<void> {
  await ask(`/dashboard/api/passkeys/${encodeURIComponent(id)}`, { method: 'PATCH', body: { name } })
}

export async function removePasskey(id: string): Promise<void> {
  await ask(`/dashboard/api/passkeys/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

async function post<Data>(path: string, body: unknown = {}): Promise<Data> {
  return (await ask<Data>(`/dashboard/api/${path}`, { method: 'POST', body, isSigningIn: true })).data
}

type Descriptor = { id: string; type: 'public-key'; transports: string[] }
type RequestJson = {
  challenge: string
  rpId: string
  timeout: number
  userVerification: UserVerificationRequirement
  allowCredentials: Descriptor[]
}
type CreationJson = {
  challenge: string
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  pubKeyCredParams: PublicKeyCredentialParameters[]
  timeout: number
  attestation: AttestationConveyancePreference
  excludeCredentials: Descriptor[]
  authenticatorSelection: AuthenticatorSelectionCriteria
}

async function useCredential(options: RequestJson, { mediation, signal }: Mediation): Promise<unknown> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: options.allowCredentials.map(described),
  }
  const { id, response } = await given(navigator.credentials.get({ publicKey, mediation, signal }))
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse
  return {
    id,
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: userHandle === null ? null : textOf(userHandle),
    },
  }
}

async function makeCredential(options: CreationJson): Promise<unknown> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials.map(described),
  }
  const { id, response } = await given(navigator.credentials.create({ publicKey }))
  const made = response as AuthenticatorAttestationResponse
  return {
    id,
    response: {
      clientDataJSON: textOf(made.clientDataJSON),
      attestationObject: textOf(made.attestationObject),
      transports: made.getTransports(),
    },
  }
}

function described({ id, type, transports }: Descriptor): PublicKeyCredentialDescriptor {
  return { id: bytesOf(id), type, transports: transports as AuthenticatorTransport[] }
}

/**
 * Browsers report a wrong finger, a closed dialog and a missing passkey in the same way, so the three share a message.
 */
async function given(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const credential = await asked.catch((error: unknown) => {
    if (!(error instanceof DOMException) || error.name === 'AbortError') throw error
    if (error.name === 'InvalidStateError') throw new Error('This device has a passkey of yours already.')
    if (error.name === 'SecurityError') throw new Error('Passkeys do not work at this address of the dashboard.')
    throw new Error('No passkey was used. Try again, or use something else.')
  })
  if (credential === null) throw new Error('No passkey was used. Try again, or use something else.')
  return credential as PublicKeyCredential
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function textOf(buffer: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(buffer))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
