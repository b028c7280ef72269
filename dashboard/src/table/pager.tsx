// The range of rows on this page, their total, and links to other pages.

import { countOf } from '#format/ids.ts'
import { Button } from '#ui/button.tsx'
import { Select } from '#ui/field.tsx'
import type { Filters } from './filters.ts'
import { pageSizes } from './search.ts'
import styles from './table.module.css'

export type Pages = { page: number; limit: number; total: number; hasNext: boolean; hasPrev: boolean }

const sizes = pageSizes.map((size) => ({ value: String(size), label: `${size} a page` }))

export function Pager({ pages, filters }: { pages: Pages; filters: Filters }) {
  const { page, limit, total, hasNext, hasPrev } = pages
  const first = (page - 1) * limit + 1
  const turn = (to: number): void =>
    filters.change(
      to === 1
        ? { page: undefined, createdUntil: undefined }
        : { page: String(to), createdUntil: filters.createdUntil },
    )
  return (
    <div className={styles.foot}>
      <span>
        {total <= limit
          ? countOf(total, 'row')
          : `${first}–${Math.min(first + limit - 1, total)} of ${countOf(total, 'row')}`}
      </span>
      <div className={styles.pager}>
        <Select
          isSmall
          aria-label="Rows a page"
          choices={sizes}
          value={String(limit)}
          onChange={(event) => filters.change({ limit: event.target.value })}
        />
        <Button isSmall disabledReason={hasPrev ? undefined : 'This is the first page.'} onClick={() => turn(page - 1)}>
          Previous
        </Button>
        <Button isSmall disabledReason={hasNext ? undefined : 'This is the last page.'} onClick={() => turn(page + 1)}>
          Next
        </Button>
      </div>
    </div>
  )
}
