// The last 24 hours of a subscription, one bar for each hour, the present one at the right. Failures hang below the
// line and waiting deliveries are hollow, so that a reader can tell both without colors.

import type { HourOfDeliveries } from '#api/webhooks.ts'
import { formatTime } from '#format/time.ts'
import { useZone } from '#ui/values.tsx'
import { barOf, sayCounts, sumOf } from './day.ts'
import styles from './delivery-strip.module.css'

const [pitch, width, up, down] = [7, 5, 15, 8]

export function DeliveryStrip({ hours, isLarge = false }: { hours: readonly HourOfDeliveries[]; isLarge?: boolean }) {
  const zone = useZone()
  const nowMs = new Date().getTime()
  const most = Math.max(1, ...hours.map(({ total }) => total))
  return (
    <svg
      className={isLarge ? styles.large : styles.strip}
      viewBox={`0 0 ${hours.length * pitch - (pitch - width)} ${up + 1 + down}`}
      role="img"
      aria-label={`Last ${hours.length} hours. ${sayCounts(sumOf(hours))}.`}
    >
      {hours.map((hour, index) => (
        <Hour key={hour.at} hour={hour} x={index * pitch} most={most} title={formatTime(hour.at, zone, nowMs)} />
      ))}
    </svg>
  )
}

type HourProps = { hour: HourOfDeliveries; x: number; most: number; title: string }

function Hour({ hour, x, most, title }: HourProps) {
  const { arrived, waiting, failed } = barOf(hour, most, { up, down })
  return (
    <g>
      <title>{`From ${title}. ${sayCounts(hour)}.`}</title>
      <rect className={styles.line} x={x} y={up} width={width} height={1} />
      <rect className={styles.delivered} x={x} y={up - arrived} width={width} height={arrived} />
      {waiting === 0 ? null : (
        <rect
          className={styles.pending}
          x={x + 0.5}
          y={Math.max(0, up - arrived - waiting) + 0.5}
          width={width - 1}
          height={Math.max(1, waiting - 1)}
        />
      )}
      <rect className={styles.failed} x={x} y={up + 1} width={width} height={failed} />
    </g>
  )
}
