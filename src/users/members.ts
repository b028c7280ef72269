// The members of a business: listing them, changing roles, removing them, and reset links. A user whose role changes or
// who is removed is signed out everywhere. The invitations and reset links that they made in the business become
// invalid, and so does a reset link for them.

import { recordEntry } from '#audit/record.ts'
import type { Act } from '#audit/entry.ts'
import { queueLetters, readBusiness, readPerson } from '#mail/queue.ts'
import type { Actor, Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'
import {
  newResetLink,
  saveResetLink,
  removeFactorsAtTerminal,
  type ResetLink,
  deleteLinksOf,
  withdrawLinksBy,
  type Maker,
  type TooManyMails,
} from './links.ts'
import { judgeReset, lockActor, roleIn, type Manager, type RoleRefusal, mayManage, type UserRole } from './user.ts'
import { createPasswords, newToken } from './passwords.ts'
import { endSignIns } from './sessions.ts'
import {
  deleteMembership,
  findSalt,
  hasFactor,
  insertMembership,
  listMemberships,
  listPersonRows,
  lockMemberships,
  lockPerson,
  setOperator,
  setPassword,
  setRole,
  type ListedPersonRow,
  type MembershipRow,
  type PersonRow,
} from './queries.ts'

export type { ListedPersonRow } from './queries.ts'

/**
 * Lists the members of one business. If `businessId` is null, lists all users: once for each of their businesses, or
 * once if they have none.
 */
export function listPeople({ db }: Context, businessId: Uuid | null): Promise<ListedPersonRow[]> {
  return listPersonRows(db, businessId)
}

/**
 * Runs in the transaction that creates the business. Returns false if the user is in `businessesMax` businesses
 * already.
 */
export async function makeOwner(
  tx: Tx,
  {
    businessId,
    personId,
    nowMs,
    businessesMax,
  }: { businessId: Uuid; personId: Uuid; nowMs: number; businessesMax: number },
): Promise<boolean> {
  await lockPerson(tx, personId)
  if ((await listMemberships(tx, personId)).length >= businessesMax) return false
  return insertMembership(tx, { business_id: businessId, person_id: personId, role: 'owner' }, new Date(nowMs))
}

export type MemberOutcome =
  | { kind: 'done' }
  | { kind: 'not-found' }
  | RoleRefusal
  | { kind: 'yourself' }
  | { kind: 'last-owner' }

export function changeRole(ctx: Context, manager: Manager, personId: Uuid, role: UserRole): Promise<MemberOutcome> {
  return changeMember(ctx, manager, personId, {
    to: role,
    write: (tx, member) => setRole(tx, { ...member, role }),
    act: 'person.role-changed',
  })
}

export function removeMember(ctx: Context, manager: Manager, personId: Uuid): Promise<MemberOutcome> {
  return changeMember(ctx, manager, personId, {
    to: undefined,
    write: (tx, member) => deleteMembership(tx, member.business_id, personId),
    act: 'person.removed',
  })
}

/** `to` is the role afterwards; undefined if the user is removed. */
type MemberChange = { to: UserRole | undefined; write: (tx: Tx, member: MembershipRow) => void; act: Act }

function changeMember(
  ctx: Context,
  manager: Manager,
  personId: Uuid,
  { to, write, act }: MemberChange,
): Promise<MemberOutcome> {
  const { businessId, by } = manager
  if (manager.personId === personId) return Promise.resolve({ kind: 'yourself' })
  return ctx.db.transaction(async (tx) => {
    // Locks the user first, as everywhere. A concurrent sign-in or reset waits, or has finished, and then its session
    // ends below.
    await lockPerson(tx, personId)
    const rows = await lockMemberships(tx, businessId, [
      personId,
      ...(manager.personId === null ? [] : [manager.personId]),
    ])
    const member = rows.find((row) => row.person_id === personId)
    const own = roleIn(rows, manager)
    if (own === undefined) return { kind: 'not-allowed' }
    if (member === undefined) return { kind: 'not-found' }
    if (member.role === to) return { kind: 'done' }
    const needed = to === undefined ? [member.role] : [member.role, to]
    if (own !== 'terminal' && !needed.every((role) => mayManage(own, role))) return { kind: 'not-allowed' }
    const isOwnerLeft = to === 'owner' || rows.some((row) => row.role === 'owner' && row.person_id !== personId)
    if (member.role === 'owner' && !isOwnerLeft) return { kind: 'last-owner' }
    write(tx, member)
    endSignIns(tx, personId)
    deleteLinksOf(tx, 'reset', personId, new Date(ctx.clock.now()))
    withdrawLinksBy(tx, businessId, personId)
    const details = { before: member.role, after: to ?? null }
    recordEntry(tx, ctx.clock.now(), { by, act, businessId, subject: formatId('person', personId), details })
    return { kind: 'done' }
  })
}

export type ResetLinkOutcome =
  | { kind: 'made'; link: ResetLink }
  | { kind: 'mailed'; expiresAt: Date }
  | { kind: 'not-found' }
  | RoleRefusal
  | TooManyMails

/** If a mail server is set, the link goes to the member by e-mail only; `box` seals it until it is sent. */
export async function makeResetLink(
  ctx: Context,
  manager: Manager,
  personId: Uuid,
  box?: SecretBox,
): Promise<ResetLinkOutcome> {
  const { businessId, by, personId: makerId } = manager
  await box?.requireCurrent()
  return ctx.db.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (makerId === null || (await lockActor(tx, manager)) === undefined) return { kind: 'not-allowed' }
    if (person === undefined) return { kind: 'not-found' }
    const judged = await judgeReset(tx, { makerId, businessId, personId })
    if (judged.kind !== 'allowed') return judged
    const maker = { made_by: makerId, business_id: businessId, role: judged.role }
    const nowMs = ctx.clock.now()
    const link = newResetLink(nowMs)
    const isMailing = box !== undefined && ctx.sendsMail === true
    // The e-mail is queued before anything else is written, so that a refused e-mail leaves the earlier link valid.
    if (isMailing && !(await mailReset(ctx, tx, { person, link, maker, box }))) return { kind: 'too-many-mails' }
    writeResetLink(tx, nowMs, by, person, { ...link, maker })
    return isMailing ? { kind: 'mailed', expiresAt: link.expiresAt } : { kind: 'made', link }
  })
}

