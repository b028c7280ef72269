// Rows that a person selected with x, for actions on many. Rows that leave the page leave the selection.

import { useState, type ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { useKeys } from '#ui/keys.ts'
import { useCopyReferences } from './row-keys.ts'
import styles from './table.module.css'

export type Selection<Row> = {
  rows: readonly Row[]
  has: (row: Row) => boolean
  toggle: (row: Row) => void
  clear: () => void
}

const nothing: ReadonlySet<string> = new Set()

export function useSelection<Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string): Selection<Row> {
  const [keys, setKeys] = useState(nothing)
  const has = (row: Row): boolean => keys.has(keyOf(row))
  return {
    rows: (rows ?? []).filter(has),
    has,
    toggle: (row) => setKeys((chosen) => without(chosen, keyOf(row)) ?? new Set([...chosen, keyOf(row)])),
    clear: () => setKeys(nothing),
  }
}

function without(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> | undefined {
  return chosen.has(key) ? new Set([...chosen].filter((other) => other !== key)) : undefined
}

type SelectionBarProps<Row> = {
  selection: Selection<Row>
  actionsOf?: ((rows: readonly Row[]) => ReactNode) | undefined
}

/**
 * The element exists before anything is selected, because a screen reader reports a change in an element, but not a new
 * element.
 */
export function SelectionBar<Row>({ selection, actionsOf }: SelectionBarProps<Row>) {
  const { rows, clear } = selection
  return (
    <>
      <div role="status" className="only-read">
        {rows.length === 0 ? '' : `${rows.length} selected`}
      </div>
      {rows.length === 0 ? null : <Chosen count={rows.length} clear={clear} actions={actionsOf?.(rows)} />}
    </>
  )
}

function Chosen({ count, clear, actions }: { count: number; clear: () => void; actions: ReactNode }) {
  const { copyReferences, byHand } = useCopyReferences()
  useKeys({ Escape: clear })
  return (
    <div className={styles.selection}>
      <strong aria-hidden>{count} selected</strong>
      {actions}
      <Button isSmall onClick={() => void copyReferences()}>
        Copy references
      </Button>
      <Button isSmall tone="quiet" onClick={clear}>
        Clear selection
      </Button>
      {byHand}
    </div>
  )
}
