// A person has a stuck notice looked at once more: its provider answers rightly by now, or its adapter has learned to read it.

import { record } from '#audit/record.ts'
import { environments, type Context, type Environment } from '#base/context.ts'
import { noticeName, type NoticeKey } from './notice.ts'
import { retryNotice } from './sql.ts'

/** `production:acme:` and the digest, as `rails notices` shows it. */
export function parseNoticeName(unchecked: string): NoticeKey | undefined {
  const [, named, rail = '', digest = ''] = /^([a-z]+):([a-z0-9-]+):([0-9a-f]{64})$/.exec(unchecked) ?? []
  const environment = environments.find((one): one is Environment => one === named)
  return environment === undefined ? undefined : { environment, rail, digest: Buffer.from(digest, 'hex') }
}

/** Whether one of this name was stuck. */
export function retryStuckNotice(ctx: Context, key: NoticeKey): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const isRetried = await retryNotice(tx, key, new Date(nowMs))
    if (isRetried) record(tx, nowMs, { by: ctx.by, act: 'notice.retried', subject: noticeName(key) })
    return isRetried
  })
}
