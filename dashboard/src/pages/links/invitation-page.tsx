// Accepting an invitation: with a new account, or with the one that there is.

import { PasswordField, TextField } from '#form/fields.tsx'
import { LinkForm } from '#shell/link-form.tsx'
import { LinkPage } from '#shell/link-page.tsx'
import { Outside } from '#shell/outside.tsx'

export function InvitationPage() {
  return (
    <LinkPage title="Invitation" kind="invitation">
      {({ email, businessName, role, hasAccount }, token) => (
        <Outside
          title={`Join ${businessName ?? 'a business'}`}
          says={`You are invited as ${role ?? 'a member'}. The invitation is for ${email ?? 'your address'} alone.`}
        >
          <LinkForm kind="invitation" token={token} email={email} submit="Accept invitation">
            {hasAccount ? (
              <PasswordField name="password" label="Password of your account" />
            ) : (
              <>
                <TextField name="name" label="Your name" autoComplete="name" autoFocus />
                <PasswordField name="password" label="New password" isNew />
              </>
            )}
          </LinkForm>
        </Outside>
      )}
    </LinkPage>
  )
}
