// The person scans the secret, then proves that the app shows the right digits.

import { encode } from 'uqr'
import { confirmFactor } from '#api/me.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { CopyField } from '#ui/copy.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Stack } from '#ui/layout.tsx'
import { QrCode } from '#ui/values.tsx'

type FactorDialogProps = {
  secret: string
  uri: string
  onDone: (recoveryCodes: string[]) => void
  onClose: () => void
}

export function FactorDialog({ secret, uri, onDone, onClose }: FactorDialogProps) {
  return (
    <Dialog
      title="Set up second factor"
      says="Scan the picture with an authenticator app, then enter the six digits that it shows."
      onClose={onClose}
    >
      <Stack>
        <QrCode modules={encode(uri, { border: 0 }).data} says="The secret for your app, as a QR code" />
        <p>No camera? Enter this secret in the app:</p>
        <CopyField text={secret} label="Copy secret" />
        <Form
          submit="Confirm code"
          asksToLeave={false}
          onCancel={onClose}
          onSubmit={async ({ code = '' }) => onDone(await confirmFactor(code.trim()))}
        >
          <TextField name="code" label="Code" autoComplete="one-time-code" inputMode="numeric" maxLength={7} />
        </Form>
      </Stack>
    </Dialog>
  )
}
