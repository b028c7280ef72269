// Sets a new password, with a link from an owner or from the command line. The second factor stays.

import { PasswordField } from '#form/fields.tsx'
import { LinkForm } from '#shell/link-form.tsx'
import { LinkPage } from '#shell/link-page.tsx'
import { Outside } from '#shell/outside.tsx'

export function ResetPage() {
  return (
    <LinkPage title="New password" kind="reset">
      {({ email }, token) => (
        <Outside title="Set a new password" says="All your sessions end, and your second factor stays as it is.">
          <LinkForm kind="reset" token={token} email={email} submit="Set password">
            <PasswordField name="password" label="New password" isNew />
          </LinkForm>
        </Outside>
      )}
    </LinkPage>
  )
}
