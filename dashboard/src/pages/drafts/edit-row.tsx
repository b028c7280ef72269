// A row as the person wrote it, with what is wrong beside each cell.

import { useState } from 'react'
import {
  cellNames,
  editRow,
  removeRow,
  type CellName,
  type Cells,
  type DraftDetail,
  type DraftRow,
} from '#api/drafts.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import styles from './drafts.module.css'

export const cellLabels: Record<CellName, string> = {
  name: 'Name',
  bank: 'Bank',
  account: 'Account number',
  amount: 'Amount in naira',
  narration: 'Narration',
  reference: 'Reference',
}

type EditRowProps = { draft: DraftDetail; row: DraftRow; onClose: () => void }

export function EditRow({ draft, row, onClose }: EditRowProps) {
  const place = usePlace()
  const refresh = useRefresh()
  const [cells, setCells] = useState<Cells>(row.cells)
  const change = (name: CellName, text: string): void => setCells((all) => ({ ...all, [name]: text }))
  async function remove(): Promise<void> {
    await removeRow(place, draft.id, row.number)
    await refresh()
    onClose()
  }
  return (
    <Dialog title={`Row ${row.number}`} onClose={onClose}>
      <Form
        submit="Save row"
        onCancel={onClose}
        onSubmit={async () => {
          await editRow(place, draft.id, row.number, cells)
          await refresh()
          onClose()
        }}
      >
        {cellNames.map((name) => {
          const errors = row.errors.filter(({ field }) => field === name)
          const offers = errors.flatMap((error) => error.offers ?? [])
          return (
            <div key={name}>
              <TextField
                name={name}
                label={cellLabels[name]}
                hint={errors.length === 0 ? undefined : errors.map(({ message }) => message).join(' ')}
                value={cells[name]}
                onChange={(event) => change(name, event.target.value)}
                autoComplete="off"
              />
              {offers.length === 0 ? null : (
                <div className={styles.offers}>
                  {offers.map((offer) => (
                    <Button key={offer} isSmall onClick={() => change(name, offer)}>
                      Use {offer}
                    </Button>
                  ))}
                </div>
              )}
            </div>
          )
        })}
      </Form>
      <Button tone="quiet" onClick={() => void remove()}>
        Remove row {row.number}
      </Button>
    </Dialog>
  )
}
