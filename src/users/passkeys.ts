// The passkeys of a user: adding, listing, renaming, removing, the challenges that they answer, and the proof of an
// identity with a passkey.

import { recordEntry } from '#audit/record.ts'
import type { Actor } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import {
  makeRecoveryCodes,
  type NotProven,
  removeFactor,
  type RemoveOutcome,
  renewOnlySession,
  withProof,
} from './factors.ts'
import {
  type ChallengePurpose,
  deletePasskey,
  findPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeyRows,
  type PasskeyRow,
  setHasPasskey,
  setPasskeyName,
  setPasskeyUsed,
  takeChallenge,
} from './passkey-queries.ts'
import { hashOfToken, newToken } from './passwords.ts'
import { hasFactor, lockPerson, type PersonRow } from './queries.ts'
import type { NewSignIn, SignedIn, UserDeps, Visit } from './service.ts'
import { beginWholeSignIn, completeSignIn, lockSignIn, stepUpMs } from './sessions.ts'
import { forgiveGuess } from './sign-in-attempts.ts'
import { completeStepUp, findCountedBuckets, noteRefusal } from './sign-in.ts'
import {
  type AuthenticationResponseJSON,
  challengeIn,
  challengeMs,
  creationOptions,
  type RegistrationResponseJSON,
  type RelyingParty,
  requestOptions,
  verifyCreation,
  verifyUse,
} from './webauthn.ts'

export const passkeysMax = 20

/** `asker`: the sign-in that asks, or the token of a browser without a sign-in. Only the same asker can answer. */
type ChallengeOwner = { purpose: ChallengePurpose; asker: string }

/** Returns a challenge that is good for one answer within five minutes. */
function issueChallenge(tx: Tx, nowMs: number, { purpose, asker }: ChallengeOwner): string {
  const { text, hash } = newToken()
  insertChallenge(tx, { hash, purpose, asker: hashOfToken(asker) }, new Date(nowMs), new Date(nowMs + challengeMs))
  return text
}

/** Takes the challenge that an answer names. Undefined if it was never given to this asker, is used, or has expired. */
async function redeemChallenge(
  { ctx }: UserDeps,
  { purpose, asker }: ChallengeOwner,
  response: RegistrationResponseJSON | AuthenticationResponseJSON,
): Promise<string | undefined> {
  const challenge = challengeIn(response)
  if (challenge === undefined) return undefined
  const row = { hash: hashOfToken(challenge), purpose, asker: hashOfToken(asker) }
  return (await takeChallenge(ctx.db, row, new Date(ctx.clock.now()))) ? challenge : undefined
}

type PasskeyBeginOutcome = { kind: 'begun'; options: ReturnType<typeof creationOptions> } | { kind: 'full' } | NotProven

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

type PasskeyAddOutcome =
  /** If the user had no second factor before, recovery codes and a new token come with the passkey. */
  | { kind: 'added'; id: Uuid; recoveryCodes: string[] | null; token: string | undefined }
  | { kind: 'over' }
  | { kind: 'wrong' }
  | { kind: 'already' }
  | { kind: 'full' }

/** If the user had no second factor before, all other sign-ins end, because they were made with only a password. */
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
    const token = renewOnlySession(tx, nowMs, who, { steppedUp: true })
    return { kind: 'added', id, recoveryCodes: makeRecoveryCodes(tx, person), token }
  })
}

export function listPasskeys({ ctx }: UserDeps, { person }: SignedIn): Promise<PasskeyRow[]> {
  return listPasskeyRows(ctx.db, person.id)
}

export function renamePasskey(
  { ctx }: UserDeps,
  by: Actor,
  { person }: SignedIn,
  id: Uuid,
  name: string,
): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    if (!(await setPasskeyName(tx, id, person.id, name))) return false
    const subject = formatId('person', person.id)
    recordEntry(tx, ctx.clock.now(), { by, act: 'person.passkey-renamed', subject, details: { name } })
    return true
  })
}

/** The request pipeline asks for a step-up first. */
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

// Proves an identity with a passkey: as the whole sign-in, as its second step, and as step-up. It never waits for the
// throttle of wrong passwords, which a stranger can fill, because a passkey cannot be guessed.

type RequestOptions = ReturnType<typeof requestOptions>

/** Any passkey of this site may answer. The browser sends `attempt` back with its answer. */
export function beginPasskeySignIn(
  { ctx }: UserDeps,
  site: RelyingParty,
): Promise<{ attempt: string; options: RequestOptions }> {
  return ctx.db.transaction((tx) => {
    const attempt = newToken().text
    const challenge = issueChallenge(tx, ctx.clock.now(), { purpose: 'sign-in', asker: attempt })
    return Promise.resolve({ attempt, options: requestOptions(site, challenge) })
  })
}

/** Begins the second step of a sign-in, or a step-up. Undefined if the user has no passkey. */
export function beginPasskeyConfirmation(
  { ctx }: UserDeps,
  { person, signInId }: SignedIn,
  site: RelyingParty,
): Promise<RequestOptions | undefined> {
  return ctx.db.transaction(async (tx) => {
    const known = await listPasskeyRows(tx, person.id)
    if (known.length === 0) return undefined
    return requestOptions(site, issueChallenge(tx, ctx.clock.now(), { purpose: 'confirm', asker: signInId }), known)
  })
}

