// The display preferences of this browser. They are stored in the browser and not on the server.

import { useState } from 'react'
import { readPreferences, savePreferences, type Preferences } from '#shell/preferences.ts'
import { Field, Select } from '#ui/field.tsx'
import { Section, Stack } from '#ui/layout.tsx'
import styles from './profile.module.css'

const themes = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]
const densities = [
  { value: 'default', label: 'Compact' },
  { value: 'comfortable', label: 'Comfortable' },
]
const letters = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
]

export function PreferencesSection() {
  const [preferences, setPreferences] = useState(readPreferences)
  const select = (name: keyof Preferences, label: string, choices: typeof themes) => (
    <Field label={label}>
      {(ties) => (
        <Select
          {...ties}
          choices={choices}
          value={preferences[name]}
          onChange={(event) => {
            const next = { ...preferences, [name]: event.target.value }
            setPreferences(next)
            savePreferences(next)
          }}
        />
      )}
    </Field>
  )
  return (
    <Section title="This browser">
      <div className={styles.narrow}>
        <Stack>
          {select('theme', 'Theme', themes)}
          {select('density', 'Rows', densities)}
          {select('letters', 'Single letters as shortcuts', letters)}
        </Stack>
      </div>
    </Section>
  )
}