type MailedReset = { person: PersonRow; link: ResetLink; maker: Maker; box: SecretBox }

async function mailReset(ctx: Context, tx: Tx, { person, link, maker, box }: MailedReset): Promise<boolean> {
  const business = await readBusiness(tx, maker.business_id)
  const requester = await readPerson(tx, maker.made_by)
  const expiresAtMs = link.expiresAt.getTime()
  const mailed = await queueLetters(ctx, tx, {
    kind: 'reset',
    facts: {
      businesses: business === undefined ? [] : [business.name],
      requestedBy: requester?.name,
      expiresAtMs,
      timeZone: business?.timeZone ?? 'UTC',
    },
    to: [{ email: person.email, personId: person.id }],
    link: { token: link.token, box, expiresAtMs },
  })
  return mailed.length > 0
}

export type TerminalReset = { link: ResetLink; hadFactor: boolean }

/** Used by the CLI, for any user. If `takesFactor` is set, the second factors and the current password stop working. */
export async function resetAtTerminal(
  ctx: Context,
  { id, email }: Pick<PersonRow, 'id' | 'email'>,
  { takesFactor }: { takesFactor: boolean },
): Promise<TerminalReset | undefined> {
  const salt = await findSalt(ctx.db, email)
  const unknown = takesFactor ? await createPasswords().hash(newToken().text, salt) : undefined
  return onPerson(ctx, id, async (tx, person) => {
    const nowMs = ctx.clock.now()
    const hadFactor = hasFactor(person)
    if (unknown !== undefined) {
      setPassword(tx, person.id, unknown)
      endSignIns(tx, person.id)
    }
    if (takesFactor && hadFactor) await removeFactorsAtTerminal(ctx, tx, nowMs, person.id)
    const link = newResetLink(nowMs)
    writeResetLink(tx, nowMs, ctx.by, person, link)
    return { link, hadFactor }
  })
}

export async function makeOperator(ctx: Context, id: Uuid, isOperator: boolean): Promise<void> {
  await onPerson(ctx, id, (tx, { is_operator: before }) => {
    setOperator(tx, id, isOperator)
    const details = { before, after: isOperator }
    recordEntry(tx, ctx.clock.now(), {
      by: ctx.by,
      act: 'person.operator-set',
      subject: formatId('person', id),
      details,
    })
  })
}

async function onPerson<T>(
  ctx: Context,
  id: Uuid,
  work: (tx: Tx, person: PersonRow) => T | Promise<T>,
): Promise<T | undefined> {
  return ctx.db.transaction(async (tx) => {
    const person = await lockPerson(tx, id)
    return person === undefined ? undefined : work(tx, person)
  })
}

function writeResetLink(
  tx: Tx,
  nowMs: number,
  by: Actor,
  { id }: PersonRow,
  link: ResetLink & { maker?: Maker },
): void {
  saveResetLink(tx, nowMs, id, link)
  const where = link.maker === undefined ? {} : { businessId: link.maker.business_id }
  recordEntry(tx, nowMs, {
    by,
    act: 'person.reset-link-made',
    ...where,
    subject: formatId('person', id),
    details: { expiresAt: link.expiresAt.toISOString() },
  })
}
