// Invitations: a member of a business, or an operator at a terminal, makes a link that is bound to an e-mail address.
// The holder of the link creates an account, or proves with the password that an account of this address is theirs.

import { recordEntry } from '#audit/record.ts'
import { queueLetters, readBusiness, readPerson } from '#mail/queue.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'
import {
  createPerson,
  signInAs,
  type LinkOutcome,
  type TooManyMails,
  deleteInvitation,
  findInvitation,
  insertInvitation,
  listInvitationRows,
  lockInvitation,
  lockInvitationByToken,
  type InvitationRow,
  type LockedInvitation,
} from './links.ts'
import { faultOfPassword, hashOfToken, newToken } from './passwords.ts'
import { forgiveGuess } from './sign-in-attempts.ts'
import type { UserDeps, SignedIn, Visit } from './service.ts'
import { mayManage, type UserRole, lockActor, type Manager, type RoleRefusal } from './user.ts'
import { actorOf, beginSignIn } from './sessions.ts'
import { provePassword, recognizeNewcomer, settleProof, type PasswordProof, type TooMany } from './sign-in.ts'
import { findSalt, insertMembership, isMember, type PersonRow } from './queries.ts'

export type { InvitationRow } from './links.ts'

const invitationMs = 7 * dayMs

type NewInvitation = { id: Uuid; email: string; role: UserRole; expiresAt: Date } & (
  | { kind: 'invited'; token: string }
  /** Only the e-mail contains the link. So the user who follows it reads the mail of this address. */
  | { kind: 'mailed' }
)

export type InvitationMade = NewInvitation | RoleRefusal | TooManyMails | { kind: 'already' }

/**
 * A new invitation of the same address replaces the earlier one. If a mail server is set, the link goes by e-mail only;
 * `box` seals it until it is sent.
 */
export async function inviteUser(
  ctx: Context,
  manager: Manager,
  { email, role }: { email: string; role: UserRole },
  box?: SecretBox,
): Promise<InvitationMade> {
  await box?.requireCurrent()
  return ctx.db.transaction(async (tx) => {
    const { businessId, by, personId } = manager
    const own = await lockActor(tx, manager)
    if (own !== 'terminal' && (own === undefined || !mayManage(own, role))) return { kind: 'not-allowed' }
    const before = await lockInvitation(tx, businessId, { email })
    // Checked after the lock, so that a concurrent acceptance of the earlier invitation is seen.
    if (await isMember(tx, businessId, email)) return { kind: 'already' }
    if (before !== undefined && own !== 'terminal' && !mayManage(own, before.role)) return { kind: 'not-allowed' }
    const nowMs = ctx.clock.now()
    const [id, token, expiresAt] = [newUuid(nowMs), newToken(), new Date(nowMs + invitationMs)]
    const isMailing = box !== undefined && ctx.sendsMail === true
    // The e-mail is queued before anything else is written, so that a refused e-mail leaves the earlier invitation
    // valid.
    if (isMailing && !(await mailInvitation(ctx, tx, manager, { email, role, token: token.text, expiresAt, box })))
      return { kind: 'too-many-mails' }
    if (before !== undefined) deleteInvitation(tx, before.id)
    const createdAt = new Date(nowMs)
    insertInvitation(tx, { id, businessId, email, role, hash: token.hash, invitedBy: personId, createdAt, expiresAt })
    const subject = formatId('invitation', id)
    recordEntry(tx, nowMs, { by, act: 'invitation.made', businessId, subject, details: { email, role } })
    const made = { id, email, role, expiresAt }
    return isMailing ? { kind: 'mailed', ...made } : { kind: 'invited', ...made, token: token.text }
  })
}

type MailedInvitation = { email: string; role: UserRole; token: string; expiresAt: Date; box: SecretBox }

/** Returns false if the address or the business has reached its limit of the last 24 hours. */
async function mailInvitation(
  ctx: Context,
  tx: Tx,
  { businessId, personId }: Manager,
  { email, role, token, expiresAt, box }: MailedInvitation,
): Promise<boolean> {
  const business = await readBusiness(tx, businessId)
  const inviter = personId === null ? undefined : await readPerson(tx, personId)
  const { name = '', timeZone = 'UTC' } = business ?? {}
  const expiresAtMs = expiresAt.getTime()
  const mailed = await queueLetters(ctx, tx, {
    kind: 'invitation',
    facts: { business: name, role, inviter: inviter?.name ?? null, expiresAtMs, timeZone },
    to: [{ email, personId: null }],
    businessId,
    link: { token, box, expiresAtMs },
  })
  return mailed.length > 0
}

