// The foot of a list that is looked through for what no index knows: how far back it has been looked, and the way on.

import { countOf } from '#format/ids.ts'
import { formatTime } from '#format/time.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/states.tsx'
import { useZone } from '#ui/values.tsx'
import type { Filters } from './filters.ts'
import styles from './table.module.css'

export type Further = { looked: number; next: string | null; lookedBackTo: string | null }

type FurtherProps = { further: Further; filters: Filters }

export function FurtherFoot({ further, filters, found }: FurtherProps & { found: number }) {
  const says = useLooked(further)
  return (
    <div className={styles.foot}>
      <span>
        {countOf(found, 'row')} of {says}
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
          Look further back
        </Button>
      </div>
    </div>
  )
}

/** Nothing among those that were looked through; there are older ones. */
export function NothingSoFar({ further, filters }: FurtherProps) {
  const says = useLooked(further)
  return (
    <EmptyState title="Nothing so far" says={`None of ${says} matches: ${filters.active.join(', ')}.`}>
      <Button onClick={() => filters.change({ behind: further.next ?? undefined })}>Look further back</Button>
      <Button tone="quiet" onClick={filters.clear}>
        Clear filters
      </Button>
    </EmptyState>
  )
}

function useLooked({ looked, lookedBackTo }: Further): string {
  const zone = useZone()
  const many = `${looked.toLocaleString('en')} that were looked through`
  return lookedBackTo === null ? many : `${many}, back to ${formatTime(lookedBackTo, zone, new Date().getTime())}`
}
