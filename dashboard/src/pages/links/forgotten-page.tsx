// Requests a link to a new password. The page shows the same text whether or not the address has an account.

import { useState } from 'react'
import { requestPassword } from '#api/sign-in.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { Outside } from '#shell/outside.tsx'
import { Notice } from '#ui/states.tsx'

export function ForgottenPage() {
  const [email, setEmail] = useState<string>()
  if (email !== undefined) {
    return (
      <Outside title="Check your e-mail">
        <Notice>
          If {email} has an account, an e-mail with a link to a new password is on its way. The link works once, for an
          hour.
        </Notice>
        <a href="/dashboard/sign-in">Back to sign in</a>
      </Outside>
    )
  }
  return (
    <Outside title="Forgot your password?" says="Enter your e-mail address. A link to a new password is sent to it.">
      <Form
        submit="Send link"
        asksToLeave={false}
        onSubmit={async (values) => {
          const address = (values['email'] ?? '').trim()
          await requestPassword(address)
          setEmail(address)
        }}
      >
        <TextField name="email" label="E-mail address" type="email" autoComplete="username" autoFocus />
      </Form>
      <a href="/dashboard/sign-in">Back to sign in</a>
    </Outside>
  )
}
