// Creates the account of the first person of an installation, and the first business, which that person owns.

import { followLink } from '#api/sign-in.ts'
import { PasswordField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useEnter } from '#shell/enter.ts'
import { LinkPage } from '#shell/link-page.tsx'
import { Outside } from '#shell/outside.tsx'

export function WelcomePage() {
  const enter = useEnter()
  return (
    <LinkPage title="Welcome" kind="welcome">
      {(_, token) => (
        <Outside title="Welcome to Manilla" says="Create the first account. It owns the business.">
          <Form
            submit="Create account"
            asksToLeave={false}
            onSubmit={async ({ name = '', email = '', password = '', businessName = '' }) => {
              const business = businessName.trim() === '' ? {} : { businessName: businessName.trim() }
              enter(
                await followLink('welcome', { token, name: name.trim(), email: email.trim(), password, ...business }),
              )
            }}
          >
            <TextField name="name" label="Your name" autoComplete="name" autoFocus />
            <TextField name="email" label="E-mail address" type="email" autoComplete="username" />
            <PasswordField name="password" label="Password" isNew />
            <TextField
              name="businessName"
              label="Name of the business"
              hint="Optional. You can change it in the settings."
              autoComplete="organization"
            />
          </Form>
        </Outside>
      )}
    </LinkPage>
  )
}
