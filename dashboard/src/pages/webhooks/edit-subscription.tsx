// Changes the address and the events of a subscription.

import type { WebhookSubscription } from '#api/schema.ts'
import { changeSubscription, type EventName } from '#api/webhooks.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'
import { EventsField, eventsOf } from './events-field.tsx'

type EditProps = { subscription: WebhookSubscription; onClose: () => void }

export function EditSubscription({ subscription, onClose }: EditProps) {
  const place = usePlace()
  const refresh = useRefresh()
  return (
    <Dialog title="Edit subscription" shape="wide" onClose={onClose}>
      <Form
        submit="Save subscription"
        onCancel={onClose}
        onSubmit={async (values) => {
          const changes = { url: values['url'] ?? '', events: eventsOf(values) as EventName[] }
          await changeSubscription(place, subscription.id, changes)
          await refresh()
          onClose()
        }}
      >
        <TextField name="url" label="Address" type="url" defaultValue={subscription.url} />
        <EventsField chosen={subscription.events} />
      </Form>
    </Dialog>
  )
}
