// Shows the secret of a subscription once, with a complete program that receives and verifies deliveries, in several languages.

import { useState } from 'react'
import receivers from '#api/receivers.json' with { type: 'json' }
import { Button } from '#ui/button.tsx'
import { CopyButton, CopyField } from '#ui/copy.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Row, Stack } from '#ui/layout.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { Code } from '#ui/values.tsx'

const tabs = receivers.map(({ language, code }) => ({
  value: language,
  label: language,
  panel: (
    <Stack>
      <Row>
        <CopyButton text={code} label="Copy program" />
      </Row>
      <Code label={`A receiver in ${language}`}>{code}</Code>
    </Stack>
  ),
}))

export function NewSecret({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  const [language, setLanguage] = useState(tabs[0]?.value ?? '')
  return (
    <Dialog title={title} says="This is the only time that the secret is shown." shape="wide">
      <Stack>
        <CopyField text={secret} label="Copy secret" />
        <Row>
          <Checkbox checked={isStored} onChange={(event) => setStored(event.target.checked)}>
            I have stored it
          </Checkbox>
          <Button
            tone="primary"
            disabledReason={isStored ? undefined : 'Store the secret first: nothing can show it again.'}
            onClick={onClose}
          >
            Done
          </Button>
        </Row>
        <p>This program receives deliveries and verifies their signatures. It reads the secret from WEBHOOK_SECRET.</p>
        <Tabs label="Language" value={language} onChange={setLanguage} tabs={tabs} />
      </Stack>
    </Dialog>
  )
}
