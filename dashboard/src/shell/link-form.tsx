// The form behind a link that was made for an e-mail address. The person cannot change the address, and enters a password.

import type { ReactNode } from 'react'
import { followLink } from '#api/sign-in.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useEnter } from './enter.ts'

type LinkFormProps = {
  kind: 'invitation' | 'reset'
  token: string
  email: string | null
  submit: string
  /** The fields beside the address: a `password`, and a `name` if there is no account yet. */
  children: ReactNode
}

export function LinkForm({ kind, token, email, submit, children }: LinkFormProps) {
  const enter = useEnter()
  return (
    <Form
      submit={submit}
      asksToLeave={false}
      onSubmit={async ({ name, password = '' }) =>
        enter(await followLink(kind, { token, password, ...(name === undefined ? {} : { name: name.trim() }) }))
      }
    >
      {/* Tells a password manager for which address the password is. */}
      <TextField name="email" label="E-mail address" autoComplete="username" readOnly defaultValue={email ?? ''} />
      {children}
    </Form>
  )
}
