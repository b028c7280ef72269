// What an export holds: the rows of the filters on screen, all pages of them, with the columns that somebody chose.

import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Stack } from '#ui/layout.tsx'
import { useZone } from '#ui/values.tsx'
import type { ExportColumn } from './export-columns.ts'

type ExportDialogProps = {
  columns: readonly ExportColumn[]
  filtered: readonly string[]
  /** The address of the file. */
  addressOf: (columns: readonly string[]) => string
  onClose: () => void
}

export function ExportDialog({ columns, filtered, addressOf, onClose }: ExportDialogProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const zone = useZone()
  const chosen = columns.map(({ id }) => id).filter((id) => !left.has(id))
  const which = filtered.length === 0 ? 'All rows' : `The rows of these filters: ${filtered.join(', ')}`
  return (
    <Dialog title="Export" says={`${which}, on all pages, as CSV. Times are in UTC and in ${zone}.`} onClose={onClose}>
      <Stack>
        {columns.map(({ id, head }) => (
          <Checkbox key={id} checked={!left.has(id)} onChange={() => setLeft(toggled(left, id))}>
            {head}
          </Checkbox>
        ))}
        <Button
          tone="primary"
          disabledReason={chosen.length === 0 ? 'Choose a column first.' : undefined}
          onClick={() => {
            location.assign(addressOf(chosen))
            onClose()
          }}
        >
          Export CSV
        </Button>
      </Stack>
    </Dialog>
  )
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return set.has(id) ? new Set([...set].filter((other) => other !== id)) : new Set([...set, id])
}
