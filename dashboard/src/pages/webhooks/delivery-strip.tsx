// The latest deliveries of a subscription as a strip, the newest at the right. A failure is half as high, so it is seen
// without its colour.

import { useQuery } from '@tanstack/react-query'
import { deliveriesQuery } from '#api/deliveries.ts'
import { countOf } from '#format/ids.ts'
import styles from './delivery-strip.module.css'
import { usePlace } from '#shell/place.ts'

const marks = 24

export function DeliveryStrip({ subscription }: { subscription: string }) {
  const { data } = useQuery(deliveriesQuery(usePlace(), { subscription, page: 1, limit: marks }))
  const latest = data?.data.deliveries ?? []
  if (latest.length === 0) return <span className={styles.none}>–</span>
  const failed = latest.filter(({ status }) => status === 'failed').length
  return (
    <span
      className={styles.strip}
      role="img"
      aria-label={`${countOf(failed, 'failure')} in the latest ${latest.length}`}
    >
      {latest.toReversed().map(({ id, status }) => (
        <span key={id} className={`${styles.mark} ${styles[status]}`} />
      ))}
    </span>
  )
}
