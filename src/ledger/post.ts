// The only writer of ledger tables. A Book is what one transaction knows of the accounts that it locked: postings
// change it in memory, in order, and leave as two statements (movements, totals) right before the commit. All
// operations that share the transaction share the Book, so an account is locked once and read once.

import { assert, present } from '#base/assert.ts'
import type { Tenant } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import { amountMax, toKobo, type Currency, type Kobo } from '#base/money.ts'
import { accountNames, type AccountName, type Posting } from './chart.ts'
import {
  insertMovements,
  lockAccounts,
  markLimited,
  openAccounts,
  updateAccounts,
  type AccountRow,
  type MovementRow,
} from './sql.ts'

/** What caused a movement, and when. */
export type Cause = { id: Uuid; reference: string; atMs: number }

const bookKey = Symbol('ledger book')

/** The Book of this transaction, with these tenants' accounts locked in it. */
export async function openBook(tx: Tx, tenantIds: Iterable<Uuid>): Promise<Book> {
  const book = bookOf(tx)
  await book.lock(tenantIds).done
  return book
}

/** The Book of this transaction; its caller locks in it. */
export function bookOf(tx: Tx): Book {
  return tx.shared(bookKey, () => new Book(tx))
}

/** A new tenant's accounts, empty, visible to this transaction's Book. */
export function openTenantAccounts(tx: Tx, tenant: Tenant, currency: Currency): void {
  openAccounts(tx, tenant.id, currency, accountNames)
}

export class Book {
  #tx: Tx
  /** A tenant has six of them for each currency. */
  #accounts = new Map<Uuid, AccountRow[]>()
  #changed = new Set<AccountRow>()
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
   * Operations that ask in the same turn are served by one statement, which locks in sorted order. `sent` resolves when
   * it is on the wire: what a caller sends after that sees the database as it is once the locks are held.
   */
  lock(tenantIds: Iterable<Uuid>): { sent: Promise<void>; done: Promise<void> } {
    for (const id of tenantIds) if (!this.#locked.has(id)) this.#wanted.add(id)
    // Whoever comes first in its turn sends for all of them, and leaves nothing to send for the others.
    const sent = Promise.resolve().then(() => void this.#loads.push(this.#lockWanted()))
    // Rows that an earlier call asked for may still be on their way.
    const done = sent.then(() => Promise.all(this.#loads)).then(() => undefined)
    done.catch(() => undefined) // Reported to those who await it.
    return { sent, done }
  }

  async #lockWanted(): Promise<void> {
    const tenantIds = [...this.#wanted]
    this.#wanted.clear()
    // What is locked already may have been posted to: reading it again would forget that.
    for (const id of tenantIds) this.#locked.add(id)
    if (tenantIds.length === 0) return
    const rows = await lockAccounts(this.#tx, tenantIds)
    for (const [tenantId, accounts] of Map.groupBy(rows, (row) => row.tenantId)) this.#accounts.set(tenantId, accounts)
  }

  available(tenantId: Uuid, currency: Currency): Kobo {
    const account = this.#account(tenantId, currency, 'available')
    return toKobo(account.credits - account.debits)
  }

  /**
   * Whether the books would still hold what JSON can show exactly if so much more came. What is reserved counts, because
   * it comes back when its payment fails; so does what is under way, because it may arrive.
   */
  hasRoom(tenantId: Uuid, currency: Currency, amount: Kobo): boolean {
    const available = this.#account(tenantId, currency, 'available')
    const reserved = this.#account(tenantId, currency, 'reserved')
    const held = available.credits - available.debits + reserved.credits - reserved.debits + available.incoming
    return held + amount <= amountMax
  }

  /** Whether other limits than the balance stand against what goes out. */
  isLimited(tenantId: Uuid, currency: Currency): boolean {
    return this.#account(tenantId, currency, 'available').limited
  }

  setLimited(tenantId: Uuid, currency: Currency, limited: boolean): void {
    this.#account(tenantId, currency, 'available').limited = limited
    markLimited(this.#tx, tenantId, currency, limited)
  }

  /** So much more is under way to this tenant; less, when some of it has arrived or never will. */
  addIncoming(tenantId: Uuid, currency: Currency, amount: Kobo): void {
    const available = this.#account(tenantId, currency, 'available')
    available.incoming += amount
    this.#changed.add(available)
  }

  /**
   * The time for what happens to this tenant now: never before what happened to it last, whatever the clocks of several
   * processes say. So times follow the order of ordinals and entries, and a list can be searched by time.
   */
  timeMs(tenantId: Uuid, currency: Currency, nowMs: number): number {
    return Math.max(nowMs, this.#account(tenantId, currency, 'available').touchedAt.getTime())
  }

  /** Callers have checked the balance; a posting that would overdraw is a bug here and refused by the database too. */
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

  #account(tenantId: Uuid, currency: Currency, name: AccountName): AccountRow {
    return present(
      this.#accounts.get(tenantId)?.find((account) => account.name === name && account.currency === currency),
      `account ${name} of ${tenantId} is not locked`,
    )
  }

  #write(): void {
    this.#written = true
    if (this.#changed.size === 0) return
    if (this.#movements.length > 0) insertMovements(this.#tx, this.#movements)
    updateAccounts(this.#tx, [...this.#changed])
  }
}

/**
 * Money that goes out and comes back counts in both totals each time, so that they would leave a bigint though the balance
 * never does. Long before that, both are reduced by the same amount, which leaves the balance as it is.
 */
export const totalsReduction = 2n ** 60n

function reduceTotals(account: AccountRow): void {
  if (account.debits < 2n * totalsReduction || account.credits < 2n * totalsReduction) return
  account.debits -= totalsReduction
  account.credits -= totalsReduction
}
