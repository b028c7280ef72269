// Finds the current and former owners of account numbers. A rail may reuse a number after its account has ended, so a
// number has turns, one for each account that has had it. A turn begins only when the account of the previous turn is
// no longer open, and such an account never opens again. Also locks and completes the accounts that deposits pay.

import { type Environment, type Tenant, environments, type Context } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { createLoader, type Loader } from '#platform/db/loader.ts'
import type { Uuid } from '#platform/ids.ts'
import type { PaidInto } from '#rails/rail.ts'
import type { VirtualAccount } from './account.ts'
import type { Customer } from './customers.ts'
import { completeAccounts, lockAccounts, type PaidKey, findCustomersOfAccounts } from './queries.ts'

type OwnerRow = Tenant & { accountNumber: string; openedAt: Date; rail: string }

/**
 * The owner of the account that was paid, and the rail that opened it. A payment that is dated before `openedAt` counts
 * as made at `openedAt`.
 */
export type AccountOwner = { tenant: Tenant; accountNumber: string; openedAt: Date; rail: string }

const ownerColumns =
  'n.account_number as "accountNumber", n.lane, n.tenant_id as id, n.environment, n.opened_at as "openedAt", n.rail'

function ownerOf({ accountNumber, openedAt, rail, ...tenant }: OwnerRow): AccountOwner {
  return { tenant, accountNumber, openedAt, rail }
}

type NumberAt = { number: string; atMs: number }

// The condition names no tenant, because a notice contains only a number, and the result is the number's owner at the
// time of the payment. The primary key begins with the environment and the number. Because clocks differ, a payment
// that is dated before the first owner's account belongs to the first owner.
const ownersOf = statement(
  'accounts.owners',
  `select k.number, k.at_ms as "atMs", ${ownerColumns}
     from unnest($2::text[], $3::bigint[], $4::timestamptz[]) as k (number, at_ms, paid_at)
     cross join lateral (
       select * from virtual_account_number
        where environment = $1 and account_number = k.number and (opened_at <= k.paid_at or turn = 0)
        order by turn desc limit 1) as n`,
)

function numberText({ number, atMs }: NumberAt): string {
  return `${number} ${atMs}`
}

export async function findOwners(
  db: Queryable,
  environment: Environment,
  numbers: NumberAt[],
): Promise<Map<string, AccountOwner>> {
  const rows = await db.query<OwnerRow & { number: string; atMs: bigint }>(ownersOf, [
    environment,
    ...arraysOf(numbers, 'number', 'atMs'),
    arrayOf(numbers, ({ atMs }) => new Date(atMs)),
  ])
  return new Map(rows.map(({ number, atMs, ...row }) => [numberText({ number, atMs: Number(atMs) }), ownerOf(row)]))
}

// Uses only the index virtual_account_number_of_rail_reference.
const ownersByReference = statement(
  'accounts.owners_by_reference',
  `select k.rail_reference as "railReference", ${ownerColumns}
     from unnest($2::text[]) as k (rail_reference)
     cross join lateral (
       select * from virtual_account_number
        where environment = $1 and rail_reference = k.rail_reference and rail_reference is not null limit 1) as n`,
)

async function findOwnersByReference(
  db: Queryable,
  environment: Environment,
  references: string[],
): Promise<Map<string, AccountOwner>> {
  const rows = await db.query<OwnerRow & { railReference: string }>(ownersByReference, [
    environment,
    arrayOf(references, (reference) => reference),
  ])
  return new Map(rows.map(({ railReference, ...row }) => [railReference, ownerOf(row)]))
}

export type WantedNumber = {
  environment: Environment
  accountNumber: string
  tenantId: Uuid
  openedAt: Date
  rail: string
  railReference: string
}

const reserveNumbers = statement(
  'accounts.reserve_numbers',
  `insert into virtual_account_number
     (lane, environment, account_number, turn, tenant_id, opened_at, rail, rail_reference)
   select $1, v.*
     from unnest($2::text[], $3::text[], $4::int[], $5::uuid[], $6::timestamptz[], $7::text[], $8::text[])
       as v (environment, account_number, turn, tenant_id, opened_at, rail, rail_reference)
    order by v.environment, v.account_number, v.turn
   on conflict do nothing returning environment, account_number as "accountNumber"`,
)

/** Takes free numbers and returns those taken, each as `environment number`. If several want one number, the first gets it. */
export async function takeNumbers(tx: Tx, wanted: WantedNumber[]): Promise<Set<string>> {
  const firsts = [...new Map(wanted.toReversed().map((one) => [textOf(one), one])).values()]
  const taken = await insertTurns(
    tx,
    firsts.map((one) => ({ ...one, turn: 0 })),
  )
  const others = firsts.filter((one) => !taken.has(textOf(one)))
  // A number with an earlier owner is rare, so it takes a round trip of its own.
  const holders = others.length === 0 ? new Map<string, CurrentHolder>() : await findHolders(tx, others)
  const again = others.flatMap((one) => {
    const holder = holders.get(textOf(one))
    return holder === undefined || holder.isOpen ? [] : [{ ...one, turn: holder.turn + 1 }]
  })
  if (again.length === 0) return taken
  return new Set([...taken, ...(await insertTurns(tx, again))])
}

async function insertTurns(tx: Tx, rows: (WantedNumber & { turn: number })[]): Promise<Set<string>> {
  const taken = await tx.query<AccountAddress>(reserveNumbers, [
    tx.lane,
    ...arraysOf(rows, 'environment', 'accountNumber', 'turn', 'tenantId', 'openedAt', 'rail', 'railReference'),
  ])
  return new Set(taken.map(textOf))
}

