// A forecast of the scheduled payouts of the next days against the balance.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { forecastQuery, sayRunTime, type Forecast as ForecastData } from '#api/schedules.ts'
import { countOf } from '#format/ids.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { Facts, Section, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { Money, useCurrency } from '#ui/values.tsx'
import styles from './home.module.css'

export function Forecast() {
  const place = usePlace()
  const { data } = useQuery(forecastQuery(place, useCurrency()))
  if (data === undefined || data.long.runs === 0) return null
  return (
    <Section
      title="Scheduled payouts"
      actions={
        <Link to={paths.approvals(place)} search={{ tab: 'scheduled' }}>
          All schedules
        </Link>
      }
    >
      <Stack>
        <div className={styles.sums}>
          {[data.short, data.long].map(({ days, runs, amount }) => (
            <div key={days}>
              <div className={styles.label}>Next {days} days</div>
              <div className={styles.second}>
                <Money kobo={amount} />
              </div>
              <div className={styles.change}>{countOf(runs, 'run')}, fees included</div>
            </div>
          ))}
        </div>
        <Short forecast={data} />
        <Facts
          facts={data.next.map(({ id, title, at, amount }) => [
            `${sayRunTime(at)} in Lagos`,
            <span key={`${id} ${at}`}>
              <Link to={paths.draft(place, id)}>{title}</Link>, <Money kobo={amount} />
            </span>,
          ])}
        />
      </Stack>
    </Section>
  )
}

function Short({ forecast: { available, short, long } }: { forecast: ForecastData }) {
  if (available === null || available >= long.amount) return null
  const span = available < short.amount ? short : long
  return (
    <Notice tone="asks">
      The available balance is less than the scheduled payouts of the next {span.days} days by{' '}
      <Money kobo={span.amount - available} />. Runs that it does not cover wait.
    </Notice>
  )
}
