// The rows of a draft by state, while it is sent and afterwards.

import type { DraftDetail } from '#api/drafts.ts'
import { countOf } from '#format/ids.ts'
import { formatMoney } from '#format/money.ts'
import { lookOf } from '#format/statuses.ts'
import { Row } from '#ui/layout.tsx'
import { Chip } from '#ui/status.tsx'

export function DraftProgress({ draft: { status, progress, schedule, currency } }: { draft: DraftDetail }) {
  if (schedule !== null || (status !== 'approved' && status !== 'done')) return null
  return (
    <div role="status">
      <Row>
        {progress.map(({ outcome, status: state, count, amount }) => {
          const { tone, words } = lookOf(state ?? outcome)
          return (
            <Row key={`${outcome} ${state}`}>
              <Chip tone={outcome === 'refused' ? 'failed' : tone}>{words}</Chip>
              <span>
                {countOf(count, 'payout')}, {formatMoney(amount, currency)}
              </span>
            </Row>
          )
        })}
      </Row>
    </div>
  )
}
