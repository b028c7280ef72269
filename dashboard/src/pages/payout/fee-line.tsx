// What a payout costs, before it is sent.

import { useQuery } from '@tanstack/react-query'
import { feeQuery } from '#api/payments.ts'
import { usePlace } from '#shell/place.ts'
import { Money } from '#ui/values.tsx'
import styles from './payout.module.css'

export function FeeLine({ kobo }: { kobo: number }) {
  const { data, error } = useQuery(feeQuery(usePlace(), kobo))
  if (error !== null) return <p className={styles.wrong}>{error.message}</p>
  // The fee of the amount before stays while the next is asked; it must not stand beside another amount.
  const isOfThis = data?.amount === kobo
  return (
    <p className={styles.line} role="status">
      <span>
        Fee <Money kobo={isOfThis ? data.fee : null} />
      </span>
      <span>
        Leaves the balance:{' '}
        <span className={styles.name}>
          <Money kobo={isOfThis ? data.totalDebit : null} />
        </span>
      </span>
    </p>
  )
}
