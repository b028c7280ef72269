// The name by which colleagues and the audit log know the person.

import { meQuery, renameMe } from '#api/me.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useMe } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Section } from '#ui/layout.tsx'
import { useSay } from '#ui/say.ts'
import styles from './profile.module.css'

export function NameSection() {
  const { person } = useMe()
  const refreshOf = useRefreshOf()
  const say = useSay()
  return (
    <Section title="You">
      <div className={styles.narrow}>
        <Form
          submit="Save name"
          onSubmit={async ({ name = '' }) => {
            await renameMe(name.trim())
            await refreshOf(meQuery.queryKey)
            say('Name saved')
          }}
        >
          <TextField name="name" label="Name" hint={person.email} defaultValue={person.name} autoComplete="name" />
        </Form>
      </div>
    </Section>
  )
}
