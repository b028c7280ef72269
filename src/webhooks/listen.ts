// Reads a tenant's events in the order in which they happened for `GET /v1/events` and `manilla listen`.
//
// The index event_by_time is partial (`created_at is not null`), so each statement has a condition on the column. It cannot be
// `is not null`: the planner drops that, because the column is never null, and then reads and sorts all events of the tenant.

import { payloadOf } from '#events/payload.ts'
import { secretContext, headersOf, signingKey } from '#events/signature.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { arrayOf, statement, type Queryable } from '#platform/db/db.ts'
import { type Uuid, formatId, firstUuid } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { LogDetail } from './log.ts'
import { findSubscription } from './subscriptions.ts'

export type EventKey = { createdAt: Date; id: Uuid }

const newestKey = statement(
  'listen.newest',
  `select created_at as "createdAt", id from event
    where lane = $1 and tenant_id = $2 and created_at > '-infinity' order by created_at desc, id desc limit 1`,
)

async function findNewestEvent(db: Queryable, tenant: Tenant): Promise<EventKey | undefined> {
  return (await db.query<EventKey>(newestKey, [tenant.lane, tenant.id]))[0]
}

// Reads keys from the index alone, because a listener has seen most of these events and needs the text of new ones
// only.
const keysAfter = statement(
  'listen.keys_after',
  `select created_at as "createdAt", id from event
    where lane = $1 and tenant_id = $2 and created_at >= $3::timestamptz and (created_at, id) > ($3::timestamptz, $4::uuid)
    order by created_at, id limit $5`,
)

function listEventKeys(
  db: Queryable,
  tenant: Tenant,
  { after, limit }: { after: EventKey; limit: number },
): Promise<EventKey[]> {
  return db.query(keysAfter, [tenant.lane, tenant.id, after.createdAt, after.id, limit])
}

type EventText = { id: Uuid; name: string; reference: string; createdAt: Date; data: string }

const textsOf = statement(
  'listen.texts',
  `select e.id, e.name, e.reference, e.created_at as "createdAt", e.data
     from unnest($3::timestamptz[], $4::uuid[]) as k (created_at, id)
     cross join lateral (
       select id, name, reference, created_at, data from event
        where lane = $1 and tenant_id = $2 and created_at = k.created_at and id = k.id limit 1) as e
    order by e.created_at, e.id`,
)

function readEvents(db: Queryable, tenant: Tenant, keys: EventKey[]): Promise<EventText[]> {
  const at = arrayOf(keys, (key) => key.createdAt)
  return db.query<EventText>(textsOf, [tenant.lane, tenant.id, at, arrayOf(keys, (key) => key.id)])
}

export type EventPage = {
  /** The payloads that a webhook would send, but with the id of the event instead of the id of a delivery. */
  payloads: string[]
  last: EventKey | undefined
  hasMore: boolean
}

type PageStart = { after: EventKey | undefined; from: Date | undefined; limit: number }

export type ReadEvents = (tenant: Tenant, start: PageStart) => Promise<EventPage>

export function createReadEvents({ ctx }: { ctx: Context }): ReadEvents {
  return async (tenant, { after, from, limit }) => {
    const start = after ?? { createdAt: from ?? new Date(0), id: firstUuid }
    const found = await listEventKeys(ctx.db, tenant, { after: start, limit: limit + 1 })
    const keys = found.slice(0, limit)
    const events = keys.length === 0 ? [] : await readEvents(ctx.db, tenant, keys)
    const { environment } = tenant
    return {
      payloads: events.map((event) => payloadOf({ ...event, event: event.name, environment })),
      last: keys.at(-1),
      hasMore: found.length > keys.length,
    }
  }
}

type SignedRequest = { url: string; headers: Record<string, string>; body: string; curl: string; secretHint: string }

/**
 * A delivery as a request that a developer can send again: the same body, signed now with the current secret of its
 * subscription. Undefined if the subscription was deleted, because its secret is deleted too.
 */
export type SignAgain = (tenant: Tenant, detail: LogDetail) => Promise<SignedRequest | undefined>

export function createSignAgain({ ctx, box }: { ctx: Context; box: SecretBox }): SignAgain {
  return async (tenant, { record, payload }) => {
    const subscription = await findSubscription(ctx.db, tenant, record.subscriptionId)
    if (subscription === undefined || subscription.secret === null) return undefined
    const { id, url, secret, secretHint } = subscription
    const headers = headersOf({
      id: formatId('event', record.id),
      event: record.event,
      attempt: Math.max(1, record.attempts),
      unixSeconds: Math.floor(ctx.clock.now() / 1_000),
      body: Buffer.from(payload, 'utf8'),
      keys: [signingKey(box.open(secret, secretContext(id)))],
    })
    return { url, headers, body: payload, curl: curlOf({ url, headers, body: payload }), secretHint }
  }
}

