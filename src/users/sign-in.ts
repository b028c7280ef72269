// Checks who a user is: by a password, by the code of a second factor (factor-codes.ts), and by a code again for a
// step-up. Five wrong codes end the sign-in. After wrong passwords, sign-in-attempts.ts makes the next attempts wait.

import { recordEntry } from '#audit/record.ts'
import type { RefusalReason } from '#audit/refusals.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { networkOf } from '#platform/http-client/addresses.ts'
import { takeFactorCode } from './factor-codes.ts'
import {
  type Attempt,
  bucketOfAccount,
  bucketOfDevice,
  bucketOfNetwork,
  bucketOfUnknownEmail,
  forgiveGuess,
  takeGuess,
} from './sign-in-attempts.ts'
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
  type Proof,
} from './sessions.ts'
import {
  findPeople,
  findSalt,
  hasFactor,
  lockPerson,
  setPassword,
  type FoundPerson,
  type PersonRow,
} from './queries.ts'
import { hashOfToken } from './passwords.ts'

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
    return { kind: 'signed-in', signIn: await beginSignIn(parts.ctx, tx, parts.ctx.clock.now(), person, visit) }
  })
}

export type PasswordProof = {
  kind: 'right'
  person: PersonRow
  buckets: string[]
  /** Buckets of accounts with the same email that were not checked, because the password fits this one. */
  others: string[]
  /** The password hashed again, if its stored hash is weaker than today's; else undefined. */
  raised: string | undefined
}

/** `personId`: only this account is checked, because its user is signed in. */
type Credentials = { email: string; password: string; personId?: Uuid }
type PasswordOutcome = PasswordProof | { kind: 'wrong' } | TooMany

/**
 * Makes the same queries for any number of accounts, also for none, and one hash if all stored passwords have the same
 * cost, so that the response time does not reveal who has an account.
 */
export async function provePassword(parts: UserDeps, visit: Visit, given: Credentials): Promise<PasswordOutcome> {
  const { ctx, passwords } = parts
  const find = (): Promise<Candidate[]> => findCandidates(ctx, visit, given)
  // A caller without a device cookie waits for a turn before any query.
  const found = visit.deviceToken === undefined ? undefined : await find()
  const requester = found?.[0]?.device_known === true ? 'known' : 'stranger'
  const proof = await passwords.inTurn(requester, async () => prove(parts, visit, given, found ?? (await find())))
  if (proof.kind !== 'right' || !passwords.isOutdated(proof.person.password)) return proof
  return { ...proof, raised: await passwords.hash(given.password, await findSalt(ctx.db, given.email)) }
}

async function prove(
  parts: UserDeps,
  visit: Visit,
  { email, password }: Credentials,
  candidates: readonly Candidate[],
): Promise<PasswordOutcome> {
  const { ctx, passwords } = parts
  const attempt = attemptAt(candidates, visit, email)
  const { open, waitMs } = await takeGuess(ctx, attempt)
  if (waitMs > 0) {
    noteRefusal(parts, visit, 'too-many-guesses', candidates)
    return { kind: 'too-many', retryAfterMs: waitMs }
  }
  const tried = candidates.filter(({ bucket }) => open.has(bucket))
  const stored = tried.map((one) => one.password)
  const fitting = await passwords.matches(stored, password)
  const right = fitting === undefined ? undefined : rightOf(tried, stored.indexOf(fitting), attempt)
  if (right !== undefined) return right
  noteRefusal(parts, visit, 'wrong-password', candidates)
  return { kind: 'wrong' }
}

function rightOf(tried: readonly Candidate[], at: number, attempt: Attempt): PasswordProof | undefined {
  const person = tried[at]
  if (person === undefined) return undefined
  const others = tried.slice(at + 1).map(({ bucket }) => bucket)
  return { kind: 'right', person, buckets: countedFor(person, attempt), others, raised: undefined }
}

/**
 * Finds the account that a newcomer already has with this email and password. The check counts as a guess, so that an
 * owner cannot try passwords by inviting an email. `hashed` must be made with the salt of the email.
 */
export async function recognizeNewcomer(
  { ctx }: UserDeps,
  visit: Visit,
  { email, hashed }: { email: string; hashed: string },
): Promise<{ proof: PasswordProof | undefined; network: string | undefined }> {
  const candidates = await findCandidates(ctx, visit, { email })
  const attempt = attemptAt(candidates, visit, email)
  const { open, waitMs } = await takeGuess(ctx, attempt)
  const tried = candidates.filter(({ bucket }) => open.has(bucket))
  const at = tried.findIndex(({ password }) => password === hashed)
  return { proof: rightOf(tried, at, attempt), network: waitMs > 0 ? undefined : attempt.network }
}

/**
 * Runs in the transaction of the next step. Undefined if the password was changed in the meantime. `isIn`: the user is
 * signed in already.
 */
export async function settleProof(
  tx: Tx,
  { clock }: Context,
  { person, buckets, others, raised }: PasswordProof,
  { isIn = false } = {},
): Promise<PersonRow | undefined> {
  const locked = await lockPerson(tx, person.id)
  if (locked?.password !== person.password) return undefined
  if (raised !== undefined) setPassword(tx, person.id, raised)
  // A user with a second factor is not signed in yet, so this attempt stays counted until the second factor is right.
  const own = isIn || !hasFactor(locked) ? buckets : []
  await forgiveGuess(tx, { own, others }, clock.now())
  return locked
}