type AccountAddress = { environment: Environment; accountNumber: string }
type CurrentHolder = { turn: number; isOpen: boolean }

function textOf({ environment, accountNumber }: AccountAddress): string {
  return `${environment} ${accountNumber}`
}

const lastTurns = statement(
  'accounts.last_turns',
  `select n.environment, n.account_number as "accountNumber", n.turn, n.lane, n.tenant_id as "tenantId"
     from unnest($1::text[], $2::text[]) as k (environment, account_number)
     cross join lateral (
       select * from virtual_account_number
        where environment = k.environment and account_number = k.account_number order by turn desc limit 1) as n`,
)

const areOpen = statement(
  'accounts.are_open',
  `select k.tenant_id as "tenantId", k.account_number as "accountNumber", a.status = 'ACTIVE' as "isOpen"
     from unnest($2::uuid[], $3::text[]) as k (tenant_id, account_number)
     cross join lateral (
       select status from virtual_account
        where lane = $1 and tenant_id = k.tenant_id and account_number = k.account_number
        order by opened_at desc limit 1) as a`,
)

type OwnershipRow = AccountAddress & { turn: number; lane: number; tenantId: Uuid }
type OwnershipState = { tenantId: Uuid; accountNumber: string; isOpen: boolean }

/**
 * The last holders of these numbers, by `environment number`. Reads any lane without a lock, because an account that
 * is not open stays so.
 */
export async function findHolders(db: Queryable, places: AccountAddress[]): Promise<Map<string, CurrentHolder>> {
  const turns = await db.query<OwnershipRow>(lastTurns, arraysOf(places, 'environment', 'accountNumber'))
  const holders = new Map<string, CurrentHolder>()
  for (const [lane, ofLane] of Map.groupBy(turns, (turn) => turn.lane)) {
    const standings = await db.query<OwnershipState>(areOpen, [lane, ...arraysOf(ofLane, 'tenantId', 'accountNumber')])
    const keyOf = (one: Omit<OwnershipState, 'isOpen'>): string => `${one.tenantId} ${one.accountNumber}`
    const isOpen = new Map(standings.map((one) => [keyOf(one), one.isOpen]))
    for (const turn of ofLane) {
      const found = isOpen.get(keyOf(turn))
      if (found !== undefined) holders.set(textOf(turn), { turn: turn.turn, isOpen: found })
    }
  }
  return holders
}

export type Owners = { find(environment: Environment, paid: PaidAddress): Promise<AccountOwner | undefined> }

type PaidAddress = { account: PaidInto; atMs: number }

type Loaders = { byNumber: Loader<NumberAt, AccountOwner>; byReference: Loader<string, AccountOwner> }

export function createOwners({ db, metrics }: Context): Owners {
  const loadersOf = (environment: Environment): Loaders => ({
    byNumber: createLoader({
      name: 'account owners',
      metrics,
      keyText: numberText,
      query: (numbers) => findOwners(db.readers, environment, numbers),
    }),
    byReference: createLoader({
      name: 'account owners by reference',
      metrics,
      keyText: (reference) => reference,
      query: (references) => findOwnersByReference(db.readers, environment, references),
    }),
  })
  const loaders = new Map(environments.map((environment) => [environment, loadersOf(environment)]))
  return {
    async find(environment, { account, atMs }) {
      const of = loaders.get(environment)
      return 'number' in account
        ? of?.byNumber.load({ number: account.number, atMs })
        : of?.byReference.load(account.railReference)
    },
  }
}

export type { PaidKey } from './queries.ts'

type PaidAccount = { account: VirtualAccount; customer: Customer | undefined }

export type PaidAccounts = {
  find(key: PaidKey): PaidAccount | undefined
  /** Shows the changed account to the next decisions of the batch. Writes nothing. */
  replace(account: VirtualAccount): void
}

/** Locks in sorted order, so that two transactions queue for each other and cannot deadlock. */
export async function lockPaidAccounts(tx: Tx, keys: PaidKey[]): Promise<PaidAccounts> {
  const unique = [...new Map(keys.map((key) => [keyText(key), key])).entries()]
  const sorted = unique.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, key]) => key)
  const [accounts, customers] = await Promise.all([lockAccounts(tx, sorted), findCustomersOfAccounts(tx, sorted)])
  const byNumber = Map.groupBy(
    accounts.map((account): PaidAccount => ({ account, customer: customers.get(account.id) })),
    ({ account }) => accountText(account),
  )
  return {
    find: (key) =>
      byNumber
        .get(accountText(key))
        ?.filter(({ account }) => account.openedAt <= key.paidAt)
        .toSorted((left, right) => right.account.openedAt.getTime() - left.account.openedAt.getTime())[0],
    replace(account) {
      const paid = byNumber.get(accountText(account))?.find((one) => one.account.id === account.id)
      if (paid !== undefined) paid.account = account
    },
  }
}

function accountText({ tenantId, accountNumber }: Omit<PaidKey, 'paidAt'>): string {
  return `${tenantId} ${accountNumber}`
}

function keyText(key: PaidKey): string {
  return `${accountText(key)} ${key.paidAt.getTime()}`
}

/** Marks the accounts as completed at their `updatedAt`. The caller must have locked the rows. */
export function completePaidAccounts(tx: Tx, accounts: VirtualAccount[]): void {
  completeAccounts(tx, accounts)
}
