// A label, a control and its fault, connected for screen readers.

import { useId, type ComponentProps, type ReactNode } from 'react'
import styles from './field.module.css'

export type FieldFrame = {
  label: string
  hint?: ReactNode
  wrong?: string | undefined
  /** The label stands before the control, as in a line of filters. */
  isInline?: boolean
}

export type ControlTies = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

type FieldProps = FieldFrame & { children: (ties: ControlTies) => ReactNode }

export function Field({ label, hint, wrong, isInline = false, children }: FieldProps) {
  const id = useId()
  const said = wrong ?? hint
  const isSaid = said !== undefined && said !== null
  return (
    <div className={isInline ? styles.inline : styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': isSaid ? `${id}-said` : undefined,
        'aria-invalid': wrong === undefined ? undefined : true,
      })}
      {isSaid ? (
        <p id={`${id}-said`} className={wrong === undefined ? styles.hint : styles.wrong}>
          {said}
        </p>
      ) : null}
    </div>
  )
}

type Control<Tag extends 'input' | 'select' | 'textarea'> = Omit<ComponentProps<Tag>, 'className'> & {
  isSmall?: boolean
}

function lookOf(isSmall: boolean): string {
  return `${styles.input} ${isSmall ? styles.small : ''}`
}

export function Input({ isSmall = false, ...rest }: Control<'input'>) {
  return <input {...rest} className={lookOf(isSmall)} />
}

export function Textarea({ isSmall = false, ...rest }: Control<'textarea'>) {
  return <textarea {...rest} className={lookOf(isSmall)} />
}

export type Choice = { value: string; label: string }

/** The browser's own control, because it works with keyboard, screen reader and phone. */
export function Select({ isSmall = false, choices, ...rest }: Control<'select'> & { choices: readonly Choice[] }) {
  return (
    <select {...rest} className={lookOf(isSmall)}>
      {choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

export function AffixedInput({ sign, ...rest }: Control<'input'> & { sign: string }) {
  return (
    <div className={sign.length > 1 ? styles.coded : styles.affixed}>
      <span className={styles.affix} aria-hidden>
        {sign}
      </span>
      <Input {...rest} />
    </div>
  )
}

export function Checkbox({ children, ...rest }: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  return (
    <label className={styles.check}>
      <input type="checkbox" {...rest} />
      <span>{children}</span>
    </label>
  )
}

type CheckGroupProps = Omit<ComponentProps<'fieldset'>, 'className'> & { label: string; wrong?: string | undefined }

export function CheckGroup({ label, wrong, children, ...rest }: CheckGroupProps) {
  const id = useId()
  return (
    <fieldset {...rest} className={styles.checks} aria-describedby={wrong === undefined ? undefined : id}>
      <legend className={styles.label}>{label}</legend>
      {children}
      {wrong === undefined ? null : (
        <p id={id} className={styles.wrong}>
          {wrong}
        </p>
      )}
    </fieldset>
  )
}
