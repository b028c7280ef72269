// The dialogs of the two challenges. They are loaded when the first one is asked for.

import { useState } from 'react'
import { confirmWithPasskey, stepUpWithPasskey } from '#api/passkeys.ts'
import { giveCode, signIn, stepUp } from '#api/sign-in.ts'
import { CodeField, PasswordField } from '#form/fields.tsx'
import { Form, type Values } from '#form/form.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Stack } from '#ui/layout.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { useMe } from './place.ts'

type AnswerProps = { onAnswer: (isMet: boolean) => void }

export function StepUp({ onAnswer }: AnswerProps) {
  const { hasPasskey } = useMe().person
  return (
    <Dialog
      title="Confirm that it is you"
      says="This action asks for your second factor. It then counts for ten minutes."
      onClose={() => onAnswer(false)}
    >
      <Stack>
        {hasPasskey ? (
          <PasskeyButton
            label="Use a passkey"
            onPress={async () => {
              await stepUpWithPasskey()
              onAnswer(true)
            }}
          />
        ) : null}
        <Form
          submit="Confirm"
          asksToLeave={false}
          onCancel={() => onAnswer(false)}
          onSubmit={async ({ code = '' }) => {
            await stepUp(code.trim())
            onAnswer(true)
          }}
        >
          <CodeField name="code" label="Code" />
        </Form>
      </Stack>
    </Dialog>
  )
}

export function SignInAgain({ onAnswer }: AnswerProps) {
  const { person } = useMe()
  const [isCodeDue, setCodeDue] = useState(false)
  async function submit({ password = '', code = '' }: Values): Promise<void> {
    const next = isCodeDue ? await giveCode(code.trim()) : await signIn(person.email, password)
    if (next !== null) setCodeDue(true)
    else onAnswer(true)
  }
  return (
    <Dialog
      title="Sign in again"
      says={`Your session of ${person.email} has ended. What you typed is still there.`}
      onClose={() => onAnswer(false)}
    >
      <Stack>
        {isCodeDue && person.hasPasskey ? (
          <PasskeyButton
            label="Use a passkey"
            onPress={async () => {
              await confirmWithPasskey()
              onAnswer(true)
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
