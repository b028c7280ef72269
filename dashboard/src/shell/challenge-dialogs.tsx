// The dialogs of the two challenges: sign in again, and give a second factor. Their code is loaded at the first
// challenge.

import { useState } from 'react'
import { confirmWithPasskey, stepUpWithPasskey } from '#api/passkeys.ts'
import { giveCode, signIn, stepUp } from '#api/sign-in.ts'
import { CodeField, PasswordField } from '#form/fields.tsx'
import { Form, type Values } from '#form/form.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Stack } from '#ui/layout.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { useMe } from './place.ts'

/**
 * `onMet`: called when the person has signed in or given the second factor. `onClose`: called when the person closes
 * the dialog.
 */
type AnswerProps = { onMet: () => void; onClose: () => void }

export function StepUp({ onMet, onClose }: AnswerProps) {
  const { hasPasskey } = useMe().person
  return (
    <Dialog
      title="Confirm that it is you"
      says="This action asks for your second factor. It then counts for ten minutes."
      onClose={onClose}
    >
      <Stack>
        {hasPasskey ? (
          <PasskeyButton
            label="Use a passkey"
            onPress={async () => {
              await stepUpWithPasskey()
              onMet()
            }}
          />
        ) : null}
        <Form
          submit="Confirm"
          asksToLeave={false}
          onCancel={onClose}
          onSubmit={async ({ code = '' }) => {
            await stepUp(code.trim())
            onMet()
          }}
        >
          <CodeField name="code" label="Code" />
        </Form>
      </Stack>
    </Dialog>
  )
}

export function SignInAgain({ onMet, onClose }: AnswerProps) {
  const { person } = useMe()
  const [isCodeDue, setCodeDue] = useState(false)
  async function submit({ password = '', code = '' }: Values): Promise<void> {
    const next = isCodeDue ? await giveCode(code.trim()) : await signIn(person.email, password)
    if (next !== null) setCodeDue(true)
    else onMet()
  }
  return (
    <Dialog
      title="Sign in again"
      says={`Your session of ${person.email} has ended. What you typed is still there.`}
      onClose={onClose}
    >
      <Stack>
        {isCodeDue && person.hasPasskey ? (
          <PasskeyButton
            label="Use a passkey"
            onPress={async () => {
              await confirmWithPasskey()
              onMet()
            }}
          />
        ) : null}
        <Form key={String(isCodeDue)} submit="Sign in" asksToLeave={false} onSubmit={submit}>
          <input hidden type="text" name="username" autoComplete="username" readOnly value={person.email} />
          {isCodeDue ? <CodeField name="code" label="Code" /> : <PasswordField name="password" label="Password" />}
        </Form>
      </Stack>
    </Dialog>
  )
}
