// Recipients: bank accounts and wallets that people saved under a name, with the name that the bank gave. A recipient
// whose account was changed is pointed out until a payout to the new account is approved.

import { isDeepStrictEqual } from 'node:util'
import { recordEntry } from '#audit/record.ts'
import { findBank } from '#directory/banks.ts'
import { findOperator } from '#directory/operators.ts'
import type { Resolver } from '#directory/resolve.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { arraysOf, isUniqueViolation, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { foldedName, foldName } from '#platform/db/folded-names.ts'
import { dayMs, hourMs } from '#platform/durations.ts'
import { Unavailable } from '#platform/errors.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import type { Currency } from '#platform/money.ts'
import { sameName, type PayeeKind, readPayeeCells, type PayeeCells, type PayeeOptions } from './cells.ts'
import type { Proposer } from './drafts.ts'

export type Recipient = {
  id: Uuid
  kind: PayeeKind
  name: string
  institution: string
  accountNumber: string
  /** The name that the bank gave. Null: the bank has not confirmed the account. */
  accountName: string | null
  verifiedAt: Date | null
  tags: string[]
  createdAt: Date
  changedAt: Date | null
  /** Null: no user changed the account. If `changedAt` is set all the same, the bank gave another name, or none. */
  changedBy: string | null
  approvedAt: Date | null
}

export type RecipientFields = Pick<Recipient, 'kind' | 'name' | 'institution' | 'accountNumber' | 'tags'>

/** The bank is asked again for the name after this time. */
export const verifiedForMs = 90 * dayMs
/** A bank that did not answer is asked again after this time. */
export const askAgainMs = hourMs

/** The most recipients of one tenant. */
export const recipientsMax = 5_000

const columns = `id, kind, name, institution, account_number as "accountNumber", account_name as "accountName",
  verified_at as "verifiedAt", tags, created_at as "createdAt", changed_at as "changedAt", changed_by as "changedBy",
  approved_at as "approvedAt"`

// Folds names, because in the collation C the database changes the case of ASCII letters only. 5,000 recipients take 80
// ms, and with accents in all names 150 ms.
const select = statement(
  'payouts.recipients',
  `select ${columns} from recipient
    where lane = $1 and tenant_id = $2 and ($4::text is null or $4 = any(tags))
      and ($3 = '' or position($3 in account_number) > 0
        or ($6 <> '' and position($6 in ${foldedName(`name || ' ' || coalesce(account_name, '')`)}) > 0))
    order by lower(name), id limit $5`,
)

export type RecipientQuestion = {
  search: string
  tag: string | null
  /** When they were last paid; `lately` is within 90 days. Null: no filter. */
  paid: 'never' | 'lately' | 'not-lately' | null
  limit: number
}

export function listRecipients(
  { db }: Pick<Context, 'db'>,
  { lane, id }: Tenant,
  { search, tag, limit }: Omit<RecipientQuestion, 'paid'>,
): Promise<Recipient[]> {
  return db.query<Recipient>(select, [lane, id, search, tag, limit, foldName(search)])
}

const tagsListed = 100

const selectTags = statement(
  'payouts.recipient_tags',
  `select distinct tag from recipient cross join lateral unnest(tags) as tag
    where lane = $1 and tenant_id = $2 order by tag limit $3`,
)

export async function listTags({ db }: Context, { lane, id }: Tenant): Promise<string[]> {
  return (await db.query<{ tag: string }>(selectTags, [lane, id, tagsListed])).map(({ tag }) => tag)
}

