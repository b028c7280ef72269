// Adds a subscription, and then shows its secret once, with a program that verifies deliveries by it.

import { useState } from 'react'
import { subscribe, type EventName } from '#api/webhooks.ts'
import type { NewWebhookSubscription } from '#api/schema.ts'
import { EventsField, eventsOf } from './events-field.tsx'
import { TextField } from '#form/fields.tsx'
import { Form, type Values } from '#form/form.tsx'
import { NewSecret } from './new-secret.tsx'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'

export function NewSubscription({ onClose }: { onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const [added, setAdded] = useState<NewWebhookSubscription>()
  async function add(values: Values): Promise<void> {
    setAdded(await subscribe(place, { url: values['url'] ?? '', events: eventsOf(values) as EventName[] }))
    await refresh()
  }
  if (added !== undefined) return <NewSecret title="Subscription added" secret={added.secret} onClose={onClose} />
  const hint =
    place.environment === 'staging'
      ? 'https, or http to this machine while the server listens on it alone.'
      : 'https, at a public address.'
  return (
    <Dialog title="Add subscription" shape="wide" onClose={onClose}>
      <Form submit="Add subscription" onCancel={onClose} onSubmit={add}>
        <TextField name="url" label="Address" type="url" hint={hint} placeholder="https://shop.example.com/webhooks" />
        <EventsField />
      </Form>
    </Dialog>
  )
}
