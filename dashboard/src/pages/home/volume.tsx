// What moved in a period, against the period before. The period is in the address.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { isReasonOfBanks } from '#api/failure-reasons.ts'
import { figuresQuery, type Figures, type Period, type Totals } from '#api/home.ts'
import { countOf } from '#format/ids.ts'
import { sayReason } from '#format/statuses.ts'
import { formatDuration } from '#format/time.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useSearchState } from '#table/filters.ts'
import type { Search } from '#table/search.ts'
import { Select } from '#ui/field.tsx'
import { Section } from '#ui/layout.tsx'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import { Money, useCurrency, useZone } from '#ui/values.tsx'
import { ChartOrTable } from './chart-or-table.tsx'
import styles from './home.module.css'
import { compare, periodOf, periods } from './period.ts'

export function Volume() {
  const place = usePlace()
  const refusal = useRefusal('balance.see')
  const zone = useZone()
  const currency = useCurrency()
  const [search, change] = useSearchState()
  const { listed, ...period } = periodOf(search['period'], zone, new Date().getTime())
  const { data, error, refetch } = useQuery({
    ...figuresQuery(place, period, currency),
    enabled: refusal === undefined,
  })
  if (refusal !== undefined) return null
  return (
    <Section
      title="Volume"
      actions={
        <Select
          isSmall
          aria-label="Period"
          choices={periods}
          value={search['period'] ?? '7d'}
          onChange={(event) => change({ period: event.target.value })}
        />
      }
    >
      {data === undefined && error !== null ? <ErrorState failure={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null ? <SkeletonLines /> : null}
      {data === undefined ? null : <Content figures={data} by={period.by} listed={listed} />}
    </Section>
  )
}

type ContentProps = { figures: Figures; by: Period['by']; listed: Search | undefined }

function Content({ figures, by, listed }: ContentProps) {
  const { totals, before, failureReasons } = figures
  return (
    <>
      <div className={styles.figures}>
        <MoneyFigures totals={totals} before={before} listed={listed} />
        <Rates totals={totals} listed={listed} />
        <Count label="Time to complete" note={sayMost(totals.p95Seconds)}>
          {formatDuration(totals.medianSeconds)}
        </Count>
      </div>
      <ChartOrTable series={figures.series} by={by} />
      {failureReasons.length === 0 ? null : <Reasons reasons={failureReasons} listed={listed} />}
    </>
  )
}

type FiguresProps = { totals: Totals; listed: Search | undefined }

/** The list of payments of one kind and status in the period. */
function useLists(listed: Search | undefined) {
  const to = paths.payments(usePlace())
  return (status: string, tab?: string): List | undefined =>
    listTo(to, listed === undefined ? undefined : { ...listed, status, ...(tab === undefined ? {} : { tab }) })
}

/** Where both banks and wallets were paid, each part has its own list. */
function MoneyFigures({ totals, before, listed }: FiguresProps & { before: Totals }) {
  const place = usePlace()
  const list = useLists(listed)
  const deposits = listed === undefined ? undefined : { ...listed, status: 'SUCCESSFUL' }
  const { out, outByBank } = totals
  const wallets = out.amount - outByBank.amount
  const hasBoth = wallets !== 0 && outByBank.amount !== 0
  const whole = wallets === 0 ? list('SUCCESS') : list('SUCCESS', 'momo-transfers')
  return (
    <>
      <Count
        label="In"
        list={listTo(paths.deposits(place), deposits)}
        note={compare(totals.in.amount, before.in.amount)}
      >
        <Money kobo={totals.in.amount} />
      </Count>
      <Count
        label="Out"
        list={hasBoth ? undefined : whole}
        note={
          hasBoth ? (
            <>
              <Leading list={list('SUCCESS')}>
                Banks <Money kobo={outByBank.amount} />
              </Leading>
              {' · '}
              <Leading list={list('SUCCESS', 'momo-transfers')}>
                Wallets <Money kobo={wallets} />
              </Leading>
            </>
          ) : (
            compare(out.amount, before.out.amount)
          )
        }
      >
        <Money kobo={out.amount} />
      </Count>
      <Count
        label="Returned"
        list={list('REVERSED')}
        note={totals.returned.count === 0 ? 'No payout came back' : countOf(totals.returned.count, 'payout')}
      >
        <Money kobo={totals.returned.amount} />
      </Count>
    </>
  )
}

function Rates({ totals, listed }: FiguresProps) {
  const list = useLists(listed)
  const { succeeded, failed, returned, successRate, collections } = totals
  const asked = collections.succeeded + collections.failed
  return (
    <>
      <Count
        label="Success rate of payouts"
        note={
          <>
            {succeeded} of {succeeded + failed + returned.count},{' '}
            <Leading list={list('FAILED')}>{failed} failed</Leading>
          </>
        }
      >
        {successRate === null ? '–' : `${(successRate * 100).toFixed(1)}%`}
      </Count>
      {asked === 0 ? null : (
        <Count
          label="Collections paid"
          list={list('SUCCESS', 'collections')}
          note={<Leading list={list('FAILED', 'collections')}>{collections.failed} failed</Leading>}
        >
          {collections.succeeded} of {asked}
        </Count>
      )}
    </>
  )
}

type List = { to: string; search: Search }

function listTo(to: string, search: Search | undefined): List | undefined {
  return search === undefined ? undefined : { to, search }
}

type ReasonsProps = { reasons: Figures['failureReasons']; listed: Search | undefined }

function Reasons({ reasons, listed }: ReasonsProps) {
  const to = paths.payments(usePlace())
  const listOf = (failureReason: string): List | undefined => {
    const tab: Search = isReasonOfBanks(failureReason) ? {} : { tab: 'momo-transfers' }
    return listTo(to, listed === undefined ? undefined : { ...listed, ...tab, failureReason })
  }
  return (
    <div className={styles.failures}>
      <h3>Why payments failed</h3>
      <dl className={styles.reasons}>
        {reasons.map(({ reason, count }) => (
          <Fragment key={reason}>
            <dt>
              <Leading list={listOf(reason)}>{sayReason(reason)}</Leading>
            </dt>
            <dd>{count}</dd>
          </Fragment>
        ))}
      </dl>
    </div>
  )
}

function Leading({ list, children }: { list: List | undefined; children: ReactNode }) {
  return list === undefined ? children : <Link {...list}>{children}</Link>
}

/** Leads to the list that it counts, where there is one. */
type CountProps = { label: string; note: ReactNode; list?: List | undefined; children: ReactNode }

function Count({ label, note, list, children }: CountProps) {
  return (
    <div>
      <div className={styles.label}>
        <Leading list={list}>{label}</Leading>
      </div>
      <div className={styles.second}>{children}</div>
      <div className={styles.change}>{note}</div>
    </div>
  )
}

function sayMost(p95Seconds: number | null): string {
  return p95Seconds === null ? 'nothing has ended' : `95 of 100 within ${formatDuration(p95Seconds)}`
}
