// How often the service has asked a rail about an unfinished payment, and when it will ask again.

import type { RailCalls } from '#api/payments.ts'
import { useNow } from '#ui/now.ts'
import { Time } from '#ui/values.tsx'

export function NextRailCall({ look: { did, times, nextAt } }: { look: RailCalls }) {
  const nowMs = useNow()
  const verb = did === 'asked' ? 'Asked' : 'Tried'
  const often = times === 0 ? verb : `${verb} ${timesOf(times)}`
  if (nextAt === null) return times === 0 ? null : `${often}.`
  const comma = times === 0 ? '' : ','
  if (Date.parse(nextAt) <= nowMs) return `${often}${comma} next at any moment.`
  return (
    <>
      {often}
      {comma} next at <Time at={nextAt} ago />.
    </>
  )
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