const lockOne = statement(
  'payouts.recipient',
  `select ${columns} from recipient where lane = $1 and tenant_id = $2 and id = $3 for update`,
)
const count = statement(
  'payouts.count_recipients',
  `select count(*)::int as count from (select 1 from recipient where lane = $1 and tenant_id = $2 limit $3) as r`,
)
const insert = statement(
  'payouts.insert_recipient',
  `insert into recipient (lane, tenant_id, id, kind, name, institution, account_number, account_name, verified_at, tags,
     created_at, due_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   on conflict (lane, tenant_id, institution, account_number) do nothing returning id`,
)
const update = statement(
  'payouts.change_recipient',
  `update recipient set kind = $4, name = $5, institution = $6, account_number = $7, account_name = $8, verified_at = $9,
     tags = $10, changed_at = $11, changed_by = $12, due_at = $13
    where lane = $1 and tenant_id = $2 and id = $3`,
)
const remove = statement(
  'payouts.delete_recipient',
  'delete from recipient where lane = $1 and tenant_id = $2 and id = $3 returning id',
)

async function countRecipients(db: Queryable, { lane, id }: Tenant): Promise<number> {
  const [found] = await db.query<{ count: number }>(count, [lane, id, recipientsMax + 1])
  return found?.count ?? 0
}

export type RecipientOutcome =
  | { kind: 'saved'; recipient: Recipient }
  | { kind: 'not-found' }
  | { kind: 'changed' }
  | { kind: 'unknown-institution' }
  | { kind: 'no-such-account' }
  | { kind: 'taken' }
  | { kind: 'too-many'; max: number }

export type RecipientDeps = { ctx: Context; resolver: Resolver }

export async function saveRecipient(
  { ctx, resolver }: RecipientDeps,
  tenant: Tenant,
  person: Proposer,
  fields: RecipientFields,
): Promise<RecipientOutcome> {
  const named = await askHolder(resolver, tenant, fields, ctx.clock.now())
  if (named.kind !== 'asked') return named
  return ctx.db.transaction(async (tx): Promise<RecipientOutcome> => {
    if ((await countRecipients(tx, tenant)) >= recipientsMax) return { kind: 'too-many', max: recipientsMax }
    const nowMs = ctx.clock.now()
    const { accountName, verifiedAt } = named
    const none = { changedAt: null, changedBy: null, approvedAt: null }
    const recipient = { ...fields, ...none, id: newUuid(nowMs), accountName, verifiedAt, createdAt: new Date(nowMs) }
    const { id, kind, name, institution, accountNumber, tags, createdAt } = recipient
    const values = [tx.lane, tenant.id, id, kind, name, institution, accountNumber, accountName, verifiedAt, tags]
    if ((await tx.query(insert, [...values, createdAt, dueAtOf(verifiedAt, nowMs)])).length === 0)
      return { kind: 'taken' }
    record(ctx, tx, tenant, person, 'recipient.saved', recipient)
    return { kind: 'saved', recipient }
  }, tenant.lane)
}

/** `shown`: the recipient that the person edited. Another person may have changed it meanwhile. */
export type RecipientChange = { fields: RecipientFields; shown: RecipientFields }

export async function changeRecipient(
  { ctx, resolver }: RecipientDeps,
  tenant: Tenant,
  person: Proposer,
  id: Uuid,
  { fields, shown }: RecipientChange,
): Promise<RecipientOutcome> {
  const named = await askHolder(resolver, tenant, fields, ctx.clock.now())
  if (named.kind !== 'asked') return named
  try {
    return await ctx.db.transaction(async (tx): Promise<RecipientOutcome> => {
      const [before] = await tx.query<Recipient>(lockOne, [tx.lane, tenant.id, id])
      if (before === undefined) return { kind: 'not-found' }
      // A person who lost the response and repeats the request overwrites nothing.
      if (!hasFields(before, shown) && !hasFields(before, fields)) return { kind: 'changed' }
      const { institution, accountNumber } = fields
      const nowMs = ctx.clock.now()
      const isMoved = before.institution !== institution || before.accountNumber !== accountNumber
      // If the bank does not answer, the earlier name stays, because the bank's next answer is compared with it.
      const { accountName, verifiedAt } = named.accountName === null && !isMoved ? before : named
      const isRenamed =
        before.accountName !== null && accountName !== null && !sameName(before.accountName, accountName)
      const changed =
        isMoved || isRenamed ? { changedAt: new Date(nowMs), changedBy: isMoved ? person.name : null } : {}
      const recipient = { ...before, ...fields, ...changed, accountName, verifiedAt }
      const { kind, name, tags, changedAt, changedBy } = recipient
      const values = [tx.lane, tenant.id, id, kind, name, institution, accountNumber, accountName, verifiedAt, tags]
      await tx.query(update, [...values, changedAt, changedBy, dueAtOf(named.verifiedAt, nowMs)])
      record(ctx, tx, tenant, person, 'recipient.changed', recipient, hintOf(before))
      return { kind: 'saved', recipient }
    }, tenant.lane)
  } catch (error) {
    if (isUniqueViolation(error)) return { kind: 'taken' }
    throw error
  }
}

