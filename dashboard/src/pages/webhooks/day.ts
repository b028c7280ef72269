// A day of deliveries, in words and as bars: delivered ones above the line, others below it.

import type { HourOfDeliveries } from '#api/webhooks.ts'
import { countOf } from '#format/ids.ts'

export type DeliveryCounts = Pick<HourOfDeliveries, 'total' | 'delivered' | 'failed' | 'pending'>

export function sumOf(hours: readonly DeliveryCounts[]): DeliveryCounts {
  const sum = { total: 0, delivered: 0, failed: 0, pending: 0 }
  for (const hour of hours) {
    sum.total += hour.total
    sum.delivered += hour.delivered
    sum.failed += hour.failed
    sum.pending += hour.pending
  }
  return sum
}

/**
 * `1,204 deliveries: 1,200 delivered, 3 failed, 1 waits`. If only a part of them was counted by status, the text adds
 * how many.
 */
export function sayCounts({ total, delivered, failed, pending }: DeliveryCounts): string {
  if (total === 0) return 'No deliveries'
  const number = (count: number): string => count.toLocaleString('en-NG')
  const counted = delivered + failed + pending
  const of = counted < total ? `; of ${number(counted)} sampled` : ''
  const parts = [`${number(delivered)} delivered`, `${number(failed)} failed`]
  if (pending > 0) parts.push(`${number(pending)} ${pending === 1 ? 'waits' : 'wait'}`)
  return `${countOf(total, 'delivery', 'deliveries')}${of}: ${parts.join(', ')}`
}

export type Bar = { arrived: number; waiting: number; failed: number }

/** Heights of an hour's bars, in pixels. A state with any delivery is visible, however few they are. */
export function barOf(
  { total, delivered, failed, pending }: DeliveryCounts,
  most: number,
  heights: { up: number; down: number },
): Bar {
  const counted = Math.max(1, delivered + failed + pending)
  const height = (count: number, room: number): number =>
    count === 0 ? 0 : Math.max(2, Math.round((count / counted) * (total / most) * room))
  return {
    arrived: height(delivered, heights.up),
    waiting: height(pending, heights.up),
    failed: height(failed, heights.down),
  }
}
