// Proving who one is with a passkey: as the whole sign-in, as its second step, and again before what matters most. It
// never waits for the throttle of wrong passwords, which a stranger can fill: a passkey cannot be guessed.

import type { Tx } from '#platform/db/db.ts'
import { findPasskey, listPasskeyRows, setPasskeyUsed, type PasskeyRow } from './passkey-queries.ts'
import { issueChallenge, redeemChallenge, type ChallengeOwner } from './passkeys.ts'
import { newToken } from './passwords.ts'
import { lockPerson, type PersonRow } from './queries.ts'
import type { NewSignIn, SignedIn, UserDeps, Visit } from './service.ts'
import { beginWholeSignIn, completeSignIn, lockSignIn, stepUpMs } from './sessions.ts'
import { completeStepUp, findCountedBuckets, noteRefusal } from './sign-in.ts'
import { forgiveGuess } from './sign-in-attempts.ts'
import { requestOptions, verifyUse, type AuthenticationResponseJSON, type RelyingParty } from './webauthn.ts'

type RequestOptions = ReturnType<typeof requestOptions>

/** For a browser that is not signed in: any passkey of this site. It gives the attempt back with its answer. */
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

/** For the second step of a sign-in, and for a step-up: one of the user's passkeys. Undefined if they have none. */
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
  /** The challenge was used, or its time is over: begin again. */
  | { kind: 'over' }
  /** Also for a passkey that was removed, and for one whose counter ran backwards. */
  | { kind: 'wrong' }

export type PasskeySignInOutcome = { kind: 'signed-in'; signIn: NewSignIn } | PasskeyRefusal

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

export type PasskeyStepUpOutcome = { kind: 'stepped-up'; token: string; untilMs: number } | PasskeyRefusal

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

/** Counts the use under the lock of the user, who may have removed the passkey in the meantime. */
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
    // An authenticator that counts, counts up. If it does not, a copy of it was used in between.
    const counted = Number(passkey.sign_count)
    if ((counter > 0 || counted > 0) && counter <= counted) {
      noteRefusal(parts, visit, 'copied-passkey', [person])
      return { kind: 'wrong' }
    }
    setPasskeyUsed(tx, id, counter, new Date(ctx.clock.now()))
    return then(tx, person)
  })
}
