// The fee of a payout, before it is sent.

import { useQuery } from '@tanstack/react-query'
import { feeQuery } from '#api/payments.ts'
import { usePlace } from '#shell/place.ts'
import { CostLine } from '#ui/said-line.tsx'
import { useCurrency } from '#ui/values.tsx'
import styles from './payout.module.css'

/** The amount is in the currency of the form. */
export function FeeLine({ kobo }: { kobo: number }) {
  const { data, error } = useQuery(feeQuery(usePlace(), kobo, useCurrency()))
  if (error !== null) return <p className={styles.wrong}>{error.message}</p>
  // The fee of the previous amount stays until the next answer; it must not be shown beside another amount.
  const isOfThis = data?.amount === kobo
  return (
    <CostLine fee={isOfThis ? data.fee : null} label="Leaves the balance" total={isOfThis ? data.totalDebit : null} />
  )
}
