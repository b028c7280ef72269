// When a key was last used, which a user reads before they revoke it.

import { formatAgo } from '#format/time.ts'

const staleMs = 30 * 24 * 3_600_000

export function sayLastUsed(lastUsedAt: string | null, nowMs: number): string {
  if (lastUsedAt === null) return 'Never used'
  const ago = formatAgo(lastUsedAt, nowMs)
  return nowMs - Date.parse(lastUsedAt) > staleMs ? `Not in 30 days (${ago})` : `Used ${ago}`
}
