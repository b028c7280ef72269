// A row as the person wrote it, with the error beside each cell.

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
import type { Currency } from '#api/schema.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Stack } from '#ui/layout.tsx'
import styles from './drafts.module.css'

function labelsOf(currency: Currency): Record<CellName, string> {
  const isNaira = currency === 'NGN'
  return {
    name: 'Name',
    bank: isNaira ? 'Bank' : 'Operator',
    account: isNaira ? 'Account number' : 'Phone number',
    amount: `Amount in ${isNaira ? 'naira' : currency}`,
    narration: 'Narration',
    reference: 'Reference',
    currency: 'Currency',
  }
}

type EditRowProps = { draft: DraftDetail; row: DraftRow; onClose: () => void }

export function EditRow({ draft, row, onClose }: EditRowProps) {
  const place = usePlace()
  const refresh = useRefresh()
  const [cells, setCells] = useState<Cells>(row.cells)
  const labels = labelsOf(draft.currency)
  // A draft has one currency, so the currency of a row is shown only if it is wrong.
  const names = cellNames.filter((name) => name !== 'currency' || row.errors.some(({ field }) => field === name))
  const change = (name: CellName, text: string): void => setCells((all) => ({ ...all, [name]: text }))
  return (
    <Dialog title={`Row ${row.number}`} onClose={onClose}>
      <Stack>
        <Form
          submit="Save row"
          onCancel={onClose}
          onSubmit={async () => {
            await editRow(place, draft.id, row.number, cells)
            await refresh()
            onClose()
          }}
        >
          {names.map((name) => {
            const errors = row.errors.filter(({ field }) => field === name)
            const offers = errors.flatMap((error) => error.offers ?? [])
            return (
              <div key={name}>
                <TextField
                  name={name}
                  label={labels[name]}
                  hint={
                    errors.length === 0 ? undefined : (
                      <span className={styles.wrong}>{errors.map(({ message }) => message).join(' ')}</span>
                    )
                  }
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
        <RemoveRow draft={draft} row={row} onClose={onClose} />
      </Stack>
    </Dialog>
  )
}

function RemoveRow({ draft, row: { number }, onClose }: EditRowProps) {
  const place = usePlace()
  const refresh = useRefresh()
  return (
    <Form
      submit={`Remove row ${number}`}
      tone="plain"
      onSubmit={async () => {
        await removeRow(place, draft.id, number)
        await refresh()
        onClose()
      }}
    />
  )
}
