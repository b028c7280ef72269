// Lists unfinished notices for operators and retries stuck ones.

import { recordEntry } from '#audit/record.ts'
import { type Context, environments, type Environment } from '#platform/context.ts'
import { type OpenState, noticeName, type NoticeKey } from './notice.ts'
import { findOpenNotices, type ListedNotice, retryNotice } from './queries.ts'

/** One page for an operator; more notices appear when some are done. */
const listedMax = 200

/** The oldest come first. */
export function listNotices({ db }: Context, state: OpenState): Promise<ListedNotice[]> {
  return findOpenNotices(db, state, listedMax)
}

/** Parses `production:acme:` and the digest, as `rails notices` shows it. */
export function parseNoticeName(unchecked: string): NoticeKey | undefined {
  const [, named, rail = '', digest = ''] = /^([a-z]+):([a-z0-9-]+):([0-9a-f]{64})$/.exec(unchecked) ?? []
  const environment = environments.find((one): one is Environment => one === named)
  return environment === undefined ? undefined : { environment, rail, digest: Buffer.from(digest, 'hex') }
}

/**
 * Retries a stuck notice after its provider or its adapter has been fixed. Returns false if no notice of this name is
 * stuck.
 */
export function retryStuckNotice(ctx: Context, key: NoticeKey): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const isRetried = await retryNotice(tx, key, new Date(nowMs))
    if (isRetried) recordEntry(tx, nowMs, { by: ctx.by, act: 'notice.retried', subject: noticeName(key) })
    return isRetried
  })
}
