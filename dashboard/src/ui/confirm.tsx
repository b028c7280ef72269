// The question before an action that cannot be undone. It names the effect; the button names the action.

import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field, Input } from './field.tsx'
import { Row, Stack } from './layout.tsx'
import { Notice } from './states.tsx'

export const waitForAnswer = 'This was sent already. Wait for the answer.'

type ConfirmProps = {
  title: string
  verb: string
  tone?: 'primary' | 'danger'
  typed?: { label: string; word: string }
  isStaging?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
  children: ReactNode
}

/**
 * The caller renders the dialog while the question is open. The dialog calls `onClose` when the action is done, and
 * shows a message if the action failed.
 */
export function Confirm({
  title,
  verb,
  tone = 'danger',
  typed,
  isStaging,
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string>()
  const isTyped = typed === undefined || text === typed.word

  async function confirm(): Promise<void> {
    setBusy(true)
    setWrong(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }

  function close(): void {
    if (!isBusy) onClose()
  }

  return (
    <Dialog title={title} onClose={close} {...(isStaging === undefined ? {} : { isStaging })}>
      <Stack>
        <div>{children}</div>
        {typed === undefined ? null : (
          <Field label={typed.label}>
            {(ties) => (
              <Input {...ties} value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
            )}
          </Field>
        )}
        {wrong === undefined ? null : <Notice tone="failed">{wrong}</Notice>}
        <Row>
          <Button
            tone={tone}
            isBusy={isBusy}
            disabledReason={isTyped ? undefined : `Type “${typed.word}” first.`}
            onClick={() => void confirm()}
          >
            {verb}
          </Button>
          <Button tone="quiet" disabledReason={isBusy ? waitForAnswer : undefined} onClick={close}>
            Cancel
          </Button>
        </Row>
      </Stack>
    </Dialog>
  )
}
