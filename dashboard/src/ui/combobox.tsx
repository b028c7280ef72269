// A long list to choose from by typing, such as banks. Its value goes with the form under `name`.

import { Combobox as Base } from '@base-ui/react/combobox'
import { Field, type Choice, type FieldFrame } from './field.tsx'
import field from './field.module.css'
import styles from './floating.module.css'

export type ComboboxChoice = Choice & {
  /** Other names by which the search finds the entry. */
  also?: readonly string[]
}

type ComboboxProps = FieldFrame & {
  name?: string
  choices: readonly ComboboxChoice[]
  value: string | null
  onChange: (value: string | null) => void
  /** Shown when no entry of the list matches the input. */
  nothing: string
  placeholder?: string
}

/**
 * Finds a choice by a part of its label or the beginning of another name. While a choice is selected, Base UI passes
 * its label as the query.
 */
function matches({ label, also = [] }: ComboboxChoice, query: string): boolean {
  const typed = query.trim().toLowerCase()
  return label.toLowerCase().includes(typed) || also.some((name) => name.toLowerCase().startsWith(typed))
}

export function Combobox({ name, choices, value, onChange, nothing, placeholder, ...frame }: ComboboxProps) {
  const chosen = choices.find((choice) => choice.value === value) ?? null
  return (
    <Field {...frame}>
      {(ties) => (
        <Base.Root
          items={choices}
          filter={matches}
          value={chosen}
          onValueChange={(next) => onChange(next?.value ?? null)}
        >
          <Base.Input {...ties} className={field.input} placeholder={placeholder} />
          {name === undefined ? null : <input type="hidden" name={name} value={value ?? ''} />}
          <Base.Portal>
            <Base.Positioner sideOffset={4} className={styles.layer}>
              <Base.Popup className={styles.popup}>
                <Base.Empty className={styles.heading}>{nothing}</Base.Empty>
                <Base.List>
                  {(choice: ComboboxChoice) => (
                    <Base.Item key={choice.value} value={choice} className={styles.item}>
                      {choice.label}
                    </Base.Item>
                  )}
                </Base.List>
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </Field>
  )
}
