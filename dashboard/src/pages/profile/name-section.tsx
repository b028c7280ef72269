// The name by which colleagues and the audit log know the person.

import { useQueryClient } from '@tanstack/react-query'
import { meQuery, renameMe } from '#api/me.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useMe } from '#shell/place.ts'
import { Section } from '#ui/layout.tsx'
import { useSay } from '#ui/toast.tsx'
import styles from './profile.module.css'

export function NameSection() {
  const { person } = useMe()
  const queries = useQueryClient()
  const say = useSay()
  return (
    <Section title="You">
      <div className={styles.narrow}>
        <Form
          submit="Save name"
          onSubmit={async ({ name = '' }) => {
            await renameMe(name.trim())
            await queries.invalidateQueries({ queryKey: meQuery.queryKey })
            say('Name saved')
          }}
        >
          <TextField name="name" label="Name" hint={person.email} defaultValue={person.name} autoComplete="name" />
        </Form>
      </div>
    </Section>
  )
}
