// Writes letters in the transaction of their cause; send.ts sends and retries them. Without a mail server no letter is
// written. Also decides who gets a letter, and stores which letters a person has switched off.

import type { Context, Tenant } from '#platform/context.ts'
import type { Queryable, Tx } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import { newUuid, type Uuid, firstUuid } from '#platform/ids.ts'
import { type SecretBox, resealPages, type ResealMode } from '#platform/secrets.ts'
import {
  chosen,
  installation,
  type ChosenKind,
  type LetterBusiness,
  type LetterFacts,
  type LetterKind,
  chosenKinds,
} from './letter.ts'
import {
  findBusiness,
  findBusinessOf,
  findPerson,
  insertLetters,
  listMembers,
  listOperators,
  type LetterRecipient,
  listChoices,
  writeChoice,
  listSealed,
  writeResealed,
  type SealedLetter,
} from './queries.ts'

/** A letter is tried for a day, but no longer than its link works. */
const triedForMs = dayMs

/**
 * How many letters of a kind one address gets within a day, so that no caller can flood a mailbox. Letters above the
 * limit are not written.
 */
export const perDayMax: Record<LetterKind, number> = {
  invitation: 5,
  reset: 10,
  'new-device': 20,
  'factor-removed': 20,
  'live-key': 50,
  'approval-waiting': 200,
  'payouts-failed': 200,
  'payout-stopped': 200,
  'webhook-failing': 50,
  'low-balance': 50,
  mismatches: 100,
}

/**
 * The most invitations that a business may mail within a day, because its people choose the address and the business
 * name and could send spam.
 */
const invitationsPerDayMax = 100

type Addressee = { email: string; personId: Uuid | null }

export type NewLetter<Kind extends LetterKind> = {
  kind: Kind
  facts: LetterFacts[Kind]
  to: readonly Addressee[]
  businessId?: Uuid
  /** Identifies what the letter reports, so that each person gets it once. Undefined: each call writes a letter. */
  key?: string
  /** The link that the letter contains. The letter is not sent after the link expires. */
  link?: { token: string; box: SecretBox; expiresAtMs: number }
}

export function sealContext(letterId: Uuid): string {
  return `letter.token:${letterId}`
}

/** Returns the addresses for which a letter was written; none without a mail server. */
export async function queueLetters<Kind extends LetterKind>(
  { sendsMail = false, clock }: Pick<Context, 'sendsMail' | 'clock'>,
  tx: Tx,
  { kind, facts, to, businessId, key, link }: NewLetter<Kind>,
): Promise<string[]> {
  if (!sendsMail || to.length === 0) return []
  const nowMs = clock.now()
  const rows = to.map(({ email, personId }) => {
    const id = newUuid(nowMs)
    const token = link === undefined ? null : link.box.seal(link.token, sealContext(id)).toString('hex')
    return {
      id,
      key: key === undefined ? id : `${kind}:${key}:${personId ?? email}`,
      recipient: email,
      personId,
      businessId: businessId ?? null,
      facts: JSON.stringify(facts),
      token,
    }
  })
  return insertLetters(tx, rows, {
    kind,
    now: new Date(nowMs),
    expiresAt: new Date(Math.min(nowMs + triedForMs, link?.expiresAtMs ?? Infinity)),
    countedSince: new Date(nowMs - dayMs),
    perAddressMax: perDayMax[kind],
    perBusinessMax: kind === 'invitation' ? invitationsPerDayMax : null,
  })
}

/**
 * The members of a business who get letters of this kind: their role allows it, and they chose the kind or get it by
 * default.
 */
export function readAudience(db: Queryable, businessId: Uuid, kind: ChosenKind): Promise<LetterRecipient[]> {
  return listMembers(db, businessId, { kind, ...chosen[kind] })
}

export function readOperators(db: Queryable, kind: ChosenKind): Promise<LetterRecipient[]> {
  return listOperators(db, installation, kind)
}

