// The notices service: stores notices of rails before it answers them, and processes them later.

import type { IncomingHttpHeaders } from 'node:http'
import { recordEntry } from '#audit/record.ts'
import { type Context, type Environment, environments } from '#platform/context.ts'
import { dayMs } from '#platform/durations.ts'
import { Unavailable } from '#platform/errors.ts'
import { refreshAtScrape } from '#platform/observability/metrics.ts'
import { constantTimeEqual, type SecretBox, sha256, resealPages, type ResealMode } from '#platform/secrets.ts'
import type { InboundNotices, NoticeAddress } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { InLane } from '#platform/db/db.ts'
import {
  digestOf,
  type RailNoticeKey,
  noticeName,
  noticeOutcomes,
  type OpenState,
  sealBody,
  noticeContext,
} from './notice.ts'
import {
  deleteNotices,
  dropOldBodies,
  findLatestNotices,
  findOldest,
  findOpenNotices,
  insertNotice,
  type LatestNotice,
  type ListedNotice,
  retryNotice,
  findSealed,
  writeResealed,
  type NoticePlace,
} from './queries.ts'
import { type NoticeMeans, createWork, type Work } from './worker.ts'

export type Notices = Work & {
  /**
   * Returns the name of the rail that sends notices to this address. The address is that name, or the name of the
   * rail's entry in RAILS_FILE.
   */
  railAt(environment: Environment, address: string): string | undefined
  isGenuine(posted: PostedNotice): Promise<boolean>
  store(posted: Pick<PostedNotice, 'environment' | 'rail' | 'rawBody'>): Promise<void>
  turnAway(rail: string): void
  /** Drops bodies, and later the rows, of old notices; resolves with how many. */
  prune(): Promise<number>
  onWake(wake: () => void): void
}

/** `bodyDays`: how long an operator can look up a notice's content. */
type NoticesOptions = NoticeMeans & { box: SecretBox; tokenOf: TokenOf; bodyDays: number }

/** No provider repeats a notice for longer, and a repetition changes nothing anyway. */
const digestDays = 365
const prunedAtOnce = 500

export function createNotices(options: NoticesOptions): Notices {
  const { ctx, rails, box, bodyDays } = options
  const railAt: Notices['railAt'] = (environment, rail) => {
    const served = rails.inbound(environment, { rail })
    return served.kind === 'served' ? served.rail : undefined
  }
  let wake = (): void => undefined
  for (const environment of environments) {
    for (const rail of rails.namesOf(environment).filter((name) => railAt(environment, name) !== undefined))
      for (const outcome of noticeOutcomes) ctx.metrics.railNotices.inc({ rail, outcome }, 0)
  }
  exportAge(ctx)
  return {
    ...createWork(options, box),
    railAt,
    isGenuine: (posted) => isGenuine(options, posted),
    async store(posted) {
      if (await storeNotice(options, posted)) wake()
    },
    turnAway: (rail) => ctx.metrics.railNotices.inc({ rail, outcome: 'turned-away' }),
    async prune() {
      const daysAgo = (days: number): Date => new Date(ctx.clock.now() - days * dayMs)
      const emptied = await dropOldBodies(ctx.db, daysAgo(bodyDays), prunedAtOnce)
      return emptied + (await deleteNotices(ctx.db, daysAgo(Math.max(bodyDays, digestDays)), prunedAtOnce))
    },
    onWake: (call) => void (wake = call),
  }
}

const countedMax = 10_000

function exportAge(ctx: Context): void {
  const { railNoticeAge } = ctx.metrics
  async function measure(): Promise<void> {
    const oldest = await findOldest(ctx.db, countedMax)
    railNoticeAge.set(oldest === null ? 0 : Math.max(0, ctx.clock.now() - oldest.getTime()) / 1_000)
  }
  refreshAtScrape(ctx, measure, () => railNoticeAge.reset())
}

export type PostedNotice = {
  environment: Environment
  rail: string
  token: string | undefined
  headers: IncomingHttpHeaders
  rawBody: Buffer
  address: NoticeAddress
}

export type TokenOf = (rail: string) => string | undefined