/** Quotes each part, so that a shell treats any payload as plain text. */
function curlOf({ url, headers, body }: Pick<SignedRequest, 'url' | 'headers' | 'body'>): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return ['curl -X POST', quoted(url), ...lines, `--data-binary ${quoted(body)}`].join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

// A listener reads every event of a tenant, also events that no subscription names. The object itself keeps the
// position, not the database session, so it goes on after a reconnection.
//
// A transaction may commit after a later one, so each query begins a little before the newest event seen, and skips the
// events seen before. The overlap and the number of remembered events are limited, so an event that commits too late is
// never read.

type EventBatch = {
  events: EventText[]
  /** True if more events may be waiting; otherwise the caller pauses. */
  more: boolean
}

export type Listener = {
  tenant: Tenant
  /** Returns each event once. After a failure, the caller calls again. */
  readNext(db: Queryable): Promise<EventBatch>
}

const limits = {
  /** Longer than the time from when a transaction dates its event to when it commits. */
  overlapMs: 10_000,
  rememberedMax: 20_000,
  keysPerPage: 1_000,
  eventsPerRead: 50,
}

type ListenLimits = typeof limits

/** Returns a listener for every event from this time on, by the clock of the process that wrote the event. */
export function listenSince(tenant: Tenant, since: Date, changes: Partial<ListenLimits> = {}): Listener {
  return new EventListener(tenant, { createdAt: since, id: firstUuid }, { ...limits, ...changes })
}

/** Returns a listener for every event that is not stored yet. It uses no clock, so clocks may disagree. */
export async function listenFromNow(
  db: Queryable,
  tenant: Tenant,
  changes: Partial<ListenLimits> = {},
): Promise<Listener> {
  const { overlapMs } = { ...limits, ...changes }
  const newest = await findNewestEvent(db, tenant)
  const beginMs = newest === undefined ? 0 : newest.createdAt.getTime() - overlapMs
  const listener = new EventListener(tenant, { createdAt: new Date(beginMs), id: firstUuid }, { ...limits, ...changes })
  while (await listener.passOver(db));
  return listener
}

class EventListener implements Listener {
  readonly tenant: Tenant
  readonly #limits: ListenLimits
  /** Events up to this one are never read again. */
  #floor: EventKey
  /** The last event of the pages read so far. Undefined: the next query begins at the floor. */
  #reached: EventKey | undefined
  /** All events seen above the floor, in order. */
  #seen: EventKey[] = []
  #seenIds = new Set<Uuid>()

  constructor(tenant: Tenant, floor: EventKey, given: ListenLimits) {
    this.tenant = tenant
    this.#floor = floor
    this.#limits = given
  }

  async readNext(db: Queryable): Promise<EventBatch> {
    const { page, unseen } = await this.#readPage(db)
    const keys = unseen.slice(0, this.#limits.eventsPerRead)
    const events = keys.length === 0 ? [] : await readEvents(db, this.tenant, keys)
    const cut = keys.length < unseen.length
    return { events, more: this.#remember(keys, cut ? keys.at(-1) : page.at(-1), cut || this.#isFull(page)) }
  }

  /** Marks the next page of events as seen. Returns true if there may be more. */
  async passOver(db: Queryable): Promise<boolean> {
    const { page, unseen } = await this.#readPage(db)
    return this.#remember(unseen, page.at(-1), this.#isFull(page))
  }

  async #readPage(db: Queryable): Promise<{ page: EventKey[]; unseen: EventKey[] }> {
    const after = this.#reached ?? this.#floor
    const page = await listEventKeys(db, this.tenant, { after, limit: this.#limits.keysPerPage })
    return { page, unseen: page.filter((key) => !this.#seenIds.has(key.id)) }
  }

  #isFull(page: EventKey[]): boolean {
    return page.length === this.#limits.keysPerPage
  }

  #remember(keys: EventKey[], reached: EventKey | undefined, more: boolean): boolean {
    this.#reached = more ? reached : undefined
    if (keys.length === 0) return more
    for (const key of keys) this.#seenIds.add(key.id)
    this.#seen = [...this.#seen, ...keys].toSorted(inTime)
    this.#forgetOld()
    return more
  }

  #forgetOld(): void {
    const newestMs = this.#seen.at(-1)?.createdAt.getTime() ?? 0
    const tooOldCount = this.#seen.findIndex((key) => key.createdAt.getTime() >= newestMs - this.#limits.overlapMs)
    const forgotten = this.#seen.splice(0, Math.max(tooOldCount, this.#seen.length - this.#limits.rememberedMax))
    for (const key of forgotten) this.#seenIds.delete(key.id)
    this.#floor = forgotten.at(-1) ?? this.#floor
  }
}

function inTime(left: EventKey, right: EventKey): number {
  const apart = left.createdAt.getTime() - right.createdAt.getTime()
  return apart === 0 ? (left.id < right.id ? -1 : 1) : apart
}
