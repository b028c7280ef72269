// The `Book` of a transaction locks tenants, knows their balances, and posts movements, which it writes before the
// commit. `hasRoom` is the limit of what the books of a tenant may hold; deposits/apply-notice.ts keeps a real deposit
// beyond it for review. chart.ts has the movements of each event, such as the money that a
// failed payout gives back. statement.ts reads account statements, verify-queries.ts verifies, archive.ts moves old movements
// into files and back, and float.ts writes the float books.

import { assert, present } from '#platform/assert.ts'
import type { Tenant } from '#platform/context.ts'
import { arraysOf, statement, type InLane, type Tx } from '#platform/db/db.ts'
import { type Uuid, newUuid } from '#platform/ids.ts'
import { amountMax, toMoney, type Currency, type Money } from '#platform/money.ts'
import { type AccountName, accountNames, type Posting } from './chart.ts'

export type LedgerAccountRow = {
  tenantId: Uuid
  currency: string
  name: AccountName
  debits: bigint
  credits: bigint
  movements: bigint
  touchedAt: Date
  /** Used for `available` only: the amount that unfinished collections and PENDING deposits may still add. */
  incoming: bigint
  /** Used for `available` only: true if other limits than the balance apply. */
  limited: boolean
  /** Used for `available` only: true if the tenant may use the currency. */
  switchedOn: boolean
}

const columns =
  'tenant_id as "tenantId", currency, name, debits, credits, movements, touched_at as "touchedAt", incoming, limited, switched_on as "switchedOn"'

// `order by` makes every transaction lock in the same order, which prevents deadlocks. Plan on 5 000 accounts: index
// scan on the primary key, one page per tenant.
const lockAccountsOf = statement(
  'ledger.lock_accounts',
  `select ${columns} from ledger_account
    where lane = $1 and tenant_id = any($2::uuid[])
    order by tenant_id, currency, name
      for update`,
)

function lockAccounts(tx: Tx, tenantIds: Uuid[]): Promise<LedgerAccountRow[]> {
  return tx.query<LedgerAccountRow>(lockAccountsOf, [tx.lane, tenantIds])
}

const openAccountsOf = statement(
  'ledger.open_accounts',
  `insert into ledger_account (lane, tenant_id, currency, name)
   select $1, $2, $3, name from unnest($4::text[]) as name`,
)

function openAccounts(tx: Tx, tenantId: Uuid, currency: string, names: readonly string[]): void {
  tx.send(openAccountsOf, [tx.lane, tenantId, currency, names])
}

// `lockAccounts` has locked the rows, so they can be updated by ctid; the lateral look-up keeps a planner without
// statistics from comparing the batch with all accounts of the lane.
const updateAccountsTo = statement(
  'ledger.update_accounts',
  `with v as materialized (
     select a.ctid as row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::timestamptz[], $9::bigint[])
         as k (tenant_id, currency, name, debits, credits, movements, touched_at, incoming)
       cross join lateral (
         select ctid from ledger_account
          where lane = $1 and tenant_id = k.tenant_id and currency = k.currency and name = k.name limit 1) as a)
   update ledger_account a
      set debits = v.debits, credits = v.credits, movements = v.movements, touched_at = v.touched_at,
          incoming = v.incoming
     from v where a.lane is not distinct from $1 and a.ctid = v.row_place`,
)

function updateAccounts(tx: Tx, rows: LedgerAccountRow[]): void {
  tx.send(updateAccountsTo, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'currency', 'name', 'debits', 'credits', 'movements', 'touchedAt', 'incoming'),
  ])
}

const markAccount = statement(
  'ledger.mark_limited',
  `update ledger_account set limited = $4
    where lane = $1 and tenant_id = $2 and currency = $3 and name = 'available'`,
)

function markLimited(tx: Tx, tenantId: Uuid, currency: string, limited: boolean): void {
  tx.send(markAccount, [tx.lane, tenantId, currency, limited])
}

const switchAccount = statement(
  'ledger.switch_currency',
  `update ledger_account set switched_on = $4
    where lane = $1 and tenant_id = $2 and currency = $3 and name = 'available'`,
)

type MovementRow = {
  tenantId: Uuid
  id: Uuid
  currency: string
  debit: AccountName
  credit: AccountName
  amount: bigint
  kind: string
  sourceId: Uuid
  reference: string
  entry: bigint | null
  balanceAfter: bigint | null
  createdAt: Date
}

const insertMovementsOf = statement(
  'ledger.insert_movements',
  `insert into ledger_movement
     (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry, balance_after, created_at)
   select $1, v.* from unnest(
     $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::uuid[], $10::text[],
     $11::bigint[], $12::bigint[], $13::timestamptz[]) as v`,
)

function insertMovements(tx: Tx, rows: MovementRow[]): void {
  tx.send(insertMovementsOf, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'id', 'currency', 'debit', 'credit', 'amount'),
    ...arraysOf(rows, 'kind', 'sourceId', 'reference', 'entry', 'balanceAfter', 'createdAt'),
  ])
}

