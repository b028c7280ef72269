// Creates a new secret; the old one also signs for the given hours.

import { useState } from 'react'
import type { WebhookSubscription } from '#api/schema.ts'
import { rotateSecret } from '#api/webhooks.ts'
import { SelectField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'
import { NewSecret } from './new-secret.tsx'

const overlaps = [
  { value: '24', label: '24 hours' },
  { value: '1', label: '1 hour' },
  { value: '6', label: '6 hours' },
  { value: '72', label: '3 days' },
  { value: '0', label: 'not at all, because it was leaked' },
]

export function RotateSecret({ subscription, onClose }: { subscription: WebhookSubscription; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const [secret, setSecret] = useState<string>()
  if (secret !== undefined) return <NewSecret title="Secret rotated" secret={secret} onClose={onClose} />
  return (
    <Dialog
      title="Rotate the secret?"
      says="Until the old secret ends, deliveries have a signature with each. A receiver that accepts either misses nothing."
      onClose={onClose}
    >
      <Form
        submit="Rotate secret"
        onCancel={onClose}
        onSubmit={async (values) => {
          const rotated = await rotateSecret(place, subscription.id, Number(values['expireOldInHours']))
          setSecret(rotated.secret)
          await refresh()
        }}
      >
        <SelectField name="expireOldInHours" label="The old secret signs for" choices={overlaps} />
      </Form>
    </Dialog>
  )
}
