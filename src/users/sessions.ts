// Sign-ins and known devices: their SQL and their rules. A sign-in ends after 12 hours without use, after 7 days, or
// after 10 minutes if its second factor is still due. Its token is replaced whenever the user gives a further proof, so
// that a token that was planted or stolen before becomes useless. A confirmation with the second factor lasts 10
// minutes; api/dashboard/admit.ts asks for it where permissions.ts demands one.

import { recordEntry } from '#audit/record.ts'
import { queueToPerson } from '#mail/queue.ts'
import type { Actor, Context } from '#platform/context.ts'
import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import { type Uuid, formatId, newUuid } from '#platform/ids.ts'
import { hashOfToken, newToken } from './passwords.ts'
import { hasFactor, type PersonRow } from './queries.ts'
import type { NewSignIn, SignedIn, Visit } from './service.ts'
import type { UserRole } from './user.ts'

type SignInRow = {
  id: Uuid
  person_id: Uuid
  level: 'half' | 'full'
  stepped_up_until: Date | null
  proven_at: Date
  created_at: Date
  seen_at: Date
  is_current: boolean
  name: string
  email: string
  has_app: boolean
  has_passkey: boolean
  is_operator: boolean
  /** Each is `<business> <role>`. */
  roles: string[]
}

const selectByToken = statement(
  'people.sign_in_by_token',
  `select s.id, s.person_id, s.level, s.stepped_up_until, s.proven_at, s.created_at, s.seen_at, s.token_hash = $1 as is_current,
       p.name, p.email, p.totp_secret is not null as has_app, p.has_passkey, p.is_operator,
       array(select m.business_id || ' ' || m.role from membership m where m.person_id = p.id) as roles
     from sign_in s join person p on p.id = s.person_id
    where s.token_hash = $1 or (s.previous_hash = $1 and s.previous_until > $2)`,
)

async function findSignIn(db: Queryable, tokenHash: Buffer, now: Date): Promise<SignInRow | undefined> {
  const [row] = await db.query<SignInRow>(selectByToken, [tokenHash, now])
  return row
}

const touchRow = statement('people.touch_sign_in', 'update sign_in set seen_at = $2 where id = $1 and seen_at < $3')

/** Updates only if the last use was before `before`, so only one of several concurrent requests writes. */
async function touchSignIn(db: Queryable, id: Uuid, now: Date, before: Date): Promise<void> {
  await db.query(touchRow, [id, now, before])
}

type LockedSignIn = { id: Uuid; person_id: Uuid; level: 'half' | 'full'; wrong_codes: number; proven_at: Date }

const lockRow = statement(
  'people.lock_sign_in',
  `select id, person_id, level, wrong_codes, proven_at from sign_in where id = $1 for update`,
)

export async function lockSignIn(tx: Tx, id: Uuid): Promise<LockedSignIn | undefined> {
  const [row] = await tx.query<LockedSignIn>(lockRow, [id])
  return row
}

type NewSignInRow = {
  id: Uuid
  personId: Uuid
  tokenHash: Buffer
  level: 'half' | 'full'
  address: string
  device: string
  at: Date
}

const insertRow = statement(
  'people.insert_sign_in',
  `insert into sign_in (id, person_id, token_hash, level, address, device, created_at, proven_at, seen_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7, $7)`,
)

function insertSignIn(tx: Tx, row: NewSignInRow): void {
  tx.send(insertRow, [row.id, row.personId, row.tokenHash, row.level, row.address, row.device, row.at])
}

const renewRow = statement(
  'people.renew_sign_in',
  `update sign_in set token_hash = $2, previous_hash = case when $3::timestamptz is null then null else token_hash end,
       previous_until = $3, level = 'full', stepped_up_until = $4, wrong_codes = 0,
       proven_at = coalesce($5, proven_at)
    where id = $1`,
)

type Renewal = {
  tokenHash: Buffer
  previousUntil: Date | null
  steppedUpUntil: Date | null
  /** When the password was entered again. Null: it was not. */
  provenAt: Date | null
}

function renewSignIn(tx: Tx, id: Uuid, { tokenHash, previousUntil, steppedUpUntil, provenAt }: Renewal): void {
  tx.send(renewRow, [id, tokenHash, previousUntil, steppedUpUntil, provenAt])
}

const countWrongCode = statement('people.count_wrong_code', 'update sign_in set wrong_codes = $2 where id = $1')

export function setWrongCodes(tx: Tx, id: Uuid, count: number): void {
  tx.send(countWrongCode, [id, count])
}