export type PasskeyRefusal =
  /** The challenge was used or has expired, so the user must start again. */
  | { kind: 'over' }
  /** The answer is wrong, the passkey was removed, or its counter has not risen. */
  | { kind: 'wrong' }

type PasskeySignInOutcome = { kind: 'signed-in'; signIn: NewSignIn } | PasskeyRefusal

export async function signInWithPasskey(
  parts: UserDeps,
  visit: Visit,
  { attempt, response, site }: { attempt: string; response: AuthenticationResponseJSON; site: RelyingParty },
): Promise<PasskeySignInOutcome> {
  const use = await checkUse(parts, visit, { purpose: 'sign-in', asker: attempt }, { response, site })
  if (use.kind !== 'used') return use
  const { ctx } = parts
  return settleUse(parts, visit, use, async (tx, person) => ({
    kind: 'signed-in',
    signIn: await beginWholeSignIn(ctx, tx, ctx.clock.now(), person, visit),
  }))
}

/** The second step of a sign-in whose password was right. */
export async function enterPasskey(
  parts: UserDeps,
  visit: Visit,
  half: SignedIn,
  given: Given,
): Promise<PasskeySignInOutcome> {
  const { ctx } = parts
  const use = await checkUse(parts, visit, { purpose: 'confirm', asker: half.signInId, owner: half }, given)
  if (use.kind !== 'used') return use
  const own = await findCountedBuckets(ctx, visit, half)
  return settleUse(parts, visit, use, async (tx, person) => {
    const { signInId } = half
    if ((await lockSignIn(tx, signInId)) === undefined) return { kind: 'over' }
    const nowMs = ctx.clock.now()
    await forgiveGuess(tx, { own }, nowMs)
    return {
      kind: 'signed-in',
      signIn: await completeSignIn(ctx, tx, nowMs, { person, signInId, visit, by: 'passkey' }),
    }
  })
}

type PasskeyStepUpOutcome = { kind: 'stepped-up'; token: string; untilMs: number } | PasskeyRefusal

export async function stepUpWithPasskey(
  parts: UserDeps,
  visit: Visit,
  who: SignedIn,
  given: Given,
): Promise<PasskeyStepUpOutcome> {
  const { ctx } = parts
  const use = await checkUse(parts, visit, { purpose: 'confirm', asker: who.signInId, owner: who }, given)
  if (use.kind !== 'used') return use
  return settleUse(parts, visit, use, async (tx, person) => {
    const { signInId } = who
    if ((await lockSignIn(tx, signInId)) === undefined) return { kind: 'over' }
    const nowMs = ctx.clock.now()
    const token = completeStepUp(tx, nowMs, { person, signInId, visit, by: 'passkey' })
    return { kind: 'stepped-up', token, untilMs: nowMs + stepUpMs }
  })
}

type Given = { response: AuthenticationResponseJSON; site: RelyingParty }
type PasskeyUse = { kind: 'used'; passkey: PasskeyRow; counter: number }

/** The challenge is taken before anything is verified, so a wrong answer uses it up as well. */
async function checkUse(
  parts: UserDeps,
  visit: Visit,
  { owner, ...asker }: ChallengeOwner & { owner?: SignedIn },
  { response, site }: Given,
): Promise<PasskeyUse | PasskeyRefusal> {
  const challenge = await redeemChallenge(parts, asker, response)
  if (challenge === undefined) return { kind: 'over' }
  const passkey = await findPasskey(parts.ctx.db, Buffer.from(response.id, 'base64url'))
  const isTheirs = passkey !== undefined && (owner === undefined || owner.person.id === passkey.person_id)
  const counter = isTheirs ? await verifyUse(site, challenge, passkey, response) : undefined
  if (passkey !== undefined && counter !== undefined) return { kind: 'used', passkey, counter }
  noteRefusal(parts, visit, 'wrong-passkey', owner === undefined ? [] : [owner.person])
  return { kind: 'wrong' }
}

/** Records the use under the lock of the user, who may have removed the passkey in the meantime. */
async function settleUse<Outcome>(
  parts: UserDeps,
  visit: Visit,
  { passkey: { id, credential_id, person_id: personId }, counter }: PasskeyUse,
  then: (tx: Tx, person: PersonRow) => Promise<Outcome>,
): Promise<Outcome | PasskeyRefusal> {
  const { ctx } = parts
  return ctx.db.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    const passkey = await findPasskey(tx, credential_id)
    if (person === undefined || passkey?.id !== id) return { kind: 'wrong' }
    // An authenticator with a counter raises it at each use. If the counter has not risen, there may be a copy of the
    // passkey.
    const counted = Number(passkey.sign_count)
    if ((counter > 0 || counted > 0) && counter <= counted) {
      noteRefusal(parts, visit, 'copied-passkey', [person])
      return { kind: 'wrong' }
    }
    setPasskeyUsed(tx, id, counter, new Date(ctx.clock.now()))
    return then(tx, person)
  })
}