type Candidate = FoundPerson & { bucket: string }

async function findCandidates(
  { db, clock }: Context,
  { deviceToken }: Visit,
  { email, personId }: { email: string; personId?: Uuid },
): Promise<Candidate[]> {
  const device = deviceToken === undefined ? null : hashOfToken(deviceToken)
  const found = await findPeople(db, email, device, new Date(clock.now() - deviceKnownMs))
  return found
    .filter(({ id }) => personId === undefined || id === personId)
    .map((one) => ({
      ...one,
      bucket:
        one.device_known && deviceToken !== undefined ? bucketOfDevice(one.id, deviceToken) : bucketOfAccount(one.id),
    }))
}

/** On a known device, the attempt is refused if the account last used there is locked; elsewhere, if all are locked. */
function attemptAt(candidates: readonly Candidate[], { address }: Visit, email: string): Attempt {
  const [first] = candidates
  if (first === undefined) {
    const nobody = [bucketOfUnknownEmail(email)]
    return { accounts: nobody, deciding: nobody, network: bucketOfNetwork(address) }
  }
  const accounts = candidates.map(({ bucket }) => bucket)
  return first.device_known
    ? { accounts, deciding: [first.bucket], network: undefined }
    : { accounts, deciding: accounts, network: bucketOfNetwork(address) }
}

/** The buckets in which a right password, or the right code after it, takes this attempt back. */
function countedFor({ bucket }: Candidate, { network }: Attempt): string[] {
  return network === undefined ? [bucket] : [bucket, network]
}

export function noteRefusal(
  { refusals }: UserDeps,
  { address, requestId }: Visit,
  reason: RefusalReason,
  people: readonly { id: Uuid }[],
): void {
  const [person, ...others] = people
  const who = person === undefined || others.length > 0 ? {} : { personId: person.id }
  refusals.note({ network: networkOf(address), reason, requestId, ...who })
}

export type CodeOutcome =
  | { kind: 'signed-in'; signIn: NewSignIn }
  | { kind: 'wrong' }
  /** Too many codes were wrong, so the sign-in ended. */
  | { kind: 'ended' }

export async function enterCode(parts: UserDeps, visit: Visit, half: SignedIn, code: string): Promise<CodeOutcome> {
  const { ctx } = parts
  const own = await findCountedBuckets(ctx, visit, half)
  return answered(parts, visit, half, (tx) =>
    tryCode(tx, parts, half, code, async (person, by) => {
      const nowMs = ctx.clock.now()
      await forgiveGuess(tx, { own }, nowMs)
      return completeSignIn(ctx, tx, nowMs, { person, signInId: half.signInId, visit, by })
    }),
  )
}

/** The attempt counters that counted this person's password before the second factor. A right code clears them. */
export async function findCountedBuckets(
  ctx: Context,
  visit: Visit,
  { person: { id, email } }: SignedIn,
): Promise<string[]> {
  const candidates = await findCandidates(ctx, visit, { email })
  return candidates
    .filter((one) => one.id === id)
    .flatMap((one) => countedFor(one, attemptAt(candidates, visit, email)))
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
    tryCode(tx, parts, who, code, (person, by) =>
      Promise.resolve({ token: completeStepUp(tx, nowMs, { person, signInId: who.signInId, visit, by }), next: null }),
    ),
  )
  return outcome.kind === 'signed-in'
    ? { kind: 'stepped-up', token: outcome.signIn.token, untilMs: nowMs + stepUpMs }
    : outcome
}

/** Returns the new token. A copy of the earlier token does not get the step-up. */
export function completeStepUp(
  tx: Tx,
  nowMs: number,
  { person, signInId, visit, by }: { person: PersonRow; signInId: Uuid; visit: Visit; by: Proof },
): string {
  recordEntry(tx, nowMs, {
    by: actorOf(person, visit),
    act: 'sign-in.stepped-up',
    subject: formatId('signIn', signInId),
    details: { by },
  })
  return renewSession(tx, nowMs, signInId, { steppedUp: true, keepPrevious: true })
}

async function answered(
  parts: UserDeps,
  visit: Visit,
  { person }: SignedIn,
  work: (tx: Tx) => Promise<CodeOutcome>,
): Promise<CodeOutcome> {
  const outcome = await parts.ctx.db.transaction(work)
  if (outcome.kind !== 'signed-in') noteRefusal(parts, visit, 'wrong-code', [person])
  return outcome
}

const wrongCodesMax = 5

type SignInAfterCode = (person: PersonRow, by: 'code' | 'recovery-code') => Promise<NewSignIn>

/** Locks the person first, then the sign-in, as everywhere, so that no two transactions deadlock. */
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
  const by = await takeFactorCode(tx, box, person, code, ctx.clock.now())
  if (by !== undefined) return { kind: 'signed-in', signIn: await then(person, by) }
  const wrong = underWay.wrong_codes + 1
  if (wrong < wrongCodesMax) {
    setWrongCodes(tx, signInId, wrong)
    return { kind: 'wrong' }
  }
  await endSignIn(tx, signInId, id)
  return { kind: 'ended' }
}
