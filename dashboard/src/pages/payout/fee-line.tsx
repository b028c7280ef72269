// The fee of a payout, before it is sent.

import { useQuery } from '@tanstack/react-query'
import { feeQuery } from '#api/payments.ts'
import { usePlace } from '#shell/place.ts'
import { CostLine } from '#ui/said-line.tsx'
import { useCurrency } from '#ui/values.tsx'
import styles from './payout.module.css'

/** `kobo`: the amount in the minor unit of the form's currency, which need not be naira. */
export function FeeLine({ kobo }: { kobo: number }) {
  const { data, error } = useQuery(feeQuery(usePlace(), kobo, useCurrency()))
  if (error !== null) return <p className={styles.wrong}>{error.message}</p>
  return <CostLine fee={data?.fee ?? null} label="Total with the fee" total={data?.totalDebit ?? null} />
}
