// Accepting an invitation: with a new account, or with the one that there is.

import { followLink } from '#api/sign-in.ts'
import { PasswordField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useEnter } from '#shell/enter.ts'
import { LinkPage } from '#shell/link-page.tsx'
import { Outside } from '#shell/outside.tsx'

export function InvitationPage() {
  const enter = useEnter()
  return (
    <LinkPage title="Invitation" kind="invitation">
      {({ email, businessName, role, hasAccount }, token) => (
        <Outside
          title={`Join ${businessName ?? 'a business'}`}
          says={`You are invited as ${role ?? 'a member'}. The invitation is for ${email ?? 'your address'} alone.`}
        >
          <Form
            submit="Accept invitation"
            onSubmit={async ({ name, password = '' }) =>
              enter(
                await followLink('invitation', {
                  token,
                  password,
                  ...(name === undefined ? {} : { name: name.trim() }),
                }),
              )
            }
          >
            {/* Password managers want to know for which address the password is. */}
            <TextField
              name="email"
              label="E-mail address"
              autoComplete="username"
              readOnly
              defaultValue={email ?? ''}
            />
            {hasAccount ? (
              <PasswordField name="password" label="Password of your account" />
            ) : (
              <>
                <TextField name="name" label="Your name" autoComplete="name" autoFocus />
                <PasswordField name="password" label="New password" isNew />
              </>
            )}
          </Form>
        </Outside>
      )}
    </LinkPage>
  )
}
