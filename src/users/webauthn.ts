// The WebAuthn protocol: the questions to a browser, and the check of its authenticator's answer. A passkey here always
// verifies its user (PIN, fingerprint, face), so that it is two factors in one. passkeys.ts stores passkeys and refuses
// one that may have been copied.

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Uuid } from '#platform/ids.ts'

export type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** The site that passkeys belong to. Browsers offer them only to pages of this origin. */
export type RelyingParty = { origin: string }

export type Credential = { credential_id: Buffer; public_key: Buffer; transports: string[] }

export const challengeMs = 5 * 60_000

const rpIdOf = ({ origin }: RelyingParty): string => new URL(origin).hostname

/** EdDSA, ES256 and RS256, which authenticators of all makers offer, in the order of preference. */
const algorithms = [-8, -7, -257]

export function creationOptions(
  site: RelyingParty,
  challenge: string,
  person: { id: Uuid; email: string; name: string },
  known: readonly Credential[],
): PublicKeyCredentialCreationOptionsJSON {
  return {
    challenge,
    rp: { id: rpIdOf(site), name: 'Manilla' },
    user: { id: base64url(userHandle(person.id)), name: person.email, displayName: person.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeMs,
    attestation: 'none',
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    extensions: { credProps: true },
  }
}

/** Without `known`, the browser offers every passkey that it has for this site. */
export function requestOptions(
  site: RelyingParty,
  challenge: string,
  known: readonly Credential[] = [],
): PublicKeyCredentialRequestOptionsJSON {
  return {
    challenge,
    rpId: rpIdOf(site),
    timeout: challengeMs,
    userVerification: 'required',
    allowCredentials: known.map(descriptorOf),
  }
}

function descriptorOf({ credential_id, transports }: Credential): {
  id: string
  type: 'public-key'
  transports: string[]
} {
  return { id: base64url(credential_id), type: 'public-key', transports }
}

/**
 * Authenticators store these sixteen bytes and send them back. They identify the account and reveal nothing personal.
 */
function userHandle(id: Uuid): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

/** Reads the challenge in an answer, unchecked: only the database shows if the service issued it. */
export function challengeIn({ response }: RegistrationResponseJSON | AuthenticationResponseJSON): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'))
    const { challenge } = data as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

export type NewCredential = Credential & { sign_count: number }

const transportsMax = 8

export async function verifyCreation(
  site: RelyingParty,
  challenge: string,
  response: RegistrationResponseJSON,
): Promise<NewCredential | undefined> {
  const { verifyRegistrationResponse } = await loadLibrary()
  try {
    if (!(await isWithoutCertificates(response))) return undefined
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: rpIdOf(site),
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified) return undefined
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    return {
      credential_id: Buffer.from(id, 'base64url'),
      public_key: Buffer.from(publicKey),
      transports: transports.slice(0, transportsMax),
      sign_count: counter,
    }
  } catch {
    return undefined
  }
}

/**
 * We ask for no attestation. An attestation with certificates is refused before the library reads it, because the
 * library may fetch revocation lists from addresses that the certificates name.
 */
async function isWithoutCertificates({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')))
  const format = decoded.get('fmt')
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
}

/** Resolves with the counter of the authenticator; undefined if the answer is wrong. */
export async function verifyUse(
  site: RelyingParty,
  challenge: string,
  { credential_id, public_key }: Credential,
  response: AuthenticationResponseJSON,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await loadLibrary()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: rpIdOf(site),
      requireUserVerification: true,
      // The caller compares the counter, because only the caller can tell a copied authenticator from a wrong answer.
      credential: { id: base64url(credential_id), publicKey: new Uint8Array(public_key), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}

/** Loaded when the first passkey is used, because its 25 packages for certificates take 25 MB of memory. */
const loadLibrary = () => import('@simplewebauthn/server')
