// Chooses the columns. The choice is in the address, so a saved view has it too.

import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Icon } from '#ui/icons.tsx'
import { pickColumns, type Column } from './columns.tsx'
import type { Filters } from './filters.ts'
import styles from './table.module.css'

export function ColumnPicker<Row>({ columns, state }: { columns: readonly Column<Row>[]; state: Filters }) {
  const [isOpen, setOpen] = useState(false)
  const shown = pickColumns(columns, state.search['columns']).map(({ id }) => id)
  function toggle(id: string): void {
    const next = columns.filter((column) => shown.includes(column.id) !== (column.id === id)).map((column) => column.id)
    const usual = pickColumns(columns, undefined).map((column) => column.id)
    state.change({ columns: next.join() === usual.join() ? undefined : next.join() })
  }
  return (
    <>
      <Button tone="quiet" isIcon aria-label="Columns" onClick={() => setOpen(true)}>
        <Icon name="columns" />
      </Button>
      {isOpen ? (
        <Dialog title="Columns" shape="side" onClose={() => setOpen(false)}>
          <div className={styles.columns}>
            {columns.map((column, place) =>
              column.isOnPhone === 'alone' ? null : (
                <Checkbox
                  key={column.id}
                  checked={shown.includes(column.id)}
                  disabled={place === 0}
                  onChange={() => toggle(column.id)}
                >
                  {column.head}
                </Checkbox>
              ),
            )}
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