const balancesOf = statement(
  'ledger.balances',
  `select ${columns} from ledger_account
    where lane = $1 and tenant_id = any($2::uuid[]) and name in ('available', 'reserved')
    order by tenant_id, currency, name`,
)

export function readBalances(lane: InLane, tenantIds: Uuid[]): Promise<LedgerAccountRow[]> {
  return lane.query<LedgerAccountRow>(balancesOf, [lane.lane, tenantIds])
}

/**
 * Locks the ledger accounts of the tenants and resolves with what `read` found under the lock. Under this lock, a
 * process decides everything about the tenant and gives its new rows their numbers. Each statement has a snapshot of
 * its own (READ COMMITTED), so a query that is sent after the lock statement sees everything that others committed for
 * these tenants, and reading under the lock costs no extra round trip.
 */
export async function withTenants<T>(
  tx: Tx,
  tenantIds: Iterable<Uuid>,
  read: (tenantIds: Uuid[]) => Promise<T> | T,
): Promise<T> {
  const ids = [...new Set(tenantIds)]
  const locks = bookOf(tx).lock(ids)
  await locks.sent
  const [found] = await Promise.all([read(ids), locks.done])
  return found
}

type Cause = { id: Uuid; reference: string; atMs: number }

const bookKey = Symbol('ledger book')

export async function openBook(tx: Tx, tenantIds: Iterable<Uuid>): Promise<Book> {
  const book = bookOf(tx)
  await book.lock(tenantIds).done
  return book
}

/**
 * Returns the Book of this transaction. Before using a tenant's accounts, the caller must call the Book's `lock` for
 * that tenant.
 */
export function bookOf(tx: Tx): Book {
  return tx.shared(bookKey, () => new Book(tx))
}

/** Creates the empty accounts of a new tenant. The Book of this transaction sees them if it locks the tenant later. */
export function openTenantAccounts(tx: Tx, tenant: Tenant, currency: Currency): void {
  openAccounts(tx, tenant.id, currency, accountNames)
}

export class Book {
  #tx: Tx
  #accounts = new Map<Uuid, LedgerAccountRow[]>()
  #changed = new Set<LedgerAccountRow>()
  #movements: MovementRow[] = []
  #wanted = new Set<Uuid>()
  #locked = new Set<Uuid>()
  #loads: Promise<void>[] = []
  #written = false

