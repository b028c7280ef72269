// SQL of letters, and of who gets them.

import { arraysOf, arrayOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { LetterBusiness, LetterKind } from './letter.ts'

export type NewLetterRow = {
  id: Uuid
  key: string
  recipient: string
  personId: Uuid | null
  businessId: Uuid | null
  facts: string
  /** The encrypted token, in hex. */
  token: string | null
}

// Leaves out a letter whose key exists already, and one above the limit of its address or its business.
const insertRows = statement(
  'mail.insert',
  `insert into letter (id, kind, key, recipient, person_id, business_id, facts, token, created_at, expires_at, due_at)
   select v.id, $1, v.key, v.recipient, v.person_id, v.business_id, v.facts, decode(v.token, 'hex'), $2, $3, $2
     from unnest($6::uuid[], $7::text[], $8::text[], $9::uuid[], $10::uuid[], $11::text[], $12::text[])
       as v (id, key, recipient, person_id, business_id, facts, token)
    where (select count(*) from letter l where l.recipient = v.recipient and l.kind = $1 and l.created_at > $4) < $5
      and ($13::integer is null or (select count(*) from letter l
             where l.business_id = v.business_id and l.kind = $1 and l.created_at > $4) < $13)
   on conflict (key) do nothing
   returning recipient`,
)

export type InsertLimits = {
  kind: LetterKind
  now: Date
  expiresAt: Date
  countedSince: Date
  perAddressMax: number
  perBusinessMax: number | null
}

export async function insertLetters(tx: Tx, rows: NewLetterRow[], limits: InsertLimits): Promise<string[]> {
  const { kind, now, expiresAt, countedSince, perAddressMax, perBusinessMax } = limits
  const columns = arraysOf(rows, 'id', 'key', 'recipient', 'personId', 'businessId', 'facts', 'token')
  const values = [kind, now, expiresAt, countedSince, perAddressMax, ...columns, perBusinessMax]
  return (await tx.query<{ recipient: string }>(insertRows, values)).map(({ recipient }) => recipient)
}

export type ClaimedLetter = {
  id: Uuid
  kind: LetterKind
  recipient: string
  facts: string
  token: Buffer | null
  attempts: number
  createdAt: Date
  expiresAt: Date
  leaseEnd: Date
}

// Uses only the index letter_due, oldest first.
const claimRows = statement(
  'mail.claim',
  `with due as materialized (
     select id from letter where due_at <= $1 order by due_at limit $3 for update skip locked)
   update letter l set due_at = $2
    where l.id = any(array(select id from due))
   returning l.id, l.kind, l.recipient, l.facts, l.token, l.attempts, l.created_at as "createdAt",
     l.expires_at as "expiresAt", l.due_at as "leaseEnd"`,
)

export function claimLetters(
  db: Queryable,
  { now, leaseEnd, limit }: { now: Date; leaseEnd: Date; limit: number },
): Promise<ClaimedLetter[]> {
  return db.query<ClaimedLetter>(claimRows, [now, leaseEnd, limit])
}

// Only the process with the lease may write. Facts and token are erased, because nothing needs them after the end.
const endRow = statement(
  'mail.end',
  `update letter set status = $3, attempts = $4, ended_at = $5, error = $6, due_at = null, facts = null, token = null
    where id = $1 and due_at = $2`,
)

export type LetterEnd = { status: 'sent' | 'failed'; attempts: number; endedAt: Date; error: string | null }

export async function endLetter(db: Queryable, { id, leaseEnd }: ClaimedLetter, end: LetterEnd): Promise<void> {
  await db.query(endRow, [id, leaseEnd, end.status, end.attempts, end.endedAt, end.error])
}

const postponeRow = statement(
  'mail.postpone',
  'update letter set due_at = $3, attempts = $4, error = $5 where id = $1 and due_at = $2',
)

export type LetterDelay = { dueAt: Date; attempts: number; error: string | null }

export async function postponeLetter(
  db: Queryable,
  { id, leaseEnd }: ClaimedLetter,
  { dueAt, attempts, error }: LetterDelay,
): Promise<void> {
  await db.query(postponeRow, [id, leaseEnd, dueAt, attempts, error])
}

const deleteOld = statement(
  'mail.delete',
  `delete from letter where id = any(array(
     select id from letter where ended_at < $1 order by ended_at limit $2 for update skip locked)) returning 1 as one`,
)

export async function deleteLetters(db: Queryable, before: Date, limit: number): Promise<number> {
  return (await db.query(deleteOld, [before, limit])).length
}

// Counts at most $1 entries of the index letter_due.
const selectWaiting = statement(
  'mail.waiting',
  `select count(*)::int as count, min(created_at) as oldest from (
     select created_at from letter where due_at is not null order by due_at limit $1) as waiting`,
)

const deleteForgotten = statement(
  'mail.delete_forgotten',
  `delete from letter where id = any(array(
     select id from letter where due_at < $1 order by due_at limit $2 for update skip locked)) returning 1 as one`,
)

/** Deletes letters that have been due since before this time, because no process sends letters. */
export async function deleteForgottenLetters(db: Queryable, before: Date, limit: number): Promise<number> {
  return (await db.query(deleteForgotten, [before, limit])).length
}

export type WaitingLetters = { count: number; oldest: Date | null }

export async function findWaiting(db: Queryable, limit: number): Promise<WaitingLetters> {
  const [row] = await db.query<WaitingLetters>(selectWaiting, [limit])
  return row ?? { count: 0, oldest: null }
}

export type LetterRecipient = { id: Uuid; email: string; name: string }

// $2: the roles that may get the letter, $3: the roles that get it by default.
const selectMembers = statement(
  'mail.members',
  `select p.id, p.email, p.name from membership m join person p on p.id = m.person_id
     left join letter_choice c on c.person_id = m.person_id and c.business_id = m.business_id and c.kind = $4
    where m.business_id = $1 and m.role = any($2::text[]) and coalesce(c.wants, m.role = any($3::text[]))
    order by p.name, p.id`,
)

export type LetterAudience = { kind: string; roles: readonly string[]; usual: readonly string[] }

export function listMembers(
  db: Queryable,
  businessId: Uuid,
  { kind, roles, usual }: LetterAudience,
): Promise<LetterRecipient[]> {
  const texts = (list: readonly string[]) => arrayOf(list, (one) => one)
  return db.query<LetterRecipient>(selectMembers, [businessId, texts(roles), texts(usual), kind])
}

const selectOperators = statement(
  'mail.operators',
  `select p.id, p.email, p.name from person p
     left join letter_choice c on c.person_id = p.id and c.business_id = $1 and c.kind = $2
    where p.is_operator and coalesce(c.wants, true) order by p.name, p.id`,
)

export function listOperators(db: Queryable, place: Uuid, kind: string): Promise<LetterRecipient[]> {
  return db.query<LetterRecipient>(selectOperators, [place, kind])
}

const selectPerson = statement(
  'mail.person',
  `select p.id, p.email, p.name, coalesce((select b.time_zone from membership m join business b on b.id = m.business_id
       where m.person_id = p.id order by m.created_at limit 1), 'UTC') as "timeZone" from person p where p.id = $1`,
)

export async function findPerson(
  db: Queryable,
  id: Uuid,
): Promise<(LetterRecipient & { timeZone: string }) | undefined> {
  const [row] = await db.query<LetterRecipient & { timeZone: string }>(selectPerson, [id])
  return row
}

const selectBusiness = statement(
  'mail.business',
  `select b.id, b.name, b.time_zone as "timeZone" from business b where b.id = $1`,
)
const selectBusinessOfTenant = statement(
  'mail.business_of_tenant',
  `select b.id, b.name, b.time_zone as "timeZone" from tenant t join business b on b.id = t.business_id
    where t.lane = $1 and t.id = $2`,
)

export async function findBusiness(db: Queryable, id: Uuid): Promise<LetterBusiness | undefined> {
  const [row] = await db.query<LetterBusiness>(selectBusiness, [id])
  return row
}

export async function findBusinessOf(
  db: Queryable,
  { lane, id }: { lane: number; id: Uuid },
): Promise<LetterBusiness | undefined> {
  const [row] = await db.query<LetterBusiness>(selectBusinessOfTenant, [lane, id])
  return row
}

const selectChoices = statement(
  'mail.choices',
  'select business_id as "place", kind, wants from letter_choice where person_id = $1 and business_id = any($2::uuid[])',
)

export type LetterChoiceRow = { place: Uuid; kind: string; wants: boolean }

export function listChoices(db: Queryable, personId: Uuid, places: readonly Uuid[]): Promise<LetterChoiceRow[]> {
  return db.query<LetterChoiceRow>(selectChoices, [personId, arrayOf(places, (one) => one)])
}

const putChoice = statement(
  'mail.put_choice',
  `insert into letter_choice (person_id, business_id, kind, wants) values ($1, $2, $3, $4)
   on conflict (person_id, business_id, kind) do update set wants = excluded.wants`,
)

export async function writeChoice(
  db: Queryable,
  personId: Uuid,
  { place, kind, wants }: LetterChoiceRow,
): Promise<void> {
  await db.query(putChoice, [personId, place, kind, wants])
}

export type SealedLetter = { id: Uuid; token: Buffer | null }

const selectSealed = statement(
  'mail.sealed',
  'select id, token from letter where id > $1 and token is not null order by id limit $2',
)

export function listSealed(db: Queryable, after: Uuid, limit: number): Promise<SealedLetter[]> {
  return db.query<SealedLetter>(selectSealed, [after, limit])
}

// Skips a letter that was sent in the meantime.
const resealRow = statement('mail.reseal', 'update letter set token = $3 where id = $1 and token = $2')

export async function writeResealed(db: Queryable, { id, token }: SealedLetter, fresh: Buffer): Promise<void> {
  await db.query(resealRow, [id, token, fresh])
}
