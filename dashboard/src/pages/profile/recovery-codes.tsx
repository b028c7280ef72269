// Recovery codes, for a person who has lost the phone. They are shown once.

import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Row, Stack } from '#ui/layout.tsx'
import styles from './profile.module.css'

export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog
      title="Recovery codes"
      says="Each lets you in once when your phone is lost. They are not shown again: print them or keep them in a password manager."
    >
      <Stack>
        <ul className={styles.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Checkbox checked={isStored} onChange={(event) => setStored(event.target.checked)}>
          I have stored them
        </Checkbox>
        <Row>
          <CopyButton text={codes.join('\n')} label="Copy all" />
          <Button tone="primary" disabledReason={isStored ? undefined : 'Store the codes first.'} onClick={onClose}>
            Done
          </Button>
        </Row>
      </Stack>
    </Dialog>
  )
}
