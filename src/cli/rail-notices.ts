// `manilla rails notices`: what providers told and could not be confirmed yet.

import { listNotices } from '#notices/list.ts'
import { noticeName, type OpenState } from '#notices/notice.ts'
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
