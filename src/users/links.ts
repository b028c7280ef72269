// Links that work once: the SQL of invitations and of links, and what a link for a welcome or a new password does.
// Using a link deletes its row, so of two concurrent uses only one succeeds.

import { recordEntry } from '#audit/record.ts'
import { queueToPerson } from '#mail/queue.ts'
import type { Context } from '#platform/context.ts'
import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { dayMs, hourMs } from '#platform/durations.ts'
import { type Uuid, formatId, newUuid } from '#platform/ids.ts'
import { removeAllFactors } from './factors.ts'
import { faultOfPassword, hashOfToken, newToken } from './passwords.ts'
import {
  findFirstBusiness,
  findSalt,
  insertMembership,
  insertPerson,
  hasAnyPerson,
  lockFirstPerson,
  lockPerson,
  setPassword,
} from './queries.ts'
import type { NewSignIn, UserDeps, SignedIn, Visit } from './service.ts'
import { actorOf, beginSignIn, endSignIns, forgetDevices } from './sessions.ts'
import { bucketOfAccount, forgiveGuess } from './sign-in-attempts.ts'
import { type UserRole, judgeReset } from './user.ts'

/** The maker of a reset link, the business, and the role that the link's user had when it was made. */
export type Maker = { made_by: Uuid; business_id: Uuid; role: UserRole }

type LinkRow = {
  kind: 'welcome' | 'reset'
  person_id: Uuid | null
  email: string | null
  expires_at: Date
} & (Maker | { made_by: null })