/** The members of a business with one of these roles, for letters that are always sent. */
export function readMembers(db: Queryable, businessId: Uuid, roles: readonly string[]): Promise<LetterRecipient[]> {
  return listMembers(db, businessId, { kind: '', roles, usual: roles })
}

export function addresseesOf(recipients: readonly LetterRecipient[]): Addressee[] {
  return recipients.map(({ id, email }) => ({ email, personId: id }))
}

export function readPerson(db: Queryable, id: Uuid): Promise<LetterRecipient | undefined> {
  return findPerson(db, id)
}

export function readBusiness(db: Queryable, id: Uuid): Promise<LetterBusiness | undefined> {
  return findBusiness(db, id)
}

export function readBusinessOf(
  db: Queryable,
  tenant: Pick<Tenant, 'lane' | 'id'>,
): Promise<LetterBusiness | undefined> {
  return findBusinessOf(db, tenant)
}

/** Writes a letter about the account of a person. `factsIn` gets their time zone. */
export async function queueToPerson<Kind extends 'new-device' | 'factor-removed'>(
  ctx: Pick<Context, 'sendsMail' | 'clock'>,
  tx: Tx,
  personId: Uuid,
  { kind, factsIn }: { kind: Kind; factsIn: (timeZone: string) => LetterFacts[Kind] },
): Promise<void> {
  if (ctx.sendsMail !== true) return
  const person = await findPerson(tx, personId)
  if (person === undefined) return
  await queueLetters(ctx, tx, { kind, facts: factsIn(person.timeZone), to: [{ email: person.email, personId }] })
}

// Which letters a person gets, and which they have switched off.

type LetterChoice = { kind: ChosenKind; title: string; wants: boolean }

export type LetterReader = { personId: Uuid; businessId: Uuid; role: string; isOperator: boolean }

export async function readChoices({ db }: Pick<Context, 'db'>, reader: LetterReader): Promise<LetterChoice[]> {
  const made = await listChoices(db, reader.personId, [reader.businessId, installation])
  return chosenKinds
    .filter((kind) => mayGet(kind, reader))
    .map((kind) => {
      const place = placeOf(kind, reader)
      const choice = made.find((one) => one.kind === kind && one.place === place)
      return { kind, title: chosen[kind].title, wants: choice?.wants ?? isUsual(kind, reader) }
    })
}

export async function saveChoice(
  { db }: Pick<Context, 'db'>,
  reader: LetterReader,
  { kind, wants }: { kind: ChosenKind; wants: boolean },
): Promise<void> {
  await writeChoice(db, reader.personId, { place: placeOf(kind, reader), kind, wants })
}

export function mayGet(kind: ChosenKind, { role, isOperator }: LetterReader): boolean {
  return kind === 'mismatches' ? isOperator : chosen[kind].roles.includes(role)
}

function isUsual(kind: ChosenKind, { role }: LetterReader): boolean {
  return kind === 'mismatches' || chosen[kind].usual.includes(role)
}

function placeOf(kind: ChosenKind, { businessId }: LetterReader): Uuid {
  return kind === 'mismatches' ? installation : businessId
}

// Encrypts the tokens of waiting letters again, with the current key.

const rowsPerPage = 500

export function resealLetters(db: Queryable, box: SecretBox, how: ResealMode): Promise<number> {
  return resealPages<{ id: Uuid }, SealedLetter, { row: SealedLetter; fresh: Buffer }>({
    first: { id: firstUuid },
    rowsPerPage,
    read: ({ id }, limit) => listSealed(db, id, limit),
    changesOf(row) {
      const fresh = row.token === null ? undefined : box.reseal(row.token, sealContext(row.id))
      return fresh === undefined ? [] : [{ row, fresh }]
    },
    how,
    async write(changes) {
      for (const { row, fresh } of changes) await writeResealed(db, row, fresh)
    },
  })
}