function hasFields(recipient: Recipient, { kind, name, institution, accountNumber, tags }: RecipientFields): boolean {
  return (
    recipient.kind === kind &&
    recipient.name === name &&
    recipient.institution === institution &&
    recipient.accountNumber === accountNumber &&
    isDeepStrictEqual(recipient.tags, tags)
  )
}

/** `shown`: the recipient that the person saw. Another person may have changed it meanwhile. */
export function removeRecipient(
  ctx: Context,
  tenant: Tenant,
  person: Proposer,
  { id, shown }: { id: Uuid; shown: RecipientFields },
): Promise<'removed' | 'not-found' | 'changed'> {
  return ctx.db.transaction(async (tx) => {
    const [before] = await tx.query<Recipient>(lockOne, [tx.lane, tenant.id, id])
    if (before === undefined) return 'not-found'
    if (!hasFields(before, shown)) return 'changed'
    tx.send(remove, [tx.lane, tenant.id, id])
    record(ctx, tx, tenant, person, 'recipient.removed', before)
    return 'removed'
  }, tenant.lane)
}

function dueAtOf(verifiedAt: Date | null, nowMs: number): Date {
  return new Date(nowMs + (verifiedAt === null ? askAgainMs : verifiedForMs))
}

type AccountToName = { kind: PayeeKind; institution: string; accountNumber: string }
type NameAnswer = { kind: 'resolved'; accountName: string } | { kind: 'not-found' | 'unavailable' }

export async function askName(
  resolver: Resolver,
  { environment }: Tenant,
  { kind, institution, accountNumber }: AccountToName,
): Promise<NameAnswer> {
  // No provider names the business of a till.
  if (kind === 'wallet' && findOperator(institution)?.recipient === 'till') return { kind: 'unavailable' }
  const question =
    kind === 'bank'
      ? resolver.account(environment, { accountNumber, bankSlug: institution })
      : resolver.phone(environment, { phoneNumber: accountNumber, operatorSlug: institution })
  const answer = await question.catch((error: unknown) => {
    if (error instanceof Unavailable) return { kind: 'unavailable' as const }
    throw error
  })
  if (answer.kind === 'resolved') return { kind: 'resolved', accountName: answer.accountName }
  return { kind: answer.kind === 'unavailable' ? 'unavailable' : 'not-found' }
}

type Holder =
  | { kind: 'asked'; accountName: string | null; verifiedAt: Date | null }
  | { kind: 'unknown-institution' }
  | { kind: 'no-such-account' }

async function askHolder(resolver: Resolver, tenant: Tenant, fields: RecipientFields, nowMs: number): Promise<Holder> {
  const { kind, institution } = fields
  const known = kind === 'bank' ? findBank(institution) : findOperator(institution)
  if (known === undefined) return { kind: 'unknown-institution' }
  const answer = await askName(resolver, tenant, fields)
  if (answer.kind === 'resolved') {
    return { kind: 'asked', accountName: answer.accountName.slice(0, 200), verifiedAt: new Date(nowMs) }
  }
  // A bank that does not answer says nothing about the account.
  return answer.kind === 'unavailable'
    ? { kind: 'asked', accountName: null, verifiedAt: null }
    : { kind: 'no-such-account' }
}

