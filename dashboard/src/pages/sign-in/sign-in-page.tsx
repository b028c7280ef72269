// Signing in with an address and a password.

import { signIn } from '#api/sign-in.ts'
import { PasswordField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useEnter } from '#shell/enter.ts'
import { Outside } from '#shell/outside.tsx'
import { Notice } from '#ui/states.tsx'

export function SignInPage() {
  const enter = useEnter()
  return (
    <Outside title="Sign in">
      <Form
        submit="Sign in"
        onSubmit={async ({ email = '', password = '' }) => enter(await signIn(email.trim(), password))}
      >
        <TextField name="email" label="E-mail address" type="email" autoComplete="username" autoFocus />
        <PasswordField name="password" label="Password" />
      </Form>
      <Notice>Forgot your password? Ask an owner of your business: they can make a link for a new one.</Notice>
    </Outside>
  )
}
