// The second factor of a user: an authenticator app, and ten recovery codes on paper in case the phone is lost.

import { recordEntry } from '#audit/record.ts'
import type { Act } from '#audit/entry.ts'
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
  newTotpSecret,
  stepOfCode,
  textOfTotpSecret,
  totpUri,
} from './factor-secrets.ts'
import type { UserDeps, SignedIn, Visit } from './service.ts'
import { renewSession, endSignIns, lockSignIn } from './sessions.ts'
import { provePassword, settleProof, type TooMany } from './sign-in.ts'
import { lockPerson, type PersonRow } from './queries.ts'
import { newRecoveryCodes } from './passwords.ts'

/** The password is not asked again within this time. */
const provenMs = 10 * minuteMs

export type FactorBeginOutcome =
  | { kind: 'begun'; secret: string; uri: string }
  /** The user has a second factor and must remove it first. */
  | { kind: 'already' }
  /** A stranger at an unlocked screen must not be able to set up a second factor of their own. */
  | { kind: 'password-needed' }
  | { kind: 'wrong' }
  | TooMany

export async function beginTotp(
  parts: UserDeps,
  visit: Visit,
  { person, signInId }: SignedIn,
  password: string | undefined,
): Promise<FactorBeginOutcome> {
  const { ctx, box } = parts
  await box.requireCurrent()
  const proof =
    password === undefined
      ? undefined
      : await provePassword(parts, visit, { email: person.email, personId: person.id, password })
  if (proof !== undefined && proof.kind !== 'right') return proof
  return ctx.db.transaction(async (tx) => {
    const locked =
      proof === undefined ? await lockPerson(tx, person.id) : await settleProof(tx, ctx, proof, { isIn: true })
    if (locked === undefined) return { kind: 'wrong' }
    if (locked.totp_secret !== null) return { kind: 'already' }
    const provenAtMs = (await lockSignIn(tx, signInId))?.proven_at.getTime() ?? 0
    if (proof === undefined && ctx.clock.now() - provenAtMs >= provenMs) return { kind: 'password-needed' }
    const secret = newTotpSecret()
    setPendingTotp(tx, person.id, sealTotp(box, person.id, secret))
    return { kind: 'begun', secret: textOfTotpSecret(secret), uri: totpUri(secret, person.email) }
  })
}

export type ConfirmOutcome =
  | { kind: 'confirmed'; recoveryCodes: string[]; token: string }
  | { kind: 'wrong' }
  | { kind: 'not-begun' }

/** Ends all other sign-ins, because they were made with only a password. */
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
    const recoveryCodes = giveRecoveryCodes(tx, person)
    const token = strengthen(tx, nowMs, who, { steppedUp: true })
    note(tx, nowMs, by, 'person.factor-added', person)
    return { kind: 'confirmed', recoveryCodes, token }
  })
}

/** The request pipeline has just checked the second factor. Resolves with the new token. */
export function removeTotpOf({ ctx }: UserDeps, by: Actor, who: SignedIn): Promise<{ token: string }> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    await lockPerson(tx, who.person.id)
    takeFactorAway(tx, who.person)
    note(tx, nowMs, by, 'person.factor-removed', who.person)
    return { token: strengthen(tx, nowMs, who, { steppedUp: false }) }
  })
}

/**
 * Replaces the recovery codes. Resolves with undefined if the user has no second factor for which they could be used.
 */
export function renewRecoveryCodes({ ctx }: UserDeps, by: Actor, { person }: SignedIn): Promise<string[] | undefined> {
  return ctx.db.transaction(async (tx) => {
    const locked = await lockPerson(tx, person.id)
    if (locked === undefined || locked.totp_secret === null) return undefined
    note(tx, ctx.clock.now(), by, 'person.recovery-codes-made', person)
    return giveRecoveryCodes(tx, person)
  })
}

export function takeFactorAway(tx: Tx, { id }: Pick<PersonRow, 'id'>): void {
  removeTotp(tx, id)
  replaceRecoveryCodes(tx, id, [])
}

function giveRecoveryCodes(tx: Tx, { id }: Pick<PersonRow, 'id'>): string[] {
  const codes = newRecoveryCodes()
  replaceRecoveryCodes(
    tx,
    id,
    codes.map(({ hash }) => hash),
  )
  return codes.map(({ text }) => text)
}

function strengthen(tx: Tx, nowMs: number, { person, signInId }: SignedIn, how: { steppedUp: boolean }): string {
  endSignIns(tx, person.id, signInId)
  return renewSession(tx, nowMs, signInId, how)
}

function note(tx: Tx, nowMs: number, by: Actor, act: Act, { id }: Pick<PersonRow, 'id'>): void {
  recordEntry(tx, nowMs, { by, act, subject: formatId('person', id) })
}
