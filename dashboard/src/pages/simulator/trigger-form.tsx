// Sends a sample of an event to the webhooks that subscribed to it.

import events from '#api/events.json' with { type: 'json' }
import { triggerEvent } from '#api/simulator.ts'
import type { EventName } from '#api/webhooks.ts'
import { countOf } from '#format/ids.ts'
import { SelectField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Section } from '#ui/layout.tsx'
import { useSay } from '#ui/say.ts'

export function TriggerForm() {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const refusal = useRefusal('simulator')
  return (
    <Section title="Trigger an event">
      <Form
        submit="Trigger event"
        disabledReason={refusal}
        onSubmit={async (values) => {
          const queued = await triggerEvent(place, values['event'] as EventName)
          say(queued === 0 ? 'No subscription has this event' : `Sent to ${countOf(queued, 'subscription')}`)
          await refresh()
        }}
      >
        <SelectField
          name="event"
          label="Event"
          hint="Sends a sample of the event to every subscription that names it."
          choices={events.map(({ name }) => ({ value: name, label: name }))}
        />
      </Form>
    </Section>
  )
}
