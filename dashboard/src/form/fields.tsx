// The fields of forms. Each shows its own fault, so pages do not pass faults along.

import { useState, type ComponentProps, type ReactNode } from 'react'
import { parseDay } from '#format/days.ts'
import { formatMoney, parseMoney, unitOf, type Currency } from '#format/money.ts'
import { saidInWordsFrom, sayMoney } from '#format/money-words.ts'
import { dateIn } from '#format/time.ts'
import { DatePicker } from '#ui/date-picker.tsx'
import { AffixedInput, CheckGroup, Field, Input, Select, Textarea, type Choice, type FieldFrame } from '#ui/field.tsx'
import { faultIn, useFault, type Values } from './form.tsx'

type Named = { name: string } & Omit<FieldFrame, 'wrong'>
type InputProps = Omit<ComponentProps<'input'>, 'name' | 'className'>

export function TextField({ name, label, hint, ...rest }: Named & InputProps) {
  const { wrong, forgive } = useFault(name)
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(ties) => <Input {...rest} {...ties} name={name} onInput={forgive} />}
    </Field>
  )
}

export function LongTextField({ name, label, hint, ...rest }: Named & Omit<ComponentProps<'textarea'>, 'className'>) {
  const { wrong, forgive } = useFault(name)
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(ties) => <Textarea {...rest} {...ties} name={name} onInput={forgive} />}
    </Field>
  )
}

type SelectProps = Named & { choices: readonly Choice[] } & Omit<ComponentProps<'select'>, 'className' | 'name'>

export function SelectField({ name, label, hint, choices, ...rest }: SelectProps) {
  const { wrong, forgive } = useFault(name)
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(ties) => <Select {...rest} {...ties} name={name} choices={choices} onInput={forgive} />}
    </Field>
  )
}

type DateFieldProps = Named & { value: string; zone: string; onDay: (day: string) => void }

/** A field for a date. `dayOf` reads its value. */
export function DateField({ name, onDay, ...rest }: DateFieldProps) {
  const { wrong, forgive } = useFault(name)
  return (
    <DatePicker
      {...rest}
      name={name}
      wrong={wrong}
      onInput={forgive}
      onDay={(day) => {
        forgive()
        onDay(day)
      }}
    />
  )
}

/** The value of a date field, such as `2026-11-23`; empty if the field is empty. Throws a fault if it is not a date. */
export function dayOf(values: Values, name: string, zone: string): string {
  const typed = (values[name] ?? '').trim()
  const day = typed === '' ? '' : parseDay(typed, dateIn(zone, new Date().getTime()))
  if (day === undefined) throw faultIn(name, 'Enter a date such as 23 Nov 2026.')
  return day
}

/** An error of the server whose field is `name` is about all boxes together, and is shown below them. */
export function ChecksField({ name, label, children }: { name: string; label: string; children: ReactNode }) {
  const { wrong, forgive } = useFault(name)
  return <CheckGroup name={name} label={label} wrong={wrong} onChange={forgive} children={children} />
}

export function PasswordField({ isNew = false, ...rest }: Named & { isNew?: boolean }) {
  return (
    <TextField
      {...rest}
      type="password"
      autoComplete={isNew ? 'new-password' : 'current-password'}
      hint={isNew ? 'At least 12 characters. A short sentence works well.' : rest.hint}
    />
  )
}

export function CodeField({ name, label }: { name: string; label: string }) {
  return (
    <TextField
      name={name}
      label={label}
      hint="Six digits from your app, or one of your recovery codes."
      autoComplete="one-time-code"
      inputMode="text"
      autoCapitalize="none"
      spellCheck={false}
    />
  )
}

export function AccountNumberField({ name, label, ...rest }: Named & InputProps) {
  return <TextField name={name} label={label} inputMode="numeric" maxLength={13} autoComplete="off" {...rest} />
}

type MoneyFieldProps = Named & InputProps & { currency?: Currency; onAmount?: (amount: number | undefined) => void }

/** An amount as a person types it. From a million on, the field also shows it in words. */
export function MoneyField({ name, label, hint, currency = 'NGN', onAmount, ...rest }: MoneyFieldProps) {
  const { wrong, forgive } = useFault(name)
  const [typed, setTyped] = useState(String(rest.defaultValue ?? ''))
  const read = parseMoney(typed, currency)
  const words = 'amount' in read ? sayLarge(read.amount, currency) : undefined
  return (
    <Field label={label} hint={words ?? hint} wrong={wrong}>
      {(ties) => (
        <AffixedInput
          {...rest}
          {...ties}
          sign={currency === 'NGN' ? '₦' : currency}
          name={name}
          inputMode={unitOf(currency) === 1n ? 'numeric' : 'decimal'}
          autoComplete="off"
          onInput={(event) => {
            const text = event.currentTarget.value
            setTyped(text)
            const now = parseMoney(text, currency)
            onAmount?.('amount' in now ? now.amount : undefined)
            forgive()
          }}
        />
      )}
    </Field>
  )
}

function sayLarge(amount: number, currency: Currency): string | undefined {
  if (amount < saidInWordsFrom * Number(unitOf(currency))) return undefined
  return `${formatMoney(amount, currency)}: ${sayMoney(amount, currency)}`
}

export function amountOf(values: Values, name: string, currency: Currency = 'NGN'): number {
  const read = parseMoney(values[name] ?? '', currency)
  if ('wrong' in read) throw faultIn(name, read.wrong)
  return read.amount
}
