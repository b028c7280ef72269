// The second factors of a user: an authenticator app, passkeys (passkeys.ts), and ten recovery codes on paper in case
// the phone is lost. factor-codes.ts accepts each code once; sign-in.ts decides when a factor is asked for, and
// businesses/settings.ts which roles must have a factor.

import { recordEntry } from '#audit/record.ts'
import type { Act, Details } from '#audit/entry.ts'
import { queueToPerson } from '#mail/queue.ts'
import type { Actor } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { formatId } from '#platform/ids.ts'
import {
  openTotp,
  sealTotp,
  confirmTotp,
  removeTotp,
  replaceRecoveryCodes,
  setPendingTotp,
  newRecoveryCodes,
  newTotpSecret,
  stepOfCode,
  textOfTotpSecret,
  totpUri,
} from './factor-codes.ts'
import type { UserDeps, SignedIn, Visit } from './service.ts'
import { renewSession, endSignIns, lockSignIn } from './sessions.ts'
import { provePassword, settleProof, type TooMany } from './sign-in.ts'
import { deletePasskeys, setHasPasskey } from './passkey-queries.ts'
import { hasFactor, listFactorBusinesses, lockPerson, type PersonRow } from './queries.ts'

/** The password is not asked again within this time. */
const provenMs = 10 * minuteMs

/** A new second factor needs proof, so that a stranger at an unlocked screen cannot set up their own. */
export type NotProven = { kind: 'password-needed' } | { kind: 'wrong' } | TooMany

export type FactorBeginOutcome =
  | { kind: 'begun'; secret: string; uri: string }
  /** The user has an authenticator app and must remove it first. */
  | { kind: 'already' }
  | NotProven

export async function beginTotp(
  parts: UserDeps,
  visit: Visit,
  who: SignedIn,
  password: string | undefined,
): Promise<FactorBeginOutcome> {
  const { box } = parts
  await box.requireCurrent()
  return withProof<FactorBeginOutcome>(parts, visit, who, password, (tx, person, requireProof) => {
    if (person.totp_secret !== null) return { kind: 'already' }
    const missing = requireProof()
    if (missing !== undefined) return missing
    const secret = newTotpSecret()
    setPendingTotp(tx, person.id, sealTotp(box, person.id, secret))
    return { kind: 'begun', secret: textOfTotpSecret(secret), uri: totpUri(secret, person.email) }
  })
}

/**
 * Runs `work` with the locked user. `requireProof` returns what is missing, unless the user entered the password now,
 * or the password or second factor within the last ten minutes.
 */
export async function withProof<Outcome>(
  parts: UserDeps,
  visit: Visit,
  { person, signInId, steppedUpUntilMs }: SignedIn,
  password: string | undefined,
  work: (tx: Tx, person: PersonRow, requireProof: () => NotProven | undefined) => Outcome | Promise<Outcome>,
): Promise<Outcome | NotProven> {
  const { ctx } = parts
  const proof =
    password === undefined
      ? undefined
      : await provePassword(parts, visit, { email: person.email, personId: person.id, password })
  if (proof !== undefined && proof.kind !== 'right') return proof
  return ctx.db.transaction(async (tx) => {
    const locked =
      proof === undefined ? await lockPerson(tx, person.id) : await settleProof(tx, ctx, proof, { isIn: true })
    if (locked === undefined) return { kind: 'wrong' }
    const nowMs = ctx.clock.now()
    const provenAtMs = (await lockSignIn(tx, signInId))?.proven_at.getTime() ?? 0
    const isProven = proof !== undefined || steppedUpUntilMs > nowMs || nowMs - provenAtMs < provenMs
    return work(tx, locked, () => (isProven ? undefined : { kind: 'password-needed' }))
  })
}

export type ConfirmOutcome =
  | { kind: 'confirmed'; recoveryCodes: string[]; token: string }
  | { kind: 'wrong' }
  | { kind: 'not-begun' }

/** Replaces the recovery codes, and ends all other sign-ins, which may have been made with only a password. */
export function confirmTotpOf(parts: UserDeps, by: Actor, who: SignedIn, code: string): Promise<ConfirmOutcome> {
  const { ctx, box } = parts
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const person = await lockPerson(tx, who.person.id)
    if (person === undefined || person.totp_pending === null) return { kind: 'not-begun' }
    const secret = openTotp(box, person.id, person.totp_pending)
    const step = stepOfCode(secret, code.replaceAll(/\s/g, ''), nowMs, 0n)
    if (step === undefined) return { kind: 'wrong' }
    confirmTotp(tx, person.id, step)
    const recoveryCodes = makeRecoveryCodes(tx, person)
    const token = renewOnlySession(tx, nowMs, who, { steppedUp: true })
    note(tx, nowMs, by, 'person.factor-added', person, { factor: 'app' })
    return { kind: 'confirmed', recoveryCodes, token }
  })
}

