// Follows the events of a business through the API: `manilla events tail` prints them, `manilla listen` forwards them.
// If the server is away, both wait for it and continue with the next event.

import { setTimeout as delay } from 'node:timers/promises'
import { describeEvent, startForwarding, type ForwardedEvent, type ForwardOptions } from '#cli/forward.ts'
import type { WebhookEvent } from '#sdk/index.ts'
import { explainFailure, isTransient, openApi, type Api, type ProfileOption } from './api.ts'

type SinceOption = {
  /** Also reads the events of this many milliseconds before the start. */
  since?: number
}

const pollEveryMs = 1_000
const pageLimit = 100
/** An event may become visible this long after a later one (docs/webhooks.md), so the feed reads that time again. */
const overlapMs = 10_000

export async function listenRemotely(options: ProfileOption & SinceOption & ForwardOptions): Promise<void> {
  const api = openApi(options)
  const forwarder = startForwarding(options)
  await follow(api, options, {
    signal: forwarder.signal,
    say: forwarder.say,
    warn: forwarder.warn,
    tell: (event) => forwarder.tell({ ...headOf(event), body: JSON.stringify(event) }),
  })
  forwarder.sayEnd()
}

type TailOptions = ProfileOption & SinceOption & { json?: boolean; event?: string }

export async function tailEventsCommand(options: TailOptions): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())
  const warn = (text: string): void => void process.stderr.write(`${text}\n`)
  await follow(openApi(options), options, {
    signal: stopping.signal,
    say: warn,
    warn,
    tell: (event) => {
      if (options.event !== undefined && event.event !== options.event) return
      const line = options.json === true ? JSON.stringify(event) : describeEvent(headOf(event))
      process.stdout.write(`${line}\n`)
    },
  })
}

function headOf({ id, event, reference, createdAt }: WebhookEvent): Omit<ForwardedEvent, 'body'> {
  return { id, event, reference, createdAt: new Date(createdAt) }
}

type Follower = {
  signal: AbortSignal
  say: (text: string) => void
  warn: (text: string) => void
  tell: (event: WebhookEvent) => Promise<void> | void
}

async function follow(api: Api, { since }: SinceOption, follower: Follower): Promise<void> {
  const { signal, say, warn, tell } = follower
  const { baseUrl } = api.manilla
  let feed: EventFeed | undefined
  let isAway = false
  while (!signal.aborted) {
    try {
      if (feed === undefined) {
        feed = await beginFeed(api, since)
        say(`Listening to   ${baseUrl} (press Ctrl-C to end)`)
      }
      const { events, hasMore } = await feed.readNext()
      if (isAway) say('Reconnected; continuing where it stopped.')
      isAway = false
      for (const event of events) if (!signal.aborted) await tell(event)
      if (hasMore) continue
    } catch (error) {
      if (!isTransient(error)) throw explainFailure(error, baseUrl)
      const reason = explainFailure(error, baseUrl)
      if (!isAway) warn(`${reason instanceof Error ? reason.message : String(reason)} Waiting …`)
      isAway = true
    }
    await delay(pollEveryMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Begins at the current time of the server, or `sinceMs` before it, because the clock of this machine may be wrong. */
async function beginFeed(api: Api, sinceMs: number | undefined): Promise<EventFeed> {
  await api.manilla.events.list({ limit: 1 })
  const nowMs = api.serverNow().getTime()
  if (sinceMs !== undefined) return new EventFeed(api, nowMs - sinceMs)
  const feed = new EventFeed(api, nowMs - overlapMs)
  while ((await feed.readNext()).hasMore);
  return feed
}

/** Returns each event once. After a failure, the caller calls again. */
class EventFeed {
  readonly #api: Api
  /** Events before this time are never read again. */
  #floorMs: number
  /** The cursor of the last page, while there are more pages; else the next page begins at the floor. */
  #after: string | undefined
  /** The times of the events seen since the floor, by id. */
  #seen = new Map<string, number>()

  constructor(api: Api, fromMs: number) {
    this.#api = api
    this.#floorMs = fromMs
  }

  async readNext(): Promise<{ events: WebhookEvent[]; hasMore: boolean }> {
    const start = this.#after === undefined ? { from: new Date(this.#floorMs) } : { after: this.#after }
    const page = await this.#api.manilla.events.list({ ...start, limit: pageLimit })
    const events = page.events.filter(({ id }) => !this.#seen.has(id))
    for (const { id, createdAt } of events) this.#seen.set(id, Date.parse(createdAt))
    this.#after = page.hasMore ? (page.cursor ?? undefined) : undefined
    this.#forget()
    return { events, hasMore: page.hasMore }
  }

  #forget(): void {
    const newestMs = Math.max(...this.#seen.values())
    this.#floorMs = Math.max(this.#floorMs, newestMs - overlapMs)
    for (const [id, ms] of this.#seen) if (ms < this.#floorMs) this.#seen.delete(id)
  }
}
