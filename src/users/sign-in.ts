// Proving who one is: by a password, by a code, and by a code again before what matters most.

import { recordEntry } from '#audit/record.ts'
import type { RefusalReason } from '#audit/refusals.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId } from '#platform/ids.ts'
import { networkOf } from '#platform/http-client/addresses.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { openTotp, setLastStep, takeRecoveryCode, stepOfCode } from './factor-secrets.ts'
import { bucketsOf, forgiveGuess, takeGuess } from './sign-in-attempts.ts'
import type { NewSignIn, UserDeps, SignedIn, Visit } from './service.ts'
import {
  actorOf,
  beginSignIn,
  completeSignIn,
  deviceKnownMs,
  renewSession,
  stepUpMs,
  endSignIn,
  lockSignIn,
  setWrongCodes,
} from './sessions.ts'
import { findPerson, lockPerson, setPassword, type PersonRow } from './queries.ts'
import { hashOfRecoveryCode, hashOfToken } from './passwords.ts'

export type TooMany = { kind: 'too-many'; retryAfterMs: number }
export type SignInOutcome = { kind: 'signed-in'; signIn: NewSignIn } | { kind: 'wrong' } | TooMany

export async function signIn(
  parts: UserDeps,
  visit: Visit,
  given: { email: string; password: string },
): Promise<SignInOutcome> {
  const proof = await provePassword(parts, visit, given)
  if (proof.kind !== 'right') return proof
  return parts.ctx.db.transaction(async (tx) => {
    const person = await settleProof(tx, parts.ctx, proof)
    if (person === undefined) return { kind: 'wrong' }
    return { kind: 'signed-in', signIn: await beginSignIn(tx, parts.ctx.clock.now(), person, visit) }
  })
}

export type PasswordProof = {
  kind: 'right'
  person: PersonRow
  buckets: string[]
  /** The password as it is kept from now on, where it was kept with less than is usual. */
  raised: string | undefined
}

type Credentials = { email: string; password: string }
type PasswordOutcome = PasswordProof | { kind: 'wrong' } | TooMany

/** The same questions and the same hashing whether there is such a person or not. */
export async function provePassword(parts: UserDeps, visit: Visit, given: Credentials): Promise<PasswordOutcome> {
  const { ctx, passwords } = parts
  const find = (): Promise<VisitorRow> => findVisitor(ctx, visit, given.email)
  // Whoever brings no device is a stranger, and waits for a turn before the database is asked anything.
  const hasNoDevice = visit.deviceToken === undefined
  const visitor = hasNoDevice ? undefined : await find()
  const asker = visitor?.device_known === true ? 'known' : 'stranger'
  const proof = await passwords.inTurn(asker, async () =>
    prove(parts, visit, given, hasNoDevice ? await find() : visitor),
  )
  if (proof.kind !== 'right' || !passwords.isOutdated(proof.person.password)) return proof
  return { ...proof, raised: await passwords.hash(given.password) }
}

async function prove(
  parts: UserDeps,
  visit: Visit,
  { email, password }: Credentials,
  person: VisitorRow,
): Promise<PasswordOutcome> {
  const { ctx, passwords } = parts
  const buckets = bucketsFor(person, visit, email)
  const waitMs = await takeGuess(ctx, buckets)
  if (waitMs > 0) {
    noteRefusal(parts, visit, 'too-many-guesses', person)
    return { kind: 'too-many', retryAfterMs: waitMs }
  }
  if ((await passwords.matches(person?.password, password)) && person !== undefined)
    return { kind: 'right', person, buckets, raised: undefined }
  noteRefusal(parts, visit, 'wrong-password', person)
  return { kind: 'wrong' }
}

/**
 * In the transaction that goes on with it. Undefined when the password was changed in the meantime. `isIn`: whoever gave it is
 * signed in already.
 */
export async function settleProof(
  tx: Tx,
  { clock }: Context,
  { person, buckets, raised }: PasswordProof,
  { isIn = false } = {},
): Promise<PersonRow | undefined> {
  const locked = await lockPerson(tx, person.id)
  if (locked?.password !== person.password) return undefined
  if (raised !== undefined) setPassword(tx, person.id, raised)
  // With the password alone nobody is in who has a second factor: until then it counts as a guess.
  if (isIn || locked.totp_secret === null) await forgiveGuess(tx, buckets, clock.now())
  return locked
}

type VisitorRow = (PersonRow & { device_known: boolean }) | undefined

function findVisitor({ db, clock }: Context, { deviceToken }: Visit, email: string): Promise<VisitorRow> {
  const device = deviceToken === undefined ? null : hashOfToken(deviceToken)
  return findPerson(db, email, device, new Date(clock.now() - deviceKnownMs))
}