const insertLinkRow = statement(
  'people.insert_link',
  `insert into one_time_link (token_hash, kind, person_id, expires_at, made_by, business_id, role)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)

type NewLinkRow = {
  hash: Buffer
  kind: 'welcome' | 'reset'
  personId: Uuid | null
  expiresAt: Date
  maker?: Maker | undefined
}

function insertLink(tx: Tx, { hash, kind, personId, expiresAt, maker }: NewLinkRow): void {
  const { made_by = null, business_id = null, role = null } = maker ?? {}
  tx.send(insertLinkRow, [hash, kind, personId, expiresAt, made_by, business_id, role])
}

const selectLink = statement(
  'people.link',
  `select l.kind, l.person_id, p.email, l.expires_at, l.made_by, l.business_id, l.role from one_time_link l left join person p on p.id = l.person_id
    where l.token_hash = $1 and l.expires_at > $2`,
)

async function findLink(db: Queryable, hash: Buffer, now: Date): Promise<LinkRow | undefined> {
  const [row] = await db.query<LinkRow>(selectLink, [hash, now])
  return row
}

const takeLinkRow = statement(
  'people.take_link',
  'delete from one_time_link where token_hash = $1 and kind = $2 and expires_at > $3 returning kind',
)

async function takeLink(tx: Tx, hash: Buffer, kind: LinkRow['kind'], now: Date): Promise<boolean> {
  return (await tx.query(takeLinkRow, [hash, kind, now])).length > 0
}

const deleteLinks = statement(
  'people.delete_links',
  `delete from one_time_link where kind = $1 and (person_id is not distinct from $2::uuid or expires_at <= $3)`,
)

const deleteExpired = statement('people.delete_expired_links', 'delete from one_time_link where expires_at <= $1')

/**
 * Deletes the links of a kind that a person has, or, if `personId` is null, those that belong to no person. Also
 * deletes all expired links of the kind.
 */
export function deleteLinksOf(tx: Tx, kind: LinkRow['kind'], personId: Uuid | null, now: Date): void {
  tx.send(deleteLinks, [kind, personId, now])
}

function deleteExpiredLinks(tx: Tx, now: Date): void {
  tx.send(deleteExpired, [now])
}

export type InvitationRow = {
  id: Uuid
  business_id: Uuid
  business_name: string
  email: string
  role: UserRole
  created_at: Date
  expires_at: Date
  invited_by: string | null
}

const invitationColumns = `i.id, i.business_id, b.name as business_name, i.email, i.role, i.created_at, i.expires_at,
  (select p.name from person p where p.id = i.invited_by) as invited_by`

const selectInvitation = statement(
  'people.invitation',
  `select ${invitationColumns} from invitation i join business b on b.id = i.business_id
    where i.token_hash = $1 and i.expires_at > $2`,
)

export async function findInvitation(db: Queryable, hash: Buffer, now: Date): Promise<InvitationRow | undefined> {
  const [row] = await db.query<InvitationRow>(selectInvitation, [hash, now])
  return row
}

const selectInvitations = statement(
  'people.invitations_of',
  `select ${invitationColumns} from invitation i join business b on b.id = i.business_id
    where i.business_id = $1 and i.expires_at > $2 order by i.created_at desc, i.id`,
)

export function listInvitationRows(db: Queryable, businessId: Uuid, now: Date): Promise<InvitationRow[]> {
  return db.query<InvitationRow>(selectInvitations, [businessId, now])
}

const insertInvitationRow = statement(
  'people.insert_invitation',
  `insert into invitation (id, business_id, email, role, token_hash, invited_by, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

type NewInvitationRow = {
  id: Uuid
  businessId: Uuid
  email: string
  role: UserRole
  hash: Buffer
  invitedBy: Uuid | null
  createdAt: Date
  expiresAt: Date
}

export function insertInvitation(tx: Tx, row: NewInvitationRow): void {
  const { id, businessId, email, role, hash, invitedBy, createdAt, expiresAt } = row
  tx.send(insertInvitationRow, [id, businessId, email, role, hash, invitedBy, createdAt, expiresAt])
}

export type LockedInvitation = { id: Uuid; business_id: Uuid; email: string; role: UserRole }

const lockByToken = statement(
  'people.lock_invitation_by_token',
  'select id, business_id, email, role from invitation where token_hash = $1 and expires_at > $2 for update',
)

export async function lockInvitationByToken(tx: Tx, hash: Buffer, now: Date): Promise<LockedInvitation | undefined> {
  const [row] = await tx.query<LockedInvitation>(lockByToken, [hash, now])
  return row
}

const lockInvitationRow = statement(
  'people.lock_invitation',
  'select id, business_id, email, role from invitation where business_id = $1 and (id = $2 or email = $3) for update',
)

export async function lockInvitation(
  tx: Tx,
  businessId: Uuid,
  { id = null, email = null }: { id?: Uuid | null; email?: string | null },
): Promise<LockedInvitation | undefined> {
  const [row] = await tx.query<LockedInvitation>(lockInvitationRow, [businessId, id, email])
  return row
}

const deleteInvitationRow = statement('people.delete_invitation', 'delete from invitation where id = $1')

export function deleteInvitation(tx: Tx, id: Uuid): void {
  tx.send(deleteInvitationRow, [id])
}

const deleteExpiredInvitations = statement(
  'people.forget_invitations',
  `delete from invitation where id = any(array(
     select id from invitation where expires_at <= $1 limit $2 for update skip locked))
   returning 1`,
)

/** Deletes expired invitations, at most `limit`, because their addresses may be those of people without an account. */
export async function forgetInvitations({ db, clock }: Pick<Context, 'db' | 'clock'>, limit: number): Promise<number> {
  return (await db.query(deleteExpiredInvitations, [new Date(clock.now()), limit])).length
}

const deleteInvitationsBy = statement(
  'people.delete_invitations_by',
  'delete from invitation where business_id = $1 and invited_by = $2',
)

const deleteLinksBy = statement(
  'people.delete_links_by',
  'delete from one_time_link where business_id = $1 and made_by = $2',
)

/**
 * Deletes the invitations and reset links that a person made in a business in which their role has changed or ended.
 */
export function withdrawLinksBy(tx: Tx, businessId: Uuid, personId: Uuid): void {
  tx.send(deleteInvitationsBy, [businessId, personId])
  tx.send(deleteLinksBy, [businessId, personId])
}

// Links that replace a password: the welcome of the first person, and a new password for a person who forgot theirs.
// The service stores only a hash of the token. A reset link works only if its maker may still make it when it is used.

/** The token follows `#`, which browsers do not send, so no proxy's log and no other site sees it. */
export function linkTo(dashboardUrl: string, kind: LinkSeen['kind'], token: string): string {
  return `${dashboardUrl}/${kind}#${token}`
}

const welcomeMs = dayMs
const resetMs = hourMs

type LinkSeen = {
  kind: 'welcome' | 'invitation' | 'reset'
  email: string | null
  businessName: string | null
  role: UserRole | null
  /** Null: whether an invited address has an account is shown only to its signed-in user. */
  hasAccount: boolean | null
}

/** Does not use the link. Undefined if it was used, has expired, or its maker may no longer make it. */
export async function readLink(
  { ctx: { db, clock } }: UserDeps,
  token: string,
  visitor?: SignedIn,
): Promise<LinkSeen | undefined> {
  const [hash, now] = [hashOfToken(token), new Date(clock.now())]
  const link = await findLink(db, hash, now)
  if (link !== undefined) {
    if (link.kind === 'welcome' ? await hasAnyPerson(db) : !(await isStillAllowed(db, link))) return undefined
    return { kind: link.kind, email: link.email, businessName: null, role: null, hasAccount: link.kind === 'reset' }
  }
  const invitation = await findInvitation(db, hash, now)
  if (invitation === undefined) return undefined
  const { email, role, business_name: businessName } = invitation
  const isTheirs = visitor?.level === 'full' && visitor.person.email === email
  return { kind: 'invitation', email, businessName, role, hasAccount: isTheirs ? true : null }
}

export function hasPeople({ db }: Context): Promise<boolean> {
  return hasAnyPerson(db)
}

/**
 * Makes a link for the first person; undefined if a person exists. Several links may work at the same time, because
 * each process prints one when it starts.
 */
export function makeWelcomeLink(ctx: Context): Promise<string | undefined> {
  return ctx.db.transaction(async (tx) => {
    await lockFirstPerson(tx)
    if (await hasAnyPerson(tx)) return undefined
    const nowMs = ctx.clock.now()
    const token = newToken()
    deleteExpiredLinks(tx, new Date(nowMs))
    insertLink(tx, { hash: token.hash, kind: 'welcome', personId: null, expiresAt: new Date(nowMs + welcomeMs) })
    recordEntry(tx, nowMs, { by: ctx.by, act: 'welcome.link-made' })
    return token.text
  })
}

export type LinkOutcome =
  | { kind: 'signed-in'; signIn: NewSignIn }
  /** The link was used, has expired, or never existed. */
  | { kind: 'over' }
  | { kind: 'unfit'; sentence: string }

type Newcomer = { token: string; name: string; email: string; password: string }

export type NameBusiness = (tx: Tx, businessId: Uuid) => Promise<void>

export async function welcomeFirst(
  parts: UserDeps,
  visit: Visit,
  given: Newcomer,
  nameBusiness: NameBusiness = () => Promise.resolve(),
): Promise<LinkOutcome> {
  const { ctx } = parts
  const hashed = await hashByLink(parts, 'welcome', given)
  if (hashed.kind !== 'hashed') return hashed
  const { password } = hashed
  return ctx.db.transaction(async (tx) => {
    await lockFirstPerson(tx)
    const nowMs = ctx.clock.now()
    const taken = await takeLink(tx, hashOfToken(given.token), 'welcome', new Date(nowMs))
    if (!taken || (await hasAnyPerson(tx))) return { kind: 'over' }
    const { name, email } = given
    const id = createPerson(tx, nowMs, { name, email, password, isOperator: true, visit })
    const businessId = await findFirstBusiness(tx)
    if (businessId !== undefined) {
      await insertMembership(tx, { business_id: businessId, person_id: id, role: 'owner' }, new Date(nowMs))
      await nameBusiness(tx, businessId)
    }
    deleteLinksOf(tx, 'welcome', null, new Date(nowMs))
    return signInAs(ctx, tx, nowMs, id, visit)
  })
}

type HashedPassword = { kind: 'hashed'; password: string }

/** Checks the link before it hashes the password, so that a request without a link costs little. */
async function hashByLink(
  parts: UserDeps,
  kind: LinkSeen['kind'],
  given: { token: string; password: string; email?: string },
): Promise<HashedPassword | Exclude<LinkOutcome, { kind: 'signed-in' }>> {
  const sentence = faultOfPassword(given.password)
  if (sentence !== undefined) return { kind: 'unfit', sentence }
  const seen = await readLink(parts, given.token)
  if (seen?.kind !== kind) return { kind: 'over' }
  const salt = await findSalt(parts.ctx.db, seen.email ?? given.email ?? '')
  return { kind: 'hashed', password: await parts.passwords.hash(given.password, salt) }
}

type NewPerson = { name: string; email: string; password: string; isOperator: boolean; visit: Visit }

export function createPerson(tx: Tx, nowMs: number, given: NewPerson): Uuid {
  const { visit, ...person } = given
  const id = newUuid(nowMs)
  insertPerson(tx, { id, ...person, createdAt: new Date(nowMs) })
  recordEntry(tx, nowMs, {
    by: actorOf({ id, email: given.email }, visit),
    act: 'person.created',
    subject: formatId('person', id),
  })
  return id
}

export async function signInAs(ctx: Context, tx: Tx, nowMs: number, id: Uuid, visit: Visit): Promise<LinkOutcome> {
  const person = await lockPerson(tx, id)
  return person === undefined
    ? { kind: 'over' }
    : { kind: 'signed-in', signIn: await beginSignIn(ctx, tx, nowMs, person, visit) }
}

export type ResetLink = { token: string; expiresAt: Date }

/** The address has reached its limit of e-mails of this kind in 24 hours, or the business its limit of invitations. */
export type TooManyMails = { kind: 'too-many-mails' }

/**
 * Checks that the maker may still make the link, and that the person's role is unchanged. A link without a maker is
 * allowed.
 */
async function isStillAllowed(db: Queryable, link: LinkRow): Promise<boolean> {
  if (link.made_by === null || link.person_id === null) return true
  const { made_by: makerId, business_id: businessId, person_id: personId } = link
  const judged = await judgeReset(db, { makerId, businessId, personId })
  return judged.kind === 'allowed' && judged.role === link.role
}

/** The link does not work before `saveResetLink`. */
export function newResetLink(nowMs: number): ResetLink {
  return { token: newToken().text, expiresAt: new Date(nowMs + resetMs) }
}

/**
 * Replaces earlier reset links. The caller has checked the maker; without one, the CLI or the user requested the link.
 */
export function saveResetLink(
  tx: Tx,
  nowMs: number,
  personId: Uuid,
  { token, expiresAt, maker }: ResetLink & { maker?: Maker | undefined },
): void {
  deleteLinksOf(tx, 'reset', personId, new Date(nowMs))
  insertLink(tx, { hash: hashOfToken(token), kind: 'reset', personId, expiresAt, maker })
}

/** Ends all sign-ins and forgets the known devices. The second factor is still required. */
export async function resetPassword(
  parts: UserDeps,
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
    // Locks the person first, as everywhere. A concurrent change of their role waits, or has already deleted the link.
    const person = await lockPerson(tx, link.person_id)
    if (person === undefined || !(await isStillAllowed(tx, link))) return { kind: 'over' }
    if (!(await takeLink(tx, hash, 'reset', now))) return { kind: 'over' }
    setPassword(tx, person.id, hashed.password)
    endSignIns(tx, person.id)
    forgetDevices(tx, person.id, new Date(nowMs))
    await forgiveGuess(tx, { own: [bucketOfAccount(person.id)] }, nowMs)
    recordEntry(tx, nowMs, { by: actorOf(person, visit), act: 'person.reset', subject: formatId('person', person.id) })
    return signInAs(ctx, tx, nowMs, person.id, visit)
  })
}

/**
 * Called by the CLI, for a person who has lost the phone and the recovery codes. A reset link alone removes no factor.
 */
export async function removeFactorsAtTerminal(ctx: Context, tx: Tx, nowMs: number, personId: Uuid): Promise<void> {
  removeAllFactors(tx, { id: personId })
  endSignIns(tx, personId)
  const { by } = ctx
  recordEntry(tx, nowMs, { by, act: 'person.factor-removed', subject: formatId('person', personId) })
  await queueToPerson(ctx, tx, personId, {
    kind: 'factor-removed',
    factsIn: (timeZone) => ({ isByOperator: true, isLast: true, atMs: nowMs, timeZone }),
  })
}