/** The audit log shows which account it is, and not the whole number. */
export function hintOf({ institution, accountNumber }: Pick<Recipient, 'institution' | 'accountNumber'>): string {
  return `${institution} …${accountNumber.slice(-4)}`
}

function record(
  ctx: Context,
  tx: Tx,
  tenant: Tenant,
  { manager }: Proposer,
  act: 'recipient.saved' | 'recipient.changed' | 'recipient.removed',
  recipient: Recipient,
  before?: string,
): void {
  const details = { account: hintOf(recipient), ...(before === undefined ? {} : { accountBefore: before }) }
  const subject = formatId('recipient', recipient.id)
  recordEntry(tx, ctx.clock.now(), { by: manager.by, act, tenantId: tenant.id, subject, details })
}

type AccountOfRecipient = { institution: string; accountNumber: string }

const selectChanged = statement(
  'payouts.changed_recipients',
  `select r.institution, r.account_number as "accountNumber", r.name, r.changed_at as "changedAt",
     r.changed_by as "changedBy", r.account_name as "accountName"
     from unnest($3::text[], $4::text[]) as v (institution, account_number)
     cross join lateral (
       select * from recipient
        where lane = $1 and tenant_id = $2 and institution = v.institution and account_number = v.account_number
        limit 1) as r
    where r.changed_at is not null and (r.approved_at is null or r.approved_at < r.changed_at)`,
)

export type ChangedRecipient = AccountOfRecipient & {
  name: string
  changedAt: Date
  changedBy: string | null
  accountName: string | null
}

/** Recipients whose account was changed, and to whose new account no payout was approved since. */
export function findChangedRecipients(
  db: Queryable,
  { lane, id }: Tenant,
  accounts: readonly AccountOfRecipient[],
): Promise<ChangedRecipient[]> {
  return db.query<ChangedRecipient>(selectChanged, [lane, id, ...arraysOf(accounts, 'institution', 'accountNumber')])
}

const approve = statement(
  'payouts.approve_recipients',
  `with found as materialized (
     select r.id from unnest($3::text[], $4::text[]) as v (institution, account_number)
       cross join lateral (
         select id from recipient
          where lane = $1 and tenant_id = $2 and institution = v.institution and account_number = v.account_number
            and changed_at is not null limit 1 for update) as r)
   update recipient set approved_at = $5
    where lane = $1 and tenant_id = $2 and id = any(array(select id from found))`,
)

/** Runs in the transaction in which people approved payouts to these accounts. */
export function approveRecipients(tx: Tx, { id }: Tenant, accounts: readonly AccountOfRecipient[], at: Date): void {
  tx.send(approve, [tx.lane, id, ...arraysOf(inLockOrder(accounts), 'institution', 'accountNumber'), at])
}

/** A transaction that writes several recipients locks them in this order, so that two transactions cannot deadlock. */
export function inLockOrder<Account extends AccountOfRecipient>(accounts: readonly Account[]): Account[] {
  const key = ({ institution, accountNumber }: AccountOfRecipient): string => `${institution} ${accountNumber}`
  return accounts.toSorted((left, right) => (key(left) < key(right) ? -1 : 1))
}

// Recipients from a file. Readable rows are saved, and their banks confirm the names in the background; the other rows
// come back with the fault of each cell.

export type RecipientCells = PayeeCells & { tags: string }
type RecipientCellError = { field: keyof RecipientCells; message: string; offers?: string[] }

/** `number`: the place of the row, from 1. `errors` empty: the account is saved already. */
type UnsavedRow = { number: number; errors: RecipientCellError[] }

type ImportOutcome = { kind: 'imported'; saved: number; unsaved: UnsavedRow[] } | { kind: 'too-many'; max: number }