  constructor(tx: Tx) {
    this.#tx = tx
    tx.beforeCommit(() => this.#write())
  }

  /**
   * One statement serves all calls of the same turn of the event loop, and locks in sorted order. `sent` resolves when
   * the statement is in the queue of the transaction (platform/db/transaction.ts): queries that the caller adds later
   * see the database as it is once the locks are held.
   */
  lock(tenantIds: Iterable<Uuid>): { sent: Promise<void>; done: Promise<void> } {
    for (const id of tenantIds) if (!this.#locked.has(id)) this.#wanted.add(id)
    const sent = Promise.resolve().then(() => void this.#loads.push(this.#lockWanted()))
    // Rows that an earlier call asked for may still be on their way.
    const done = sent.then(() => Promise.all(this.#loads)).then(() => undefined)
    done.catch(() => undefined) // Callers that await it get the error.
    return { sent, done }
  }

  async #lockWanted(): Promise<void> {
    const tenantIds = [...this.#wanted]
    this.#wanted.clear()
    // Tenants that are already locked are skipped: reading their accounts again would lose what was posted since.
    for (const id of tenantIds) this.#locked.add(id)
    if (tenantIds.length === 0) return
    const rows = await lockAccounts(this.#tx, tenantIds)
    for (const [tenantId, accounts] of Map.groupBy(rows, (row) => row.tenantId)) this.#accounts.set(tenantId, accounts)
  }

  available(tenantId: Uuid, currency: Currency): Money {
    const account = this.#account(tenantId, currency, 'available')
    return toMoney(account.credits - account.debits)
  }

  /**
   * Returns true if all money of the tenant in this currency, with this amount added, would still fit an exact JSON
   * number. The reserved amount counts, because it is returned if its payment fails; the incoming amount counts,
   * because it may arrive.
   */
  hasRoom(tenantId: Uuid, currency: Currency, amount: Money): boolean {
    const available = this.#account(tenantId, currency, 'available')
    const reserved = this.#account(tenantId, currency, 'reserved')
    const held = available.credits - available.debits + reserved.credits - reserved.debits + available.incoming
    return held + amount <= amountMax
  }

  /** Returns true if other limits than the balance apply to outgoing payments in some currency. */
  isLimited(tenantId: Uuid): boolean {
    return this.#accountsOf(tenantId).some(({ name, limited }) => name === 'available' && limited)
  }

  isSwitchedOn(tenantId: Uuid, currency: Currency): boolean {
    return this.#find(tenantId, currency, 'available')?.switchedOn === true
  }

  /** True if the currency was ever switched on. */
  hasCurrency(tenantId: Uuid, currency: Currency): boolean {
    return this.#find(tenantId, currency, 'available') !== undefined
  }

  isInUse(tenantId: Uuid, currency: Currency): boolean {
    const accounts = [this.#account(tenantId, currency, 'available'), this.#account(tenantId, currency, 'reserved')]
    return accounts.some(({ debits, credits, incoming }) => debits !== credits || incoming !== 0n)
  }

  switchCurrency(tenantId: Uuid, currency: Currency, on: boolean): void {
    this.#account(tenantId, currency, 'available').switchedOn = on
    this.#tx.send(switchAccount, [this.#tx.lane, tenantId, currency, on])
  }

  openCurrency(tenantId: Uuid, currency: Currency): void {
    openAccounts(this.#tx, tenantId, currency, accountNames)
    const empty = { debits: 0n, credits: 0n, movements: 0n, touchedAt: new Date(0), incoming: 0n }
    const rows = accountNames.map((name) => ({ tenantId, currency, name, ...empty, limited: false, switchedOn: true }))
    this.#accounts.set(tenantId, [...(this.#accounts.get(tenantId) ?? []), ...rows])
  }

  setLimited(tenantId: Uuid, currency: Currency, limited: boolean): void {
    this.#account(tenantId, currency, 'available').limited = limited
    markLimited(this.#tx, tenantId, currency, limited)
  }

  /** Adds to the incoming amount of this tenant; a negative amount means that some of it arrived or never will. */
  addIncoming(tenantId: Uuid, currency: Currency, amount: Money): void {
    const available = this.#account(tenantId, currency, 'available')
    available.incoming += amount
    this.#changed.add(available)
  }

  /**
   * The time that a change to this tenant gets: now, but never before the last movement of its available balance in any
   * currency, even if the clocks of several processes differ. So times follow the order of ordinals and entries, a list
   * can be searched by time, and `ledger verify` knows which rows can no longer change.
   */
  timeMs(tenantId: Uuid, nowMs: number): number {
    let latestMs = nowMs
    for (const { name, touchedAt } of this.#accountsOf(tenantId))
      if (name === 'available') latestMs = Math.max(latestMs, touchedAt.getTime())
    return latestMs
  }

  /** Callers have checked the balance; overdrawing is a bug, and the database refuses it too. */
  post(tenantId: Uuid, currency: Currency, cause: Cause, postings: Posting[]): void {
    assert(!this.#written, 'something was posted after the book was written')
    for (const posting of postings) {
      const debited = this.#account(tenantId, currency, posting.debit)
      const credited = this.#account(tenantId, currency, posting.credit)
      assert(posting.amount > 0n, `posted amount is ${posting.amount}`)
      debited.debits += posting.amount
      credited.credits += posting.amount
      debited.movements += 1n
      credited.movements += 1n
      reduceTotals(debited)
      reduceTotals(credited)
      this.#changed.add(debited).add(credited)
      const at = new Date(cause.atMs)
      debited.touchedAt = at
      credited.touchedAt = at
      const listed = posting.debit === 'available' ? debited : posting.credit === 'available' ? credited : undefined
      this.#movements.push({
        tenantId,
        id: newUuid(cause.atMs),
        currency,
        debit: posting.debit,
        credit: posting.credit,
        amount: posting.amount,
        kind: posting.kind,
        sourceId: cause.id,
        reference: cause.reference,
        entry: listed?.movements ?? null,
        balanceAfter: listed === undefined ? null : listed.credits - listed.debits,
        createdAt: at,
      })
    }
  }

  #accountsOf(tenantId: Uuid): LedgerAccountRow[] {
    return present(this.#accounts.get(tenantId), `the accounts of ${tenantId} are not locked`)
  }

  #account(tenantId: Uuid, currency: Currency, name: AccountName): LedgerAccountRow {
    return present(this.#find(tenantId, currency, name), `account ${name} of ${tenantId} is not locked`)
  }

  #find(tenantId: Uuid, currency: Currency, name: AccountName): LedgerAccountRow | undefined {
    return this.#accounts.get(tenantId)?.find((account) => account.name === name && account.currency === currency)
  }

  #write(): void {
    this.#written = true
    if (this.#changed.size === 0) return
    if (this.#movements.length > 0) insertMovements(this.#tx, this.#movements)
    updateAccounts(this.#tx, [...this.#changed])
  }
}

/**
 * Money that goes out and comes back adds to the debits and the credits of an account each time. So these totals would
 * overflow a bigint although the balance never does. Long before that, both are reduced by the same amount, which
 * leaves the balance unchanged.
 */
export const totalsReduction = 2n ** 60n

function reduceTotals(account: LedgerAccountRow): void {
  if (account.debits < 2n * totalsReduction || account.credits < 2n * totalsReduction) return
  account.debits -= totalsReduction
  account.credits -= totalsReduction
}