type NoticeOptions = { ctx: Context; rails: RailRegistry; box: SecretBox; tokenOf: TokenOf }

async function isGenuine({ ctx, rails, tokenOf }: NoticeOptions, posted: PostedNotice): Promise<boolean> {
  const { environment, rail } = posted
  const served = rails.inbound(environment, { rail })
  const isTrue = served.kind === 'served' && (await isTrusted(served.port, tokenOf(rail), posted))
  if (!isTrue) ctx.metrics.railNotices.inc({ rail, outcome: 'forged' })
  return isTrue
}

/**
 * Stores a genuine notice before it is answered and does nothing else: a late answer makes the provider repeat its
 * notices, and an answer before the commit could lose one. Returns false if the same bytes are stored already.
 */
async function storeNotice(
  { ctx, box }: NoticeOptions,
  { environment, rail, rawBody }: Pick<PostedNotice, 'environment' | 'rail' | 'rawBody'>,
): Promise<boolean> {
  await box.requireCurrent()
  const key = { environment, rail, digest: digestOf(rawBody) }
  const isNew = await insertNotice(ctx.db, key, sealBody(box, key, rawBody), new Date(ctx.clock.now()))
  ctx.metrics.railNotices.inc({ rail, outcome: isNew ? 'stored' : 'repeated' })
  return isNew
}

async function isTrusted(port: InboundNotices, expected: string | undefined, posted: PostedNotice): Promise<boolean> {
  const { headers, rawBody, token, address } = posted
  switch (await port.verify(headers, rawBody, address)) {
    case 'genuine':
      return true
    case 'forged':
      return false
    case 'unavailable':
      throw new Unavailable('The keys of this rail could not be read. Send the notice again.')
    case 'unsigned':
      // Hashed, so that not even the length leaks.
      return expected !== undefined && constantTimeEqual(sha256(token ?? ''), sha256(expected))
  }
}

/** One page for an operator. */
const listedMax = 200

/**
 * Reads at most this many notices each of those done, due and stuck, and shows the latest of each rail among them. A
 * rail with only older notices is left out, and the dashboard shows 'None lately' for it.
 */
const latestMax = 1_000

export function listLatestNotices({ db }: Context): Promise<LatestNotice[]> {
  return findLatestNotices(db, latestMax)
}

export function listNotices({ db }: Context, state: OpenState): Promise<ListedNotice[]> {
  return findOpenNotices(db, state, listedMax)
}

export function parseNoticeName(unchecked: string): RailNoticeKey | undefined {
  const [, named, rail = '', digest = ''] = /^([a-z]+):([a-z0-9-]+):([0-9a-f]{64})$/.exec(unchecked) ?? []
  const environment = environments.find((one): one is Environment => one === named)
  return environment === undefined ? undefined : { environment, rail, digest: Buffer.from(digest, 'hex') }
}

/**
 * Retries a stuck notice after its provider or its adapter has been fixed. Returns false if no notice of this name is
 * stuck.
 */
export function retryStuckNotice(ctx: Context, key: RailNoticeKey): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const isRetried = await retryNotice(tx, key, new Date(nowMs))
    if (isRetried) recordEntry(tx, nowMs, { by: ctx.by, act: 'notice.retried', subject: noticeName(key) })
    return isRetried
  })
}

/** Few, because each notice may have 1 MiB. */
const rowsPerPage = 20
const firstLane = 1
const first: NoticePlace = { environment: '', rail: '', digest: Buffer.alloc(0) }

/** Notices have no lane, so the run of the first lane covers them all. */
export async function resealNotices(db: InLane, box: SecretBox, how: ResealMode): Promise<number> {
  if (db.lane !== firstLane) return 0
  return resealPages({
    first,
    rowsPerPage,
    read: (after, limit) => findSealed(db, after, limit),
    changesOf: (row) => {
      const fresh = row.body === null ? undefined : box.reseal(row.body, noticeContext(row))
      return fresh === undefined ? [] : [{ row, fresh }]
    },
    how,
    async write(changes) {
      for (const { row, fresh } of changes) await writeResealed(db, row, fresh)
    },
  })
}
