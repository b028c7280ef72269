// A new password, by a link of an owner or of the terminal. The second factor stays as it is.

import { followLink } from '#api/sign-in.ts'
import { PasswordField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useEnter } from '#shell/enter.ts'
import { LinkPage } from '#shell/link-page.tsx'
import { Outside } from '#shell/outside.tsx'

export function ResetPage() {
  const enter = useEnter()
  return (
    <LinkPage title="New password" kind="reset">
      {({ email }, token) => (
        <Outside title="Set a new password" says="All your sessions end, and your second factor stays as it is.">
          <Form
            submit="Set password"
            onSubmit={async ({ password = '' }) => enter(await followLink('reset', { token, password }))}
          >
            <TextField
              name="email"
              label="E-mail address"
              autoComplete="username"
              readOnly
              defaultValue={email ?? ''}
            />
            <PasswordField name="password" label="New password" isNew />
          </Form>
        </Outside>
      )}
    </LinkPage>
  )
}
