// Replaces a key by a new one. Both work for some hours, unless the person chooses none.

import { rollKey, type Key, type NewKey } from '#api/keys.ts'
import { SelectField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'
import { sayLastUsed } from './last-used.ts'

const overlaps = [
  { value: '24', label: '24 hours' },
  { value: '6', label: '6 hours' },
  { value: '1', label: '1 hour' },
  { value: '0', label: 'not at all, because it was leaked' },
]

type RollKeyProps = { apiKey: Key; onRolled: (made: NewKey) => void; onClose: () => void }

export function RollKey({ apiKey, onRolled, onClose }: RollKeyProps) {
  const place = usePlace()
  const refresh = useRefresh()
  return (
    <Dialog
      title={`Roll “${apiKey.name}”?`}
      says={`A new key is made, and the old one ends. ${sayLastUsed(apiKey.lastUsedAt, new Date().getTime())}.`}
      onClose={onClose}
    >
      <Form
        submit="Roll key"
        onCancel={onClose}
        onSubmit={async (values) => {
          onRolled(await rollKey(place, apiKey.id, Number(values['overlapHours'])))
          onClose()
          await refresh()
        }}
      >
        <SelectField name="overlapHours" label="The old key works for" choices={overlaps} />
      </Form>
    </Dialog>
  )
}