export type RemoveOutcome =
  /** `token`: the new token of the sign-in if no second factor is left, else undefined. */
  | { kind: 'removed'; token: string | undefined }
  | { kind: 'not-found' }
  /** The factor is the user's last one, and this business requires a factor of the user's role. */
  | { kind: 'compulsory'; businessName: string }

/** The request pipeline asks for a step-up first. */
export function removeTotpOf(parts: UserDeps, by: Actor, who: SignedIn): Promise<RemoveOutcome> {
  return removeFactor(parts, by, who, (tx, person) => {
    if (person.totp_secret === null) return Promise.resolve(undefined)
    const remove = (): void => removeTotp(tx, person.id)
    return Promise.resolve({ remove, left: { ...person, totp_secret: null }, details: { factor: 'app' } })
  })
}

type FactorRemoval = {
  remove: () => void
  left: Pick<PersonRow, 'totp_secret' | 'has_passkey'>
  details: Details
}

/**
 * `find` resolves with undefined if there is no such factor. Removing the last factor also deletes the recovery codes,
 * which only stand in for it.
 */
export function removeFactor(
  { ctx }: UserDeps,
  by: Actor,
  who: SignedIn,
  find: (tx: Tx, person: PersonRow) => Promise<FactorRemoval | undefined>,
): Promise<RemoveOutcome> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const person = await lockPerson(tx, who.person.id)
    if (person === undefined) return { kind: 'not-found' }
    const found = await find(tx, person)
    if (found === undefined) return { kind: 'not-found' }
    const isLast = !hasFactor(found.left)
    const [businessName] = isLast ? await listFactorBusinesses(tx, person.id) : []
    if (businessName !== undefined) return { kind: 'compulsory', businessName }
    found.remove()
    note(tx, nowMs, by, 'person.factor-removed', person, found.details)
    await queueToPerson(ctx, tx, person.id, {
      kind: 'factor-removed',
      factsIn: (timeZone) => ({ isByOperator: false, isLast, atMs: nowMs, timeZone }),
    })
    if (!isLast) return { kind: 'removed', token: undefined }
    replaceRecoveryCodes(tx, person.id, [])
    return { kind: 'removed', token: renewOnlySession(tx, nowMs, who, { steppedUp: false }) }
  })
}

/** Undefined if the user has no second factor. */
export function renewRecoveryCodes({ ctx }: UserDeps, by: Actor, { person }: SignedIn): Promise<string[] | undefined> {
  return ctx.db.transaction(async (tx) => {
    const locked = await lockPerson(tx, person.id)
    if (locked === undefined || !hasFactor(locked)) return undefined
    note(tx, ctx.clock.now(), by, 'person.recovery-codes-made', person)
    return makeRecoveryCodes(tx, person)
  })
}

export function removeAllFactors(tx: Tx, { id }: Pick<PersonRow, 'id'>): void {
  removeTotp(tx, id)
  deletePasskeys(tx, id)
  setHasPasskey(tx, id, false)
  replaceRecoveryCodes(tx, id, [])
}

export function makeRecoveryCodes(tx: Tx, { id }: Pick<PersonRow, 'id'>): string[] {
  const codes = newRecoveryCodes()
  replaceRecoveryCodes(
    tx,
    id,
    codes.map(({ hash }) => hash),
  )
  return codes.map(({ text }) => text)
}

/** Ends the other sign-ins of the user. Returns the new token of this sign-in. */
export function renewOnlySession(
  tx: Tx,
  nowMs: number,
  { person, signInId }: SignedIn,
  how: { steppedUp: boolean },
): string {
  endSignIns(tx, person.id, signInId)
  return renewSession(tx, nowMs, signInId, how)
}

function note(tx: Tx, nowMs: number, by: Actor, act: Act, { id }: Pick<PersonRow, 'id'>, details?: Details): void {
  recordEntry(tx, nowMs, { by, act, subject: formatId('person', id), ...(details === undefined ? {} : { details }) })
}