type NewRecipient = {
  number: number
  kind: PayeeKind
  name: string
  institution: string
  accountNumber: string
  /** One tag in each line. */
  tags: string
}

const insertMany = statement(
  'payouts.import_recipients',
  `insert into recipient (lane, tenant_id, id, kind, name, institution, account_number, tags, created_at, due_at)
   select $1, $2, v.id, v.kind, v.name, v.institution, v.account_number,
     coalesce(string_to_array(nullif(v.tags, ''), chr(10)), '{}'), $9, $9
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       as v (id, kind, name, institution, account_number, tags)
   on conflict (lane, tenant_id, institution, account_number) do nothing returning id`,
)

/** `currencies`: the currencies of the business. A row whose operator has another currency gets an error. */
export async function importRecipients(
  ctx: Context,
  tenant: Tenant,
  { manager }: Proposer,
  cells: readonly RecipientCells[],
  currencies: readonly Currency[],
): Promise<ImportOutcome> {
  const { recipients, wrong } = readRows(cells, { environment: tenant.environment, currencies })
  return ctx.db
    .transaction(async (tx): Promise<ImportOutcome> => {
      const nowMs = ctx.clock.now()
      const rows = recipients.map((row) => ({ ...row, id: newUuid(nowMs) }))
      const values = arraysOf(inLockOrder(rows), 'id', 'kind', 'name', 'institution', 'accountNumber', 'tags')
      const inserted = await tx.query<{ id: string }>(insertMany, [tx.lane, tenant.id, ...values, new Date(nowMs)])
      if ((await countRecipients(tx, tenant)) > recipientsMax) throw new TooMany()
      const saved = new Set(inserted.map(({ id }) => id))
      const known = rows.filter(({ id }) => !saved.has(id)).map(({ number }) => ({ number, errors: [] }))
      const unsaved = [...wrong, ...known].toSorted((left, right) => left.number - right.number)
      if (saved.size > 0) {
        const entry = { by: manager.by, tenantId: tenant.id, details: { recipients: saved.size } }
        recordEntry(tx, nowMs, { ...entry, act: 'recipients.imported' })
      }
      return { kind: 'imported', saved: saved.size, unsaved }
    }, tenant.lane)
    .catch((error: unknown): ImportOutcome => {
      if (error instanceof TooMany) return { kind: 'too-many', max: recipientsMax }
      throw error
    })
}

/** Rolls the import back. */
class TooMany extends Error {}

const tagsMax = 10
const tagLengthMax = 40

function readRows(cells: readonly RecipientCells[], options: PayeeOptions) {
  const recipients: NewRecipient[] = []
  const wrong: UnsavedRow[] = []
  const first = new Map<string, number>()
  for (const [index, row] of cells.entries()) {
    const number = index + 1
    const { name, kind, institution, accountNumber, errors: found } = readPayeeCells(row, options)
    const errors = found as RecipientCellError[]
    if (name === null && !errors.some(({ field }) => field === 'name'))
      errors.push({ field: 'name', message: 'Enter a name.' })
    const tags = new Set(
      row.tags
        .split(/[,;\n]/)
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    )
    if (tags.size > tagsMax || [...tags].some((tag) => tag.length > tagLengthMax))
      errors.push({ field: 'tags', message: `Use at most ${tagsMax} tags of ${tagLengthMax} characters.` })
    const key = `${institution} ${accountNumber}`
    const earlier = first.get(key)
    if (institution !== null && accountNumber !== null && earlier !== undefined)
      errors.push({ field: 'account', message: `Row ${earlier} has this account too.` })
    if (errors.length > 0 || name === null || institution === null || accountNumber === null) {
      wrong.push({ number, errors })
      continue
    }
    first.set(key, number)
    recipients.push({ number, kind, name, institution, accountNumber, tags: [...tags].join('\n') })
  }
  return { recipients, wrong }
}