export function withdrawInvitation(
  ctx: Context,
  manager: Manager,
  id: Uuid,
): Promise<{ kind: 'done' | 'not-found' } | RoleRefusal> {
  return ctx.db.transaction(async (tx) => {
    const { businessId, by } = manager
    const own = await lockActor(tx, manager)
    const found = await lockInvitation(tx, businessId, { id })
    if (found === undefined) return { kind: 'not-found' }
    const { email, role } = found
    if (own !== 'terminal' && (own === undefined || !mayManage(own, role))) return { kind: 'not-allowed' }
    deleteInvitation(tx, id)
    const subject = formatId('invitation', id)
    recordEntry(tx, ctx.clock.now(), { by, act: 'invitation.withdrawn', businessId, subject, details: { email, role } })
    return { kind: 'done' }
  })
}

export function listInvitations({ db, clock }: Context, businessId: Uuid): Promise<InvitationRow[]> {
  return listInvitationRows(db, businessId, new Date(clock.now()))
}

export type InvitationAcceptance = { token: string; name?: string | undefined; password?: string | undefined }

export type InvitationOutcome =
  | LinkOutcome
  /** The user was signed in already. */
  | { kind: 'joined' }
  | { kind: 'wrong' }
  /** The password is missing. The outcome is the same with and without an account, so it reveals none. */
  | { kind: 'missing' }
  | TooMany

export async function acceptInvitation(
  parts: UserDeps,
  visit: Visit,
  who: SignedIn | undefined,
  given: InvitationAcceptance,
): Promise<InvitationOutcome> {
  const { db, clock } = parts.ctx
  const invitation = await findInvitation(db, hashOfToken(given.token), new Date(clock.now()))
  if (invitation === undefined) return { kind: 'over' }
  const { email } = invitation
  const { token, name, password } = given
  if (who?.level === 'full' && who.person.email === email) {
    return db.transaction(async (tx) => {
      const locked = await lockInvitationByToken(tx, hashOfToken(token), new Date(clock.now()))
      if (locked === undefined) return { kind: 'over' }
      await join(tx, clock.now(), locked, who.person, visit)
      return { kind: 'joined' }
    })
  }
  if (password === undefined) return { kind: 'missing' }
  // Checks and outcomes are the same with and without an account, so that they do not reveal an account to another
  // person who has the link.
  const sentence = name === undefined ? undefined : faultOfPassword(password)
  if (sentence !== undefined) return { kind: 'unfit', sentence }
  if (name !== undefined) return acceptAsNew(parts, visit, { email, token, name, password })
  const proof = await provePassword(parts, visit, { email, password })
  return proof.kind === 'right' ? acceptProven(parts, visit, token, proof) : proof
}

async function acceptProven(
  { ctx }: UserDeps,
  visit: Visit,
  token: string,
  proof: PasswordProof,
): Promise<InvitationOutcome> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const person = await settleProof(tx, ctx, proof)
    if (person === undefined) return { kind: 'wrong' }
    const locked = await lockInvitationByToken(tx, hashOfToken(token), new Date(nowMs))
    if (locked === undefined) return { kind: 'over' }
    await join(tx, nowMs, locked, person, visit)
    return { kind: 'signed-in', signIn: await beginSignIn(ctx, tx, nowMs, person, visit) }
  })
}

/**
 * Uses the account that has this email and password, if there is one and the limit of guesses allows the check.
 * Otherwise creates an account, even if the email has others, which may belong to members of other businesses.
 */
async function acceptAsNew(
  parts: UserDeps,
  visit: Visit,
  { email, token, name, password }: { email: string; token: string; name: string; password: string },
): Promise<InvitationOutcome> {
  const { ctx, passwords } = parts
  const hashed = await passwords.hash(password, await findSalt(ctx.db, email))
  const { proof, network } = await recognizeNewcomer(parts, visit, { email, hashed })
  if (proof !== undefined) return acceptProven(parts, visit, token, proof)
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const locked = await lockInvitationByToken(tx, hashOfToken(token), new Date(nowMs))
    if (locked === undefined) return { kind: 'over' }
    const id = createPerson(tx, nowMs, { name, email, password: hashed, isOperator: false, visit })
    if (network !== undefined) await forgiveGuess(tx, { own: [network] }, nowMs)
    await join(tx, nowMs, locked, { id, email }, visit)
    return signInAs(ctx, tx, nowMs, id, visit)
  })
}

async function join(
  tx: Tx,
  nowMs: number,
  { id, business_id: businessId, role }: LockedInvitation,
  person: Pick<PersonRow, 'id' | 'email'>,
  visit: Visit,
): Promise<void> {
  deleteInvitation(tx, id)
  await insertMembership(tx, { business_id: businessId, person_id: person.id, role }, new Date(nowMs))
  recordEntry(tx, nowMs, {
    by: actorOf(person, visit),
    act: 'invitation.accepted',
    businessId,
    subject: formatId('invitation', id),
    details: { role },
  })
}
