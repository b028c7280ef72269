// A schedule as the page of its draft and the list of schedules show it.

import { isExpired } from '#payouts/drafts.ts'
import type { DraftRow, Schedule, ScheduleRow } from '#payouts/service.ts'
import { formatId } from '#platform/ids.ts'

/** `draft`: the draft that is the schedule. A rejected or expired one keeps its terms, but has no runs. */
export function shownTerms(
  { repeats, monthDay, firstAt, approval, state, nextAt, openRuns }: ScheduleRow & Pick<Schedule, 'openRuns'>,
  draft: Pick<DraftRow, 'status' | 'expiresAt'>,
  nowMs: number,
): Record<string, unknown> {
  return {
    repeats,
    monthDay,
    firstAt: firstAt.toISOString(),
    approval,
    state: draft.status === 'rejected' ? 'rejected' : isExpired(draft, nowMs) ? 'expired' : state,
    nextAt: nextAt?.toISOString() ?? null,
    openRuns: openRuns.map(({ id, status, runAt, heldSince }) => ({
      id: formatId('payoutDraft', id),
      status,
      runAt: runAt.toISOString(),
      heldSince: heldSince?.toISOString() ?? null,
    })),
  }
}
