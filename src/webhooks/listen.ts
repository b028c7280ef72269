// Listening along: every event of a tenant, in the order in which they happened, also those that no subscription
// names. It remembers where it is, not how it got there: its database may go away and come back.
//
// A commit may become visible after a later one, so each look begins a little before the newest event seen, and what
// was seen before is left out. Both the time and the memory have a limit; beyond them an event counts as seen.

import type { Tenant } from '#base/context.ts'
import type { Queryable } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import { findNewestEvent, listEventKeys, readEvents, type EventKey, type EventText } from './sql-listen.ts'

export type Heard = {
  events: EventText[]
  /** There may be more already; otherwise wait a moment. */
  more: boolean
}

export type Listener = {
  tenant: Tenant
  /** What came since the last time; it will not be told again. After a failure, simply ask again. */
  hear(db: Queryable): Promise<Heard>
}

const limits = {
  /** Longer than a transaction lives between choosing its time and its commit. */
  overlapMs: 10_000,
  rememberedMax: 20_000,
  keysPerPage: 1_000,
  eventsPerHearing: 50,
}

export type ListenLimits = typeof limits

/** Everything from this moment on, by the clock of the process that wrote it. */
export function listenSince(tenant: Tenant, since: Date, changes: Partial<ListenLimits> = {}): Listener {
  return new ListenerInTime(tenant, { createdAt: since, id: firstUuid }, { ...limits, ...changes })
}

/** Everything that is not there yet. No clock is asked, so it does not matter whether two of them agree. */
export async function listenFromNow(
  db: Queryable,
  tenant: Tenant,
  changes: Partial<ListenLimits> = {},
): Promise<Listener> {
  const { overlapMs } = { ...limits, ...changes }
  const newest = await findNewestEvent(db, tenant)
  const beginMs = newest === undefined ? 0 : newest.createdAt.getTime() - overlapMs
  const listener = new ListenerInTime(
    tenant,
    { createdAt: new Date(beginMs), id: firstUuid },
    { ...limits, ...changes },
  )
  while (await listener.passOver(db));
  return listener
}

class ListenerInTime implements Listener {
  readonly tenant: Tenant
  readonly #limits: ListenLimits
  /** What lies up to here is never looked at again. */
  #floor: EventKey
  /** How far this look has come. Undefined: the next one begins at the floor. */
  #reached: EventKey | undefined
  /** All seen above the floor, in order. */
  #seen: EventKey[] = []
  #seenIds = new Set<Uuid>()

  constructor(tenant: Tenant, floor: EventKey, given: ListenLimits) {
    this.tenant = tenant
    this.#floor = floor
    this.#limits = given
  }

  async hear(db: Queryable): Promise<Heard> {
    const { page, unseen } = await this.#look(db)
    const keys = unseen.slice(0, this.#limits.eventsPerHearing)
    const events = keys.length === 0 ? [] : await readEvents(db, this.tenant, keys)
    const cut = keys.length < unseen.length
    return { events, more: this.#note(keys, cut ? keys.at(-1) : page.at(-1), cut || this.#isFull(page)) }
  }

  /** Says whether there may be more. */
  async passOver(db: Queryable): Promise<boolean> {
    const { page, unseen } = await this.#look(db)
    return this.#note(unseen, page.at(-1), this.#isFull(page))
  }

  async #look(db: Queryable): Promise<{ page: EventKey[]; unseen: EventKey[] }> {
    const after = this.#reached ?? this.#floor
    const page = await listEventKeys(db, this.tenant, { after, limit: this.#limits.keysPerPage })
    return { page, unseen: page.filter((key) => !this.#seenIds.has(key.id)) }
  }

  #isFull(page: EventKey[]): boolean {
    return page.length === this.#limits.keysPerPage
  }

  #note(keys: EventKey[], reached: EventKey | undefined, more: boolean): boolean {
    this.#reached = more ? reached : undefined
    if (keys.length === 0) return more
    for (const key of keys) this.#seenIds.add(key.id)
    this.#seen = [...this.#seen, ...keys].toSorted(inTime)
    this.#forget()
    return more
  }

  #forget(): void {
    const newestMs = this.#seen.at(-1)?.createdAt.getTime() ?? 0
    const tooOld = this.#seen.findIndex((key) => key.createdAt.getTime() >= newestMs - this.#limits.overlapMs)
    const forgotten = this.#seen.splice(0, Math.max(tooOld, this.#seen.length - this.#limits.rememberedMax))
    for (const key of forgotten) this.#seenIds.delete(key.id)
    this.#floor = forgotten.at(-1) ?? this.#floor
  }
}

function inTime(left: EventKey, right: EventKey): number {
  const apart = left.createdAt.getTime() - right.createdAt.getTime()
  return apart === 0 ? (left.id < right.id ? -1 : 1) : apart
}
