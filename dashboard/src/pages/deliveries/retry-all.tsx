// Sends all failed deliveries that match the filters again. The dialog shows their number and period first.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deliveriesQuery, retryFailed } from '#api/deliveries.ts'
import { countOf } from '#format/ids.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import type { Filters } from '#table/filters.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { useSay } from '#ui/say.ts'
import { Time } from '#ui/values.tsx'

/** The server retries at most this many deliveries in one call. */
const retriesMax = 10_000
const usualDays = 7
const dayMs = 86_400_000

export function RetryAll({ state }: { state: Filters }) {
  const refusal = useRefusal('webhooks.see', 'writes')
  const [range, setRange] = useState<Range>()
  return (
    <>
      <Button disabledReason={whyNot(state) ?? refusal} onClick={() => setRange(rangeOf(state))}>
        Retry all that failed
      </Button>
      {range === undefined ? null : <AskRetry range={range} state={state} onClose={() => setRange(undefined)} />}
    </>
  )
}

type Range = { from: string; to: string }

/** The range is fixed when the dialog opens, so that the count and the retry are of the same period. */
function rangeOf({ query }: Filters): Range {
  const nowMs = new Date().getTime()
  return {
    from: query.from ?? new Date(nowMs - usualDays * dayMs).toISOString(),
    to: query.to ?? new Date(nowMs).toISOString(),
  }
}

/** The server retries by time, subscription and event. With any other filter it would retry more than is on screen. */
function whyNot({ search }: Filters): string | undefined {
  if (search['codeClass'] !== undefined || search['reference'] !== undefined) {
    return 'A retry is for a period, a subscription and an event. Clear the filters for code and reference first.'
  }
  return search['status'] === undefined || search['status'] === 'failed'
    ? undefined
    : 'Only failed deliveries are retried. Clear the filter for status first.'
}

function AskRetry({ range, state, onClose }: { range: Range; state: Filters; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const { subscription, event } = state.search
  const chosen = {
    ...(subscription === undefined ? {} : { subscription }),
    ...(event === undefined ? {} : { event }),
  }
  const { data } = useQuery(deliveriesQuery(place, { ...chosen, ...range, status: 'failed', page: 1, limit: 1 }))
  const count = data?.pagination?.total
  async function retry(): Promise<void> {
    const queued = await retryFailed(place, {
      ...range,
      ...(subscription === undefined ? {} : { webhookId: subscription }),
      ...(event === undefined ? {} : { event }),
    })
    await refresh()
    say(`${countOf(queued, 'delivery', 'deliveries')} will be sent again`)
  }
  return (
    <Confirm title="Send again what failed?" verb={verbOf(count)} tone="primary" onConfirm={retry} onClose={onClose}>
      {count === undefined ? 'Counting … ' : `${countOf(count, 'delivery', 'deliveries')} failed `}
      between <Time at={range.from} /> and <Time at={range.to} />
      {event === undefined ? '' : `, of ${event}`}
      {subscription === undefined ? '' : ', to the subscription of the filter'}. They are sent at once, the oldest first
      {count !== undefined && count > retriesMax
        ? `; one retry sends ${retriesMax.toLocaleString('en-NG')} at most`
        : ''}
      .
    </Confirm>
  )
}

function verbOf(count: number | undefined): string {
  return count === undefined ? 'Retry failed' : `Retry ${Math.min(count, retriesMax).toLocaleString('en-NG')} failed`
}