const deleteRow = statement('people.end_sign_in', 'delete from sign_in where id = $1 and person_id = $2 returning id')

/** Returns false if the sign-in had ended or belongs to another user. */
export async function endSignIn(tx: Tx, id: Uuid, personId: Uuid): Promise<boolean> {
  return (await tx.query(deleteRow, [id, personId])).length > 0
}

const deleteRowsOf = statement(
  'people.end_sign_ins',
  'delete from sign_in where person_id = $1 and id is distinct from $2::uuid',
)

/**
 * Ends all sign-ins of a user except `kept`. Called when the user resets or changes the password, adds a factor, removes
 * the last factor, or signs out everywhere, and when a manager changes the user's role or removes the user (members.ts).
 */
export function endSignIns(tx: Tx, personId: Uuid, kept: Uuid | null = null): void {
  tx.send(deleteRowsOf, [personId, kept])
}

const deleteOld = statement(
  'people.end_old_sign_ins',
  'delete from sign_in where person_id = $1 and (seen_at <= $2 or created_at <= $3)',
)

function endOldSignIns(tx: Tx, personId: Uuid, seenBefore: Date, createdBefore: Date): void {
  tx.send(deleteOld, [personId, seenBefore, createdBefore])
}

const deleteEnded = statement(
  'people.forget_sign_ins',
  `delete from sign_in where id = any(array(
     select id from sign_in
      where seen_at <= $1 or created_at <= $2 or (level = 'half' and created_at <= $3) limit $4 for update skip locked))
   returning 1`,
)

type EndedLimits = { seenBefore: Date; createdBefore: Date; halfCreatedBefore: Date; limit: number }

async function forgetEnded(db: Queryable, ended: EndedLimits): Promise<number> {
  const { seenBefore, createdBefore, halfCreatedBefore, limit } = ended
  return (await db.query(deleteEnded, [seenBefore, createdBefore, halfCreatedBefore, limit])).length
}

type ListedSignIn = { id: Uuid; device: string; address: string; created_at: Date; seen_at: Date }

const selectOfPerson = statement(
  'people.sign_ins_of',
  `select id, device, address, created_at, seen_at from sign_in
    where person_id = $1 and level = 'full' and seen_at > $2 and created_at > $3 order by seen_at desc, id`,
)

function listSignInRows(db: Queryable, personId: Uuid, seenAfter: Date, createdAfter: Date): Promise<ListedSignIn[]> {
  return db.query<ListedSignIn>(selectOfPerson, [personId, seenAfter, createdAfter])
}

const insertDevice = statement(
  'people.know_device',
  `insert into known_device (person_id, token_hash, seen_at) values ($1, $2, $3)
   on conflict (person_id, token_hash) do update set seen_at = $3`,
)

function knowDevice(tx: Tx, personId: Uuid, tokenHash: Buffer, at: Date): void {
  tx.send(insertDevice, [personId, tokenHash, at])
}

const selectNewDevice = statement(
  'people.is_new_device',
  `select p.created_at < $3 and not exists (
       select from known_device d where d.person_id = p.id and d.token_hash = $2) as "isNew" from person p where p.id = $1`,
)

/** Returns false for a user who is created by this request. */
async function isNewDevice(tx: Tx, personId: Uuid, tokenHash: Buffer, now: Date): Promise<boolean> {
  const [row] = await tx.query<{ isNew: boolean }>(selectNewDevice, [personId, tokenHash, now])
  return row?.isNew === true
}

const deleteOldDevices = statement(
  'people.forget_old_devices',
  'delete from known_device where person_id = $1 and seen_at <= $2',
)

export function forgetDevices(tx: Tx, personId: Uuid, seenBefore: Date): void {
  tx.send(deleteOldDevices, [personId, seenBefore])
}

const idleMsMax = 12 * hourMs
const ageMsMax = 7 * dayMs
const halfMsMax = 10 * minuteMs
export const stepUpMs = 10 * minuteMs
/** A request that was in flight when the second factor was checked is still served, but without step-up. */
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

/** Deletes some expired sign-ins, and with them the devices and addresses that they name. */
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
  const { person_id: id, name, email, has_app: hasApp, has_passkey: hasPasskey, is_operator: isOperator } = row
  return {
    signInId: row.id,
    person: { id, name, email, hasSecondFactor: hasApp || hasPasskey, hasApp, hasPasskey, isOperator },
    level: row.level,
    steppedUpUntilMs: row.is_current ? (row.stepped_up_until?.getTime() ?? 0) : 0,
    roles: new Map(row.roles.map((text) => text.split(' ') as [Uuid, UserRole])),
  }
}

