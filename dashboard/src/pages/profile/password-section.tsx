// Changes the password, which ends all other sessions.

import { useState } from 'react'
import { changePassword } from '#api/me.ts'
import { PasswordField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useMe } from '#shell/place.ts'
import { Section } from '#ui/layout.tsx'
import { useSay } from '#ui/say.ts'
import styles from './profile.module.css'

export function PasswordSection() {
  const { person } = useMe()
  const say = useSay()
  const [changes, setChanges] = useState(0)
  return (
    <Section title="Password">
      <div className={styles.narrow}>
        <Form
          key={changes}
          submit="Change password"
          onSubmit={async ({ current = '', next = '' }) => {
            await changePassword(current, next)
            setChanges(changes + 1)
            say('Password changed; your other sessions have ended')
          }}
        >
          {/* Tells a password manager for which address the password is. */}
          <input hidden type="text" name="username" autoComplete="username" readOnly value={person.email} />
          <PasswordField name="current" label="Current password" />
          <PasswordField name="next" label="New password" isNew />
        </Form>
      </div>
    </Section>
  )
}
