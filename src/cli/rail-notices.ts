// `manilla rails notices`: what providers told and could not be confirmed yet, and another look at what is stuck.

import { OperatorError } from '#base/error.ts'
import { listNotices } from '#notices/list.ts'
import { noticeName, type OpenState } from '#notices/notice.ts'
import { parseNoticeName, retryStuckNotice } from '#notices/retry.ts'
import { withContext } from './database.ts'
import { formatTime, table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function listNoticesCommand(output: Output, { state }: { state: OpenState }): Promise<void> {
  const notices = await withContext(readConfig(), output.step, (ctx) => listNotices(ctx, state))
  const named = notices.map(({ environment, rail, digest, ...rest }) => ({
    id: noticeName({ environment, rail, digest }),
    environment,
    rail,
    ...rest,
  }))
  const rows = named.map(({ id, receivedAt, dueAt, tries, why }) => [
    id,
    formatTime(receivedAt),
    String(tries),
    dueAt === null ? '' : formatTime(dueAt),
    why ?? '',
  ])
  const text = table(['notice', 'received', 'tries', 'next', 'why'], rows)
  output.result({ notices: named }, named.length === 0 ? `No notice is ${state}.` : text)
}

export async function retryNoticeCommand(output: Output, name: string): Promise<void> {
  const key = parseNoticeName(name)
  if (key === undefined)
    throw new OperatorError(`${name} is not a notice: it is ENVIRONMENT:RAIL:DIGEST. See: npx manilla rails notices`)
  const isRetried = await withContext(readConfig(), output.step, (ctx) => retryStuckNotice(ctx, key))
  if (!isRetried) throw new OperatorError(`No notice ${name} is stuck. See: npx manilla rails notices`)
  output.result({ notice: name, state: 'new' }, `${name} is looked at once more, within a second or so.`)
}
