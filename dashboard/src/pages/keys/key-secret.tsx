// A new key, which is shown once. The user confirms that it is stored before the dialog closes.

import { useState } from 'react'
import type { NewKey } from '#api/keys.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { CopyField } from '#ui/copy.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Row, Stack } from '#ui/layout.tsx'

export function KeySecret({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog title={`The key “${made.key.name}”`} says="This is the only time that it is shown.">
      <Stack>
        <CopyField text={made.secret} label="Copy key" />
        <p>Store it where your server reads its secrets. Never put it in a web page, an app or a repository.</p>
        <Checkbox checked={isStored} onChange={(event) => setStored(event.target.checked)}>
          I have stored it
        </Checkbox>
        <Row>
          <Button
            tone="primary"
            disabledReason={isStored ? undefined : 'Store the key first: nothing can show it again.'}
            onClick={onClose}
          >
            Done
          </Button>
          {made.secret.startsWith('sk_test_') ? <DocsLink secret={made.secret} /> : null}
        </Row>
      </Stack>
    </Dialog>
  )
}

/**
 * The link has the key in its fragment, which the browser does not send. The documentation moves the key to the storage
 * of its tab and shows it in the samples.
 */
function DocsLink({ secret }: { secret: string }) {
  return (
    <a className={buttonLook({})} href={`/docs#key=${secret}`} target="_blank" rel="noopener">
      Open the docs with this key
    </a>
  )
}
