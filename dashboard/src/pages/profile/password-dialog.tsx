// Asks for the password again some minutes after the sign-in, so that a stranger at an unlocked screen cannot add a second factor.

import { PasswordField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useMe } from '#shell/place.ts'
import { Dialog } from '#ui/dialog.tsx'

type PasswordDialogProps = { onGiven: (password: string) => Promise<void>; onClose: () => void }

export function PasswordDialog({ onGiven, onClose }: PasswordDialogProps) {
  const { email } = useMe().person
  return (
    <Dialog
      title="Confirm that it is you"
      says="You signed in a while ago. Your password is asked for again."
      onClose={onClose}
    >
      <Form
        submit="Continue"
        asksToLeave={false}
        onCancel={onClose}
        onSubmit={({ password = '' }) => onGiven(password)}
      >
        {/* Tells a password manager for which address the password is. */}
        <input hidden type="text" name="username" autoComplete="username" readOnly value={email} />
        <PasswordField name="password" label="Password" />
      </Form>
    </Dialog>
  )
}
