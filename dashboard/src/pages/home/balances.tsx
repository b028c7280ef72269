// The balances of the business.

import { useQuery } from '@tanstack/react-query'
import { balanceQuery } from '#api/statement.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { ErrorState, Skeleton } from '#ui/states.tsx'
import { Figure, Money, useCurrency } from '#ui/values.tsx'
import styles from './home.module.css'

export function Balances() {
  const place = usePlace()
  const shown = useCurrency()
  const refusal = useRefusal('balance.see')
  const { data, error, refetch } = useQuery({ ...balanceQuery(place), enabled: refusal === undefined })
  if (refusal !== undefined) return null
  if (data === undefined && error !== null) return <ErrorState failure={error} onRetry={() => void refetch()} />
  const balance = data?.find(({ currency }) => currency === shown)
  return (
    <div className={styles.sums}>
      <div>
        <div className={styles.label}>Available</div>
        {balance === undefined ? <Skeleton width="160px" /> : <Figure kobo={balance.available} />}
      </div>
      <div>
        <div className={styles.label}>Reserved for payouts under way</div>
        <div className={styles.second}>{balance === undefined ? <Skeleton /> : <Money kobo={balance.reserved} />}</div>
      </div>
      <div>
        <div className={styles.label}>In the ledger</div>
        <div className={styles.second}>{balance === undefined ? <Skeleton /> : <Money kobo={balance.ledger} />}</div>
      </div>
    </div>
  )
}
