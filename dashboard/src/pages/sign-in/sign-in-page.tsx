// Signing in with an address and a password, or with a passkey.

import { useQuery } from '@tanstack/react-query'
import { hasPasskeys } from '#api/passkeys.ts'
import { signIn, signInQuery } from '#api/sign-in.ts'
import { PasswordField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useEnter } from '#shell/enter.ts'
import { Outside } from '#shell/outside.tsx'
import { PasskeyButton } from '#shell/passkey-button.tsx'
import { CopyField } from '#ui/copy.tsx'
import { Notice } from '#ui/states.tsx'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'

export function SignInPage() {
  const enter = useEnter()
  const { data } = useQuery(signInQuery)
  const { wrong, press } = usePasskeySignIn(enter)
  return (
    <Outside title="Sign in">
      {data?.hasPeople === false ? (
        <>
          <Notice tone="asks">
            No account exists yet. Open the welcome link that the service printed at its start, or run this command on
            its machine to get a new one:
          </Notice>
          <CopyField text="npx manilla people welcome" />
        </>
      ) : null}
      <Form
        submit="Sign in"
        asksToLeave={false}
        onSubmit={async ({ email = '', password = '' }) => enter(await signIn(email.trim(), password))}
      >
        <TextField name="email" label="E-mail address" type="email" autoComplete="username webauthn" autoFocus />
        <PasswordField name="password" label="Password" />
      </Form>
      {hasPasskeys() ? <PasskeyButton label="Sign in with a passkey" wrong={wrong} onPress={press} /> : null}
      {data?.sendsMail === true ? (
        <a href="/dashboard/forgotten">Forgot your password?</a>
      ) : data?.hasPeople === false ? null : (
        <Notice>Forgot your password? Ask an owner of your business for a link to set a new one.</Notice>
      )}
    </Outside>
  )
}
