// The opening and closing balance of a statement, its sums, and why Home shows other sums for the same days.

import { useQuery } from '@tanstack/react-query'
import { figuresQuery } from '#api/home.ts'
import type { Statement } from '#api/statement.ts'
import { usePlace } from '#shell/place.ts'
import { Money, useCurrency, useZone } from '#ui/values.tsx'
import styles from './sums.module.css'

export function StatementSums({ statement }: { statement: Statement }) {
  const sums: [string, number][] = [
    ['Opening balance', statement.opening],
    ['In', statement.sumIn],
    ['Out', statement.sumOut],
    ['Closing balance', statement.closing],
  ]
  return (
    <dl className={styles.strip}>
      {sums.map(([name, kobo]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Money kobo={kobo} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The instants at which the first day begins and the last day ends. */
export type Range = { from: string; to: string }

const dayMs = 86_400_000
/** Home shows no figures for longer periods. */
const daysMax = 100

export function AsOnHome({ range: { from, to } }: { range: Range }) {
  const place = usePlace()
  const zone = useZone()
  const currency = useCurrency()
  const days = (Date.parse(to) - Date.parse(from)) / dayMs
  const { data, isPlaceholderData } = useQuery({
    ...figuresQuery(place, { from, to, by: 'day', zone }, currency),
    enabled: days > 0 && days < daysMax,
  })
  return (
    <>
      <p className={styles.says}>
        In and Out count every movement: a payout leaves with its fee when it is accepted, and comes back in if it fails
        or is returned.
      </p>
      {data === undefined || isPlaceholderData ? null : (
        <p className={styles.says}>
          Home counts these days without fees, and payouts on the day they ended: In{' '}
          <Money kobo={data.totals.in.amount} />, Out <Money kobo={data.totals.out.amount} />, Returned{' '}
          <Money kobo={data.totals.returned.amount} />.
        </p>
      )}
    </>
  )
}
