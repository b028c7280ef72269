// Whoever finds a screen unlocked must not make a second factor of their own: some minutes after signing in, the password is
// asked for again.

import { PasswordField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { Dialog } from '#ui/dialog.tsx'

type PasswordDialogProps = { onGiven: (password: string) => Promise<void>; onClose: () => void }

export function PasswordDialog({ onGiven, onClose }: PasswordDialogProps) {
  return (
    <Dialog
      title="Confirm that it is you"
      says="You signed in a while ago. Your password is asked for again."
      onClose={onClose}
    >
      <Form submit="Continue" onCancel={onClose} onSubmit={({ password = '' }) => onGiven(password)}>
        <PasswordField name="password" label="Password" />
      </Form>
    </Dialog>
  )
}
