// The volume of a period, against the period before. The period is in the address.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { figuresQuery, type Figures, type Period, type Totals } from '#api/home.ts'
import type { PaymentNoun } from '#api/payments.ts'
import { countOf, formatCount } from '#format/ids.ts'
import { sayReason } from '#format/statuses.ts'
import { formatDuration } from '#format/time.ts'
import { useCurrencies } from '#shell/currency-switch.tsx'
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

type Listed = { endedFrom: string; endedTo: string }
type ContentProps = { figures: Figures; by: Period['by']; listed: Listed }

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

type FiguresProps = { totals: Totals; listed: Listed }

/** Links to the lists of payments that ended in the period, in the currency on screen. */
function useLists(listed: Listed) {
  const place = usePlace()
  const currency = useCurrency()
  const mine = useCurrencies().length > 1 ? { ...listed, currency } : listed
  return {
    payments: (noun: PaymentNoun, search: Search): List => ({
      to: paths.payments(place),
      search: noun === 'transfers' ? { ...listed, ...search } : { ...mine, ...search, tab: noun },
    }),
    deposits: { to: paths.deposits(place), search: { ...mine, status: 'SUCCESSFUL' } },
  }
}

type Sum = Totals['out']
type SplitProps = { label: string; status: string; whole: Sum; byBank: Sum; note: ReactNode; listed: Listed }

/**
 * A figure of payouts, which links to their list. If there are payouts to both banks and wallets, each of the two parts
 * links to its own list.
 */
function Split({ label, status, whole, byBank, note, listed }: SplitProps) {
  const { payments } = useLists(listed)
  const [banks, wallets] = [payments('transfers', { status }), payments('momo-transfers', { status })]
  const toWallets = whole.amount - byBank.amount
  const hasBoth = byBank.count > 0 && whole.count > byBank.count
  const list = byBank.count === 0 && whole.count > 0 ? wallets : banks
  const parts = (
    <>
      <Link {...banks}>
        Banks <Money kobo={byBank.amount} />
      </Link>
      {' · '}
      <Link {...wallets}>
        Wallets <Money kobo={toWallets} />
      </Link>
    </>
  )
  return (
    <Count label={label} list={hasBoth ? undefined : list} note={hasBoth ? parts : note}>
      <Money kobo={whole.amount} />
    </Count>
  )
}

function MoneyFigures({ totals, before, listed }: FiguresProps & { before: Totals }) {
  const { deposits } = useLists(listed)
  const { out, outByBank, returned, returnedByBank } = totals
  return (
    <>
      <Count label="In" list={deposits} note={compare(totals.in.amount, before.in.amount)}>
        <Money kobo={totals.in.amount} />
      </Count>
      <Split
        label="Out"
        status="SUCCESS"
        whole={out}
        byBank={outByBank}
        note={compare(out.amount, before.out.amount)}
        listed={listed}
      />
      <Split
        label="Returned"
        status="REVERSED"
        whole={returned}
        byBank={returnedByBank}
        note={returned.count === 0 ? 'No payout came back' : countOf(returned.count, 'payout')}
        listed={listed}
      />
    </>
  )
}

function Rates({ totals, listed }: FiguresProps) {
  const { payments } = useLists(listed)
  const { out, returned, failed, successRate, collections } = totals
  const asked = collections.succeeded + collections.failed
  return (
    <>
      <Count
        label="Success rate of payouts"
        note={
          <>
            {formatCount(out.count)} of {formatCount(out.count + failed + returned.count)},{' '}
            <Failed totals={totals} listed={listed} />
          </>
        }
      >
        {successRate === null ? '–' : `${(successRate * 100).toFixed(1)}%`}
      </Count>
      {asked === 0 ? null : (
        <Count
          label="Collections paid"
          list={payments('collections', { status: 'SUCCESS' })}
          note={
            <Link {...payments('collections', { status: 'FAILED' })}>{formatCount(collections.failed)} failed</Link>
          }
        >
          {formatCount(collections.succeeded)} of {formatCount(asked)}
        </Count>
      )}
    </>
  )
}

function Failed({ totals: { failed, failedByBank }, listed }: FiguresProps) {
  const { payments } = useLists(listed)
  const [banks, wallets] = (['transfers', 'momo-transfers'] as const).map((noun) =>
    payments(noun, { status: 'FAILED' }),
  )
  const toWallets = failed - failedByBank
  if (failedByBank === 0 && toWallets > 0) return <Leading list={wallets}>{formatCount(toWallets)} failed</Leading>
  if (toWallets === 0) return <Leading list={banks}>{formatCount(failedByBank)} failed</Leading>
  return (
    <>
      failed: <Leading list={banks}>{formatCount(failedByBank)} to banks</Leading>,{' '}
      <Leading list={wallets}>{formatCount(toWallets)} to wallets</Leading>
    </>
  )
}

type List = { to: string; search: Search }

type ReasonsProps = { reasons: Figures['failureReasons']; listed: Listed }

const kindNames = { transfers: 'bank', 'momo-transfers': 'wallet', collections: 'collection' }

/** A reason that several kinds of payments have in common has one row for each kind. */
function Reasons({ reasons, listed }: ReasonsProps) {
  const { payments } = useLists(listed)
  const isShared = (reason: string): boolean => reasons.filter((other) => other.reason === reason).length > 1
  return (
    <div className={styles.failures}>
      <h3>Why payments failed</h3>
      <dl className={styles.reasons}>
        {reasons.map(({ noun, reason, count }) => (
          <Fragment key={`${noun} ${reason}`}>
            <dt>
              <Link {...payments(noun, { failureReason: reason })}>
                {sayReason(reason)}
                {isShared(reason) ? ` (${kindNames[noun]})` : ''}
              </Link>
            </dt>
            <dd>{formatCount(count)}</dd>
          </Fragment>
        ))}
      </dl>
    </div>
  )
}

function Leading({ list, children }: { list: List | undefined; children: ReactNode }) {
  return list === undefined ? children : <Link {...list}>{children}</Link>
}

/** `list`: the list of what the figure counts; the label links to it. */
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