function bucketsFor(person: VisitorRow, { deviceToken, address }: Visit, email: string): string[] {
  return person?.device_known === true && deviceToken !== undefined
    ? bucketsOf({ at: 'device', token: `${person.id} ${deviceToken}` })
    : bucketsOf({ at: 'account', email, address })
}

function noteRefusal(
  { refusals }: UserDeps,
  { address, requestId }: Visit,
  reason: RefusalReason,
  person: { id: PersonRow['id'] } | undefined,
): void {
  const who = person === undefined ? {} : { personId: person.id }
  refusals.note({ network: networkOf(address), reason, requestId, ...who })
}

export type CodeOutcome =
  | { kind: 'signed-in'; signIn: NewSignIn }
  | { kind: 'wrong' }
  /** Too many were wrong: the password first. */
  | { kind: 'ended' }

export async function enterCode(parts: UserDeps, visit: Visit, half: SignedIn, code: string): Promise<CodeOutcome> {
  const { ctx } = parts
  const visitor = await findVisitor(ctx, visit, half.person.email)
  return answered(parts, visit, half, (tx) =>
    tryCode(tx, parts, half, code, async (person, by) => {
      const nowMs = ctx.clock.now()
      await forgiveGuess(tx, bucketsFor(visitor, visit, person.email), nowMs)
      return completeSignIn(tx, nowMs, { person, signInId: half.signInId, visit, by })
    }),
  )
}

export type StepUpOutcome =
  | { kind: 'stepped-up'; token: string; untilMs: number }
  | { kind: 'wrong' }
  | { kind: 'ended' }
  | { kind: 'no-factor' }

export async function stepUp(parts: UserDeps, visit: Visit, who: SignedIn, code: string): Promise<StepUpOutcome> {
  if (!who.person.hasSecondFactor) return { kind: 'no-factor' }
  const nowMs = parts.ctx.clock.now()
  const outcome = await answered(parts, visit, who, (tx) =>
    tryCode(tx, parts, who, code, (person, by) => {
      recordEntry(tx, nowMs, {
        by: actorOf(person, visit),
        act: 'sign-in.stepped-up',
        subject: formatId('signIn', who.signInId),
        details: { by },
      })
      // Whoever else holds the token before does not step up with us.
      const token = renewSession(tx, nowMs, who.signInId, { steppedUp: true, keepPrevious: true })
      return Promise.resolve({ token, next: null })
    }),
  )
  return outcome.kind === 'signed-in'
    ? { kind: 'stepped-up', token: outcome.signIn.token, untilMs: nowMs + stepUpMs }
    : outcome
}

async function answered(
  parts: UserDeps,
  visit: Visit,
  { person }: SignedIn,
  work: (tx: Tx) => Promise<CodeOutcome>,
): Promise<CodeOutcome> {
  const outcome = await parts.ctx.db.transaction(work)
  if (outcome.kind !== 'signed-in') noteRefusal(parts, visit, 'wrong-code', person)
  return outcome
}

const wrongCodesMax = 5

type SignInAfterCode = (person: PersonRow, by: 'code' | 'recovery-code') => Promise<NewSignIn>

/** The person first, then the sign-in, as everywhere: so no two wait for each other. */
async function tryCode(
  tx: Tx,
  { ctx, box }: UserDeps,
  { signInId, person: { id } }: SignedIn,
  code: string,
  then: SignInAfterCode,
): Promise<CodeOutcome> {
  const person = await lockPerson(tx, id)
  const underWay = await lockSignIn(tx, signInId)
  if (person === undefined || underWay === undefined) return { kind: 'ended' }
  const by = await takeCode(tx, box, person, code, ctx.clock.now())
  if (by !== undefined) return { kind: 'signed-in', signIn: await then(person, by) }
  const wrong = underWay.wrong_codes + 1
  if (wrong < wrongCodesMax) {
    setWrongCodes(tx, signInId, wrong)
    return { kind: 'wrong' }
  }
  await endSignIn(tx, signInId, id)
  return { kind: 'ended' }
}

/** Of a person who is locked, so a code counts once. */
async function takeCode(
  tx: Tx,
  box: SecretBox,
  person: PersonRow,
  uncheckedCode: string,
  nowMs: number,
): Promise<'code' | 'recovery-code' | undefined> {
  const code = uncheckedCode.replaceAll(/\s/g, '')
  if (person.totp_secret === null) return undefined
  if (!/^\d{6}$/.test(code))
    return (await takeRecoveryCode(tx, person.id, hashOfRecoveryCode(code))) ? 'recovery-code' : undefined
  const step = stepOfCode(openTotp(box, person.id, person.totp_secret), code, nowMs, person.totp_last_step)
  if (step === undefined) return undefined
  setLastStep(tx, person.id, step)
  return 'code'
}
