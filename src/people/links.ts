// Links that stand in the place of a password: the first person's welcome, and a new password for a person who forgot theirs. The
// holder may do what it says, once; what is kept of it is a hash. A reset link is worth what its maker may do when it is used.

import { record } from '#audit/record.ts'
import type { Actor, Context } from '#base/context.ts'
import type { Queryable, Tx } from '#base/db.ts'
import { dayMs, hourMs } from '#base/durations.ts'
import { formatId, newUuid, type Uuid } from '#base/ids.ts'
import { takeFactorAway } from './factors.ts'
import { bucketsOf, forgiveGuess } from './guesses.ts'
import { judgeReset } from './managing.ts'
import { faultOfPassword } from './passwords.ts'
import type { NewSignIn, Parts, Visit } from './people.ts'
import type { Role } from './person.ts'
import { actorOf, beginSignIn } from './sessions.ts'
import {
  deleteExpiredLinks,
  deleteLinksOf,
  findInvitation,
  findLink,
  insertLink,
  takeLink,
  type LinkRow,
  type Maker,
} from './sql-links.ts'
import { endSignIns, forgetDevices } from './sql-sign-ins.ts'
import {
  findFirstBusiness,
  findPerson,
  insertMembership,
  insertPerson,
  isAnybodyThere,
  lockFirstPerson,
  lockPerson,
  setPassword,
} from './sql.ts'
import { hashOfToken, newToken } from './tokens.ts'

/** Behind `#`, which browsers keep to themselves: no proxy's log and no other site sees the token. */
export function linkTo(dashboardUrl: string, kind: LinkSeen['kind'], token: string): string {
  return `${dashboardUrl}/${kind}#${token}`
}

const welcomeMs = dayMs
const resetMs = hourMs

export type LinkSeen = {
  kind: 'welcome' | 'invitation' | 'reset'
  email: string | null
  businessName: string | null
  role: Role | null
  /** Whoever it is for has signed in before, with a password of their own. */
  hasAccount: boolean
}

/** What a link is for, without using it. Undefined: it was used, is over, or never was. */
export async function lookAtLink({ ctx: { db, clock } }: Parts, token: string): Promise<LinkSeen | undefined> {
  const [hash, now] = [hashOfToken(token), new Date(clock.now())]
  const link = await findLink(db, hash, now)
  if (link !== undefined) {
    if (link.kind === 'welcome' ? await isAnybodyThere(db) : !(await isStillAllowed(db, link))) return undefined
    return { kind: link.kind, email: link.email, businessName: null, role: null, hasAccount: link.kind === 'reset' }
  }
  const invitation = await findInvitation(db, hash, now)
  if (invitation === undefined) return undefined
  const { email, role, business_name: businessName } = invitation
  return { kind: 'invitation', email, businessName, role, hasAccount: (await findPerson(db, email)) !== undefined }
}

/** For the first person there is; undefined when there is one. Several may be open: each process prints one at its start. */
export function makeWelcomeLink(ctx: Context): Promise<string | undefined> {
  return ctx.db.transaction(async (tx) => {
    await lockFirstPerson(tx)
    if (await isAnybodyThere(tx)) return undefined
    const nowMs = ctx.clock.now()
    const token = newToken()
    deleteExpiredLinks(tx, new Date(nowMs))
    insertLink(tx, { hash: token.hash, kind: 'welcome', personId: null, expiresAt: new Date(nowMs + welcomeMs) })
    record(tx, nowMs, { by: ctx.by, act: 'welcome.link-made' })
    return token.text
  })
}

export type LinkOutcome =
  | { kind: 'signed-in'; signIn: NewSignIn }
  /** It was used, is over, or never was. */
  | { kind: 'over' }
  | { kind: 'unfit'; sentence: string }

type Newcomer = { token: string; name: string; email: string; password: string }

/** Makes the first person: an operator, and owner of the first business. */
export async function welcomeFirst(parts: Parts, visit: Visit, given: Newcomer): Promise<LinkOutcome> {
  const { ctx } = parts
  const hashed = await hashByLink(parts, 'welcome', given)
  if (hashed.kind !== 'hashed') return hashed
  const { password } = hashed
  return ctx.db.transaction(async (tx) => {
    await lockFirstPerson(tx)
    const nowMs = ctx.clock.now()
    const taken = await takeLink(tx, hashOfToken(given.token), 'welcome', new Date(nowMs))
    if (!taken || (await isAnybodyThere(tx))) return { kind: 'over' }
    const { name, email } = given
    const id = await createPerson(tx, nowMs, { name, email, password, isOperator: true, visit })
    const businessId = await findFirstBusiness(tx)
    if (id === undefined) return { kind: 'over' }
    if (businessId !== undefined)
      await insertMembership(tx, { business_id: businessId, person_id: id, role: 'owner' }, new Date(nowMs))
    deleteLinksOf(tx, 'welcome', null, new Date(nowMs))
    return signInAs(tx, nowMs, id, visit)
  })
}

