// Accepts an invitation, with a new account or an existing one.

import { useState } from 'react'
import { PasswordField, TextField } from '#form/fields.tsx'
import { LinkForm } from '#shell/link-form.tsx'
import { LinkPage } from '#shell/link-page.tsx'
import { Outside } from '#shell/outside.tsx'
import { Button } from '#ui/button.tsx'

export function InvitationPage() {
  return (
    <LinkPage title="Invitation" kind="invitation">
      {({ email, businessName, role, hasAccount }, token) => (
        <Outside
          title={`Join ${businessName ?? 'a business'}`}
          says={`You are invited as ${role ?? 'a member'}. The invitation works only for ${email ?? 'your address'}.`}
        >
          <Acceptance token={token} email={email} hasAccount={hasAccount === true} />
        </Outside>
      )}
    </LinkPage>
  )
}

type AcceptanceProps = { token: string; email: string | null; hasAccount: boolean }

function Acceptance({ token, email, hasAccount }: AcceptanceProps) {
  const [isNew, setIsNew] = useState(!hasAccount)
  return (
    <>
      <LinkForm key={String(isNew)} kind="invitation" token={token} email={email} submit="Accept invitation">
        {isNew ? (
          <>
            <TextField name="name" label="Your name" autoComplete="name" autoFocus />
            <PasswordField name="password" label="New password" isNew />
          </>
        ) : (
          <PasswordField name="password" label="Password of your account" />
        )}
      </LinkForm>
      <Button tone="quiet" onClick={() => setIsNew(!isNew)}>
        {isNew ? 'I have an account' : 'I am new here'}
      </Button>
    </>
  )
}
