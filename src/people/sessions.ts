// A sign-in from its first password to its end: 12 hours without use, or 7 days. The token is made anew whenever the sign-in
// becomes stronger, so that one which somebody planted or stole before is worth nothing after.

import { record } from '#audit/record.ts'
import type { Actor, Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { dayMs, hourMs, minuteMs } from '#base/durations.ts'
import { formatId, newUuid, type Uuid } from '#base/ids.ts'
import type { Role } from './person.ts'
import type { NewSignIn, SignedIn, Visit } from './people.ts'
import type { PersonRow } from './sql.ts'
import {
  endOldSignIns,
  endSignIn,
  endSignIns,
  findSignIn,
  forgetEnded,
  forgetDevices,
  insertSignIn,
  knowDevice,
  listSignInRows,
  renewSignIn,
  touchSignIn,
  type ListedSignIn,
  type SignInRow,
} from './sql-sign-ins.ts'
import { hashOfToken, newToken } from './tokens.ts'

const idleMsMax = 12 * hourMs
const ageMsMax = 7 * dayMs
/** How long a second factor may take that is still due. */
const halfMsMax = 10 * minuteMs
export const stepUpMs = 10 * minuteMs
/** A call that was on its way when the second factor was asked is answered, as one that had not been asked. */
const previousTokenMs = 10_000
const touchEveryMs = minuteMs
export const deviceKnownMs = 90 * dayMs

export async function findSignedIn({ db, clock }: Context, token: string): Promise<SignedIn | undefined> {
  const nowMs = clock.now()
  const row = await findSignIn(db, hashOfToken(token), new Date(nowMs))
  if (row === undefined || isOver(row, nowMs)) return undefined
  if (nowMs - row.seen_at.getTime() >= touchEveryMs)
    await touchSignIn(db, row.id, new Date(nowMs), new Date(nowMs - touchEveryMs + 1))
  return signedInOf(row)
}

function isOver({ level, created_at, seen_at }: SignInRow, nowMs: number): boolean {
  const ageMs = nowMs - created_at.getTime()
  return ageMs >= (level === 'half' ? halfMsMax : ageMsMax) || nowMs - seen_at.getTime() >= idleMsMax
}

/** Takes out some of the sign-ins that have ended by themselves, with the devices and addresses that they name. */
export function forgetSignIns({ db, clock }: Pick<Context, 'db' | 'clock'>, limit: number): Promise<number> {
  const before = (ms: number): Date => new Date(clock.now() - ms)
  const ages = {
    seenBefore: before(idleMsMax),
    createdBefore: before(ageMsMax),
    halfCreatedBefore: before(halfMsMax),
  }
  return forgetEnded(db, { ...ages, limit })
}

function signedInOf(row: SignInRow): SignedIn {
  const { person_id: id, name, email, has_second_factor: hasSecondFactor, is_operator: isOperator } = row
  return {
    signInId: row.id,
    person: { id, name, email, hasSecondFactor, isOperator },
    level: row.level,
    steppedUpUntilMs: row.is_current ? (row.stepped_up_until?.getTime() ?? 0) : 0,
    roles: new Map(row.roles.map((text) => text.split(' ') as [Uuid, Role])),
  }
}

/** As the audit log names somebody who has proved who they are. */
export function actorOf({ id, email }: { id: Uuid; email: string }, { address, device, requestId }: Visit): Actor {
  return { kind: 'person', name: email, address, person: { id, device, requestId } }
}

/** The password was right, or what stands in its place. Who has a second factor is only half there. */
export async function beginSignIn(tx: Tx, nowMs: number, person: PersonRow, visit: Visit): Promise<NewSignIn> {
  const [now, id, token] = [new Date(nowMs), newUuid(nowMs), newToken()]
  const level = person.totp_secret === null ? 'full' : 'half'
  endOldSignIns(tx, person.id, new Date(nowMs - idleMsMax), new Date(nowMs - ageMsMax))
  const { address, device } = visit
  insertSignIn(tx, { id, personId: person.id, tokenHash: token.hash, level, address, device, at: now })
  if (level === 'half') return { token: token.text, next: 'code' }
  return { token: token.text, ...arrive(tx, nowMs, { person, signInId: id, visit, by: 'password' }), next: null }
}

type Arrival = { person: PersonRow; signInId: Uuid; visit: Visit; by: 'password' | 'code' | 'recovery-code' }

/** They are in: their device is known from now on, and the log says so. */
function arrive(tx: Tx, nowMs: number, { person, signInId, visit, by }: Arrival): { deviceToken?: string } {
  const device = visit.deviceToken ?? newToken().text
  knowDevice(tx, person.id, hashOfToken(device), new Date(nowMs))
  forgetDevices(tx, person.id, new Date(nowMs - deviceKnownMs))
  record(tx, nowMs, {
    by: actorOf(person, visit),
    act: 'sign-in.made',
    subject: formatId('signIn', signInId),
    details: { by },
  })
  return device === visit.deviceToken ? {} : { deviceToken: device }
}

/** The second factor was right as well. */
export function completeSignIn(tx: Tx, nowMs: number, arrival: Arrival): NewSignIn {
  const token = renew(tx, nowMs, arrival.signInId, { steppedUp: true })
  return { token, ...arrive(tx, nowMs, arrival), next: null }
}

type Renewed = { steppedUp: boolean; keepPrevious?: boolean; passwordProven?: boolean }

/** A new token in the place of the one before. */
export function renew(
  tx: Tx,
  nowMs: number,
  id: Uuid,
  { steppedUp, keepPrevious = false, passwordProven = false }: Renewed,
): string {
  const token = newToken()
  renewSignIn(tx, id, {
    tokenHash: token.hash,
    previousUntil: keepPrevious ? new Date(nowMs + previousTokenMs) : null,
    steppedUpUntil: steppedUp ? new Date(nowMs + stepUpMs) : null,
    provenAt: passwordProven ? new Date(nowMs) : null,
  })
  return token.text
}

export function listSignIns({ db, clock }: Context, { person }: SignedIn): Promise<ListedSignIn[]> {
  const nowMs = clock.now()
  return listSignInRows(db, person.id, new Date(nowMs - idleMsMax), new Date(nowMs - ageMsMax))
}

/** One of the person's own, this one too. False when there is none such. */
export async function endOne(ctx: Context, by: Actor, { person }: SignedIn, id: Uuid): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const ended = await endSignIn(tx, id, person.id)
    if (ended) record(tx, ctx.clock.now(), { by, act: 'sign-in.ended', subject: formatId('signIn', id) })
    return ended
  })
}

export async function endEverywhere(ctx: Context, by: Actor, { person }: SignedIn): Promise<void> {
  await ctx.db.transaction((tx) => {
    endSignIns(tx, person.id)
    record(tx, ctx.clock.now(), { by, act: 'sign-in.ended', subject: formatId('person', person.id) })
    return Promise.resolve()
  })
}