type Hashed = { kind: 'hashed'; password: string }

/** The link is looked at before anything is hashed: whoever has none costs nothing. */
async function hashByLink(
  parts: Parts,
  kind: LinkSeen['kind'],
  given: { token: string; password: string },
): Promise<Hashed | Exclude<LinkOutcome, { kind: 'signed-in' }>> {
  const sentence = faultOfPassword(given.password)
  if (sentence !== undefined) return { kind: 'unfit', sentence }
  if ((await lookAtLink(parts, given.token))?.kind !== kind) return { kind: 'over' }
  return { kind: 'hashed', password: await parts.passwords.hash(given.password) }
}

type NewPerson = { name: string; email: string; password: string; isOperator: boolean; visit: Visit }

/** Undefined when there is one with that address. */
export async function createPerson(tx: Tx, nowMs: number, given: NewPerson): Promise<Uuid | undefined> {
  const { visit, ...person } = given
  const id = newUuid(nowMs)
  if (!(await insertPerson(tx, { id, ...person, createdAt: new Date(nowMs) }))) return undefined
  record(tx, nowMs, {
    by: actorOf({ id, email: given.email }, visit),
    act: 'person.created',
    subject: formatId('person', id),
  })
  return id
}

export async function signInAs(tx: Tx, nowMs: number, id: Uuid, visit: Visit): Promise<LinkOutcome> {
  const person = await lockPerson(tx, id)
  return person === undefined
    ? { kind: 'over' }
    : { kind: 'signed-in', signIn: await beginSignIn(tx, nowMs, person, visit) }
}

export type ResetLink = { token: string; expiresAt: Date }

/** The maker still may make it, and the person is still what they were. A terminal may always. */
async function isStillAllowed(db: Queryable, link: LinkRow): Promise<boolean> {
  if (link.made_by === null || link.person_id === null) return true
  const { made_by: makerId, business_id: businessId, person_id: personId } = link
  const judged = await judgeReset(db, { makerId, businessId, personId })
  return judged.kind === 'allowed' && judged.role === link.role
}

/** In the transaction of a maker who was judged; without one, of a terminal. The link before opens nothing any more. */
export function makeResetLink(tx: Tx, nowMs: number, personId: Uuid, maker?: Maker): ResetLink {
  const [token, expiresAt] = [newToken(), new Date(nowMs + resetMs)]
  deleteLinksOf(tx, 'reset', personId, new Date(nowMs))
  insertLink(tx, { hash: token.hash, kind: 'reset', personId, expiresAt, maker })
  return { token: token.text, expiresAt }
}

/** A new password. The second factor stays, and is asked for; all sign-ins end, and no device is known any more. */
export async function resetPassword(
  parts: Parts,
  visit: Visit,
  given: { token: string; password: string },
): Promise<LinkOutcome> {
  const { ctx } = parts
  const hashed = await hashByLink(parts, 'reset', given)
  if (hashed.kind !== 'hashed') return hashed
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const [hash, now] = [hashOfToken(given.token), new Date(nowMs)]
    const link = await findLink(tx, hash, now)
    if (link === undefined || link.person_id === null) return { kind: 'over' }
    // The person first, as everywhere: a change of their role waits for this, or has taken the link out.
    const person = await lockPerson(tx, link.person_id)
    if (person === undefined || !(await isStillAllowed(tx, link))) return { kind: 'over' }
    if (!(await takeLink(tx, hash, 'reset', now))) return { kind: 'over' }
    setPassword(tx, person.id, hashed.password)
    endSignIns(tx, person.id)
    forgetDevices(tx, person.id, new Date(nowMs))
    const [account] = bucketsOf({ at: 'account', email: person.email, address: visit.address })
    if (account !== undefined) await forgiveGuess(tx, [account], nowMs)
    record(tx, nowMs, { by: actorOf(person, visit), act: 'person.reset', subject: formatId('person', person.id) })
    return signInAs(tx, nowMs, person.id, visit)
  })
}

/** At a terminal, for who has lost the phone and the codes on paper: what a link alone never does. */
export function takeFactorAtTerminal(tx: Tx, nowMs: number, by: Actor, personId: Uuid): void {
  takeFactorAway(tx, { id: personId })
  endSignIns(tx, personId)
  record(tx, nowMs, { by, act: 'person.factor-removed', subject: formatId('person', personId) })
}