/** Names a user who has proved their identity, for the audit log. */
export function actorOf({ id, email }: { id: Uuid; email: string }, { address, device, requestId }: Visit): Actor {
  return { kind: 'person', name: email, address, person: { id, device, requestId } }
}

/**
 * Called after a right password, or a proof that replaces it. A user with a second factor gets only a `half` sign-in.
 */
export async function beginSignIn(
  ctx: Context,
  tx: Tx,
  nowMs: number,
  person: PersonRow,
  visit: Visit,
): Promise<NewSignIn> {
  const level = hasFactor(person) ? 'half' : 'full'
  const { id, token } = openSignIn(tx, nowMs, person, visit, level)
  if (level === 'half') return { token, next: person.has_passkey ? 'passkey' : 'code' }
  const arrived = await arrive(ctx, tx, nowMs, { person, signInId: id, visit, by: 'password' })
  return { token, ...arrived, next: null }
}

/** Called when a passkey was right, which is both factors at once. */
export function beginWholeSignIn(
  ctx: Context,
  tx: Tx,
  nowMs: number,
  person: PersonRow,
  visit: Visit,
): Promise<NewSignIn> {
  const { id: signInId } = openSignIn(tx, nowMs, person, visit, 'half')
  return completeSignIn(ctx, tx, nowMs, { person, signInId, visit, by: 'passkey' })
}

function openSignIn(
  tx: Tx,
  nowMs: number,
  person: PersonRow,
  { address, device }: Visit,
  level: 'half' | 'full',
): { id: Uuid; token: string } {
  const [at, id, token] = [new Date(nowMs), newUuid(nowMs), newToken()]
  endOldSignIns(tx, person.id, new Date(nowMs - idleMsMax), new Date(nowMs - ageMsMax))
  insertSignIn(tx, { id, personId: person.id, tokenHash: token.hash, level, address, device, at })
  return { id, token: token.text }
}

export type Proof = 'password' | 'code' | 'recovery-code' | 'passkey'
type Arrival = { person: PersonRow; signInId: Uuid; visit: Visit; by: Proof }

/** Completes a sign-in: remembers the device, writes the audit entry, and tells the user of a new device. */
async function arrive(
  ctx: Context,
  tx: Tx,
  nowMs: number,
  { person, signInId, visit, by }: Arrival,
): Promise<{ deviceToken?: string }> {
  const device = visit.deviceToken ?? newToken().text
  if (ctx.sendsMail === true && (await isNewDevice(tx, person.id, hashOfToken(device), new Date(nowMs))))
    await queueToPerson(ctx, tx, person.id, {
      kind: 'new-device',
      factsIn: (timeZone) => ({ device: visit.device, address: visit.address, atMs: nowMs, timeZone }),
    })
  knowDevice(tx, person.id, hashOfToken(device), new Date(nowMs))
  forgetDevices(tx, person.id, new Date(nowMs - deviceKnownMs))
  recordEntry(tx, nowMs, {
    by: actorOf(person, visit),
    act: 'sign-in.made',
    subject: formatId('signIn', signInId),
    details: { by },
  })
  return device === visit.deviceToken ? {} : { deviceToken: device }
}

export async function completeSignIn(ctx: Context, tx: Tx, nowMs: number, arrival: Arrival): Promise<NewSignIn> {
  const token = renewSession(tx, nowMs, arrival.signInId, { steppedUp: true })
  return { token, ...(await arrive(ctx, tx, nowMs, arrival)), next: null }
}

type RenewOptions = { steppedUp: boolean; keepPrevious?: boolean; passwordProven?: boolean }

export function renewSession(
  tx: Tx,
  nowMs: number,
  id: Uuid,
  { steppedUp, keepPrevious = false, passwordProven = false }: RenewOptions,
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

export async function endOneSignIn(ctx: Context, by: Actor, { person }: SignedIn, id: Uuid): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const ended = await endSignIn(tx, id, person.id)
    if (ended) recordEntry(tx, ctx.clock.now(), { by, act: 'sign-in.ended', subject: formatId('signIn', id) })
    return ended
  })
}

export async function endAllSignIns(ctx: Context, by: Actor, { person }: SignedIn): Promise<void> {
  await ctx.db.transaction((tx) => {
    endSignIns(tx, person.id)
    recordEntry(tx, ctx.clock.now(), { by, act: 'sign-in.ended', subject: formatId('person', person.id) })
    return Promise.resolve()
  })
}
