// A person who finds a screen unlocked must not make a second factor of their own: some minutes after signing in, the password is
// asked for again.

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
        {/* Password managers want to know for which address the password is. */}
        <input hidden type="text" name="username" autoComplete="username" readOnly value={email} />
        <PasswordField name="password" label="Password" />
      </Form>
    </Dialog>
  )
}
