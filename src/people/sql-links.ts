// All SQL of invitations and of links that are good for one use. Using one takes its row out: of two who use it at once, one
// finds it.

import { statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Role } from './person.ts'

/** The person who made a reset link, where, and what the other one was there then. */
export type Maker = { made_by: Uuid; business_id: Uuid; role: Role }

export type LinkRow = {
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

export type NewLinkRow = {
  hash: Buffer
  kind: 'welcome' | 'reset'
  personId: Uuid | null
  expiresAt: Date
  maker?: Maker | undefined
}

export function insertLink(tx: Tx, { hash, kind, personId, expiresAt, maker }: NewLinkRow): void {
  const { made_by = null, business_id = null, role = null } = maker ?? {}
  tx.send(insertLinkRow, [hash, kind, personId, expiresAt, made_by, business_id, role])
}

const selectLink = statement(
  'people.link',
  `select l.kind, l.person_id, p.email, l.expires_at, l.made_by, l.business_id, l.role from one_time_link l left join person p on p.id = l.person_id
    where l.token_hash = $1 and l.expires_at > $2`,
)

export async function findLink(db: Queryable, hash: Buffer, now: Date): Promise<LinkRow | undefined> {
  const [row] = await db.query<LinkRow>(selectLink, [hash, now])
  return row
}

const takeLinkRow = statement(
  'people.take_link',
  'delete from one_time_link where token_hash = $1 and kind = $2 and expires_at > $3 returning kind',
)

/** False when it was used, is over, or never was. */
export async function takeLink(tx: Tx, hash: Buffer, kind: LinkRow['kind'], now: Date): Promise<boolean> {
  return (await tx.query(takeLinkRow, [hash, kind, now])).length > 0
}

const deleteLinks = statement(
  'people.delete_links',
  `delete from one_time_link where kind = $1 and (person_id is not distinct from $2::uuid or expires_at <= $3)`,
)

const deleteExpired = statement('people.delete_expired_links', 'delete from one_time_link where expires_at <= $1')

/** All of a kind and person, and what is over. */
export function deleteLinksOf(tx: Tx, kind: LinkRow['kind'], personId: Uuid | null, now: Date): void {
  tx.send(deleteLinks, [kind, personId, now])
}

export function deleteExpiredLinks(tx: Tx, now: Date): void {
  tx.send(deleteExpired, [now])
}

export type InvitationRow = {
  id: Uuid
  business_id: Uuid
  business_name: string
  email: string
  role: Role
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

// One that is invited again gets a new link, and the old one opens nothing any more.
const insertInvitationRow = statement(
  'people.insert_invitation',
  `insert into invitation (id, business_id, email, role, token_hash, invited_by, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

export type NewInvitationRow = {
  id: Uuid
  businessId: Uuid
  email: string
  role: Role
  hash: Buffer
  invitedBy: Uuid | null
  createdAt: Date
  expiresAt: Date
}

export function insertInvitation(tx: Tx, row: NewInvitationRow): void {
  const { id, businessId, email, role, hash, invitedBy, createdAt, expiresAt } = row
  tx.send(insertInvitationRow, [id, businessId, email, role, hash, invitedBy, createdAt, expiresAt])
}

export type LockedInvitation = { id: Uuid; business_id: Uuid; email: string; role: Role }

const lockByToken = statement(
  'people.lock_invitation_by_token',
  'select id, business_id, email, role from invitation where token_hash = $1 and expires_at > $2 for update',
)

/** Undefined when it was used meanwhile: whoever locks it first takes it out. */
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

const deleteInvitationsBy = statement(
  'people.delete_invitations_by',
  'delete from invitation where business_id = $1 and invited_by = $2',
)

const deleteLinksBy = statement(
  'people.delete_links_by',
  'delete from one_time_link where business_id = $1 and made_by = $2',
)

/** The invitations and reset links that a person made there, who may not make them any more. */
export function withdrawLinksBy(tx: Tx, businessId: Uuid, personId: Uuid): void {
  tx.send(deleteInvitationsBy, [businessId, personId])
  tx.send(deleteLinksBy, [businessId, personId])
}
