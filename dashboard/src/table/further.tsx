// The foot of a list that is searched without an index: how far back the search has come, and a button to go on.

import { Fragment } from 'react'
import { countOf, formatCount } from '#format/ids.ts'
import { formatMoney, type Currency } from '#format/money.ts'
import { formatTime } from '#format/time.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/states.tsx'
import { useZone } from '#ui/values.tsx'
import type { Filters } from './filters.ts'
import styles from './table.module.css'

export type Further = {
  looked: number
  next: string | null
  lookedBackTo: string | null
  /** Counts the rows of earlier pages too. */
  found?: number
  /** The number and the sum of all matching rows, if they are known. */
  total?: number | null
  sums?: { currency: Currency; amount: number }[]
}

type FurtherProps = { further: Further; filters: Filters }

export function FurtherFoot({ further, filters, found }: FurtherProps & { found: number }) {
  const says = useProgressText(further)
  const { total = null, found: last = found } = further
  return (
    <div className={styles.foot}>
      <span>
        {total === null
          ? `${countOf(found, 'row')} of ${says}`
          : sayRows(last - found + 1, last, Math.max(total, last))}
      </span>
      <div className={styles.pager}>
        {filters.search['behind'] === undefined ? null : (
          <Button isSmall onClick={() => filters.change({ behind: undefined })}>
            Back to the latest
          </Button>
        )}
        <Button
          isSmall
          disabledReason={further.next === null ? 'There are no older ones.' : undefined}
          onClick={() => filters.change({ behind: further.next ?? undefined })}
        >
          {total === null ? 'Look further back' : 'Next'}
        </Button>
      </div>
    </div>
  )
}

function sayRows(first: number, last: number, total: number): string {
  return first === 1 && last === total ? countOf(total, 'row') : `${first}–${last} of ${countOf(total, 'row')}`
}

/** The sums of all rows of the list, on every page of it. */
export function FurtherSum({ further: { total = null, sums = [] } }: { further: Further }) {
  if (total === null || sums.length === 0) return null
  return (
    <p className={styles.sum}>
      {countOf(total, 'row')},{' '}
      {sums.map(({ currency, amount }, index) => (
        <Fragment key={currency}>
          {index === 0 ? '' : ' and '}
          <strong>{formatMoney(amount, currency)}</strong>
        </Fragment>
      ))}{' '}
      in all
    </p>
  )
}

/** The search has found nothing yet, and there are older rows. */
export function NothingSoFar({ further, filters }: FurtherProps) {
  const says = useProgressText(further)
  return (
    <EmptyState title="Nothing so far" says={`None of ${says} matches: ${filters.active.join(', ')}.`}>
      <Button onClick={() => filters.change({ behind: further.next ?? undefined })}>Look further back</Button>
      <Button tone="quiet" onClick={filters.clear}>
        Clear filters
      </Button>
    </EmptyState>
  )
}

function useProgressText({ looked, lookedBackTo }: Further): string {
  const zone = useZone()
  const many = `${formatCount(looked)} that were searched`
  return lookedBackTo === null ? many : `${many}, back to ${formatTime(lookedBackTo, zone, new Date().getTime())}`
}
