// The passkeys of a user: adding, listing, removing, and the challenges that they answer.

import { recordEntry } from '#audit/record.ts'
import type { Actor } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import {
  giveRecoveryCodes,
  removeFactor,
  strengthenSession,
  withProof,
  type NotProven,
  type RemoveOutcome,
} from './factors.ts'
import {
  deletePasskey,
  insertChallenge,
  insertPasskey,
  listPasskeyRows,
  setHasPasskey,
  takeChallenge,
  type ChallengePurpose,
  type PasskeyRow,
} from './passkey-queries.ts'
import { hashOfToken, newToken } from './passwords.ts'
import { hasFactor, lockPerson } from './queries.ts'
import type { SignedIn, UserDeps, Visit } from './service.ts'
import {
  challengeIn,
  challengeMs,
  creationOptions,
  verifyCreation,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  type RelyingParty,
} from './webauthn.ts'

export const passkeysMax = 20

/** `asker`: the sign-in that asks, or the token of a browser that has none yet. Only the same one can answer. */
export type ChallengeOwner = { purpose: ChallengePurpose; asker: string }

/** Returns a challenge that is good for one answer within five minutes. */
export function issueChallenge(tx: Tx, nowMs: number, { purpose, asker }: ChallengeOwner): string {
  const { text, hash } = newToken()
  insertChallenge(tx, { hash, purpose, asker: hashOfToken(asker) }, new Date(nowMs), new Date(nowMs + challengeMs))
  return text
}

/** Takes the challenge that an answer names. Undefined if it was never given to this asker, is used, or has expired. */
export async function redeemChallenge(
  { ctx }: UserDeps,
  { purpose, asker }: ChallengeOwner,
  response: RegistrationResponseJSON | AuthenticationResponseJSON,
): Promise<string | undefined> {
  const challenge = challengeIn(response)
  if (challenge === undefined) return undefined
  const row = { hash: hashOfToken(challenge), purpose, asker: hashOfToken(asker) }
  return (await takeChallenge(ctx.db, row, new Date(ctx.clock.now()))) ? challenge : undefined
}

export type PasskeyBeginOutcome =
  | { kind: 'begun'; options: ReturnType<typeof creationOptions> }
  | { kind: 'full' }
  | NotProven

/** The request pipeline asks for a step-up first if the user has a second factor already. */
export function beginPasskey(
  parts: UserDeps,
  visit: Visit,
  who: SignedIn,
  { password, site }: { password: string | undefined; site: RelyingParty },
): Promise<PasskeyBeginOutcome> {
  return withProof<PasskeyBeginOutcome>(parts, visit, who, password, async (tx, person, requireProof) => {
    const missing = requireProof()
    if (missing !== undefined) return missing
    const known = await listPasskeyRows(tx, person.id)
    if (known.length >= passkeysMax) return { kind: 'full' }
    const challenge = issueChallenge(tx, parts.ctx.clock.now(), { purpose: 'register', asker: who.signInId })
    return { kind: 'begun', options: creationOptions(site, challenge, person, known) }
  })
}

export type PasskeyAddOutcome =
  /** Recovery codes and a new token come with the first second factor of the user. */
  | { kind: 'added'; id: Uuid; recoveryCodes: string[] | null; token: string | undefined }
  /** The challenge was used, or its time is over. */
  | { kind: 'over' }
  | { kind: 'wrong' }
  | { kind: 'already' }
  | { kind: 'full' }

/** If it is the user's first second factor, all other sign-ins end, because they were made with only a password. */
export async function addPasskey(
  parts: UserDeps,
  by: Actor,
  who: SignedIn,
  { name, response, site }: { name: string; response: RegistrationResponseJSON; site: RelyingParty },
): Promise<PasskeyAddOutcome> {
  const { ctx } = parts
  const challenge = await redeemChallenge(parts, { purpose: 'register', asker: who.signInId }, response)
  if (challenge === undefined) return { kind: 'over' }
  const credential = await verifyCreation(site, challenge, response)
  if (credential === undefined) return { kind: 'wrong' }
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const person = await lockPerson(tx, who.person.id)
    if (person === undefined) return { kind: 'over' }
    if ((await listPasskeyRows(tx, person.id)).length >= passkeysMax) return { kind: 'full' }
    const id = newUuid(nowMs)
    const row = { ...credential, id, personId: person.id, name, at: new Date(nowMs) }
    if (!(await insertPasskey(tx, row))) return { kind: 'already' }
    setHasPasskey(tx, person.id, true)
    const subject = formatId('person', person.id)
    recordEntry(tx, nowMs, { by, act: 'person.factor-added', subject, details: { factor: 'passkey', name } })
    if (hasFactor(person)) return { kind: 'added', id, recoveryCodes: null, token: undefined }
    const token = strengthenSession(tx, nowMs, who, { steppedUp: true })
    return { kind: 'added', id, recoveryCodes: giveRecoveryCodes(tx, person), token }
  })
}

export function listPasskeys({ ctx }: UserDeps, { person }: SignedIn): Promise<PasskeyRow[]> {
  return listPasskeyRows(ctx.db, person.id)
}

/** The request pipeline has just checked the second factor. */
export function removePasskey(parts: UserDeps, by: Actor, who: SignedIn, id: Uuid): Promise<RemoveOutcome> {
  return removeFactor(parts, by, who, async (tx, person) => {
    const rows = await listPasskeyRows(tx, person.id)
    const found = rows.find((row) => row.id === id)
    if (found === undefined) return undefined
    const left = { ...person, has_passkey: rows.length > 1 }
    return {
      left,
      details: { factor: 'passkey', name: found.name },
      remove() {
        deletePasskey(tx, id)
        setHasPasskey(tx, person.id, left.has_passkey)
      },
    }
  })
}
