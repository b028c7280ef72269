// Switches receipt links on and off. With such a link, people without an account see a receipt.

import { changeSettings, settingsQuery, type Settings } from '#api/settings.ts'
import { Form } from '#form/form.tsx'
import { useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Section } from '#ui/layout.tsx'
import { useSay } from '#ui/say.ts'

export function ReceiptLinksSection({ settings: { id, hasReceiptLinks } }: { settings: Settings }) {
  const refreshOf = useRefreshOf()
  const say = useSay()
  const refusal = useRefusal('settings.change')
  return (
    <Section title="Receipt links">
      <Form
        submit={hasReceiptLinks ? 'Switch off receipt links' : 'Switch on receipt links'}
        tone={hasReceiptLinks ? 'danger' : 'primary'}
        disabledReason={refusal}
        onSubmit={async () => {
          await changeSettings(id, { hasReceiptLinks: !hasReceiptLinks })
          say(hasReceiptLinks ? 'Receipt links switched off' : 'Receipt links switched on')
          await refreshOf(settingsQuery(id).queryKey)
        }}
      >
        <p>
          {hasReceiptLinks
            ? 'People who work with payments can create a link to the receipt of a payout. Anyone with the link sees the receipt without signing in. Switching them off stops all links at once.'
            : 'Receipt links are off: none can be created, and those that were created show nothing. Links that were not revoked work again once they are switched on.'}
        </p>
      </Form>
    </Section>
  )
}
