// A day, typed as people in Lagos write it or chosen from a calendar. The browser's own field takes the order of day and month
// from the browser's language, so that 03/04 is March to one person and April to another.

import { useRef, useState, type ComponentProps } from 'react'
import { isDay, parseDay, rangesOf, sayDay } from '#format/days.ts'
import { dateIn } from '#format/time.ts'
import { Button } from './button.tsx'
import { Field, Input, Select, type FieldFrame } from './field.tsx'
import styles from './field.module.css'
import { Icon } from './icons.tsx'
import { later } from './later.ts'

const Calendar = later(async () => (await import('./calendar.tsx')).Calendar)

type DatePickerProps = FieldFrame & {
  /** In the form `2026-11-23`; empty for none. A text that is no date is shown with its fault. */
  value: string
  /**
   * Called when the field is left, on Enter, and with a day of the calendar. `day` is empty if the field was cleared.
   */
  onDay: (day: string) => void
  /** The time zone that decides which day is today. */
  zone: string
  isSmall?: boolean
} & Pick<ComponentProps<'input'>, 'name' | 'onInput'>

export function DatePicker({ label, hint, wrong, isInline = false, value, onDay, zone, ...rest }: DatePickerProps) {
  const today = dateIn(zone, new Date().getTime())
  const { text, day, isWrong, edit, take, apply } = useTypedDay(value, today, onDay)
  const [isOpen, setOpen] = useState(false)
  return (
    <Field
      label={label}
      hint={hint}
      wrong={isWrong ? 'This is not a date. Enter a date such as 23 Nov 2026.' : wrong}
      isInline={isInline}
    >
      {(ties) => (
        <div className={styles.date}>
          <Input
            {...rest}
            {...ties}
            placeholder="dd/mm/yyyy"
            autoComplete="off"
            value={text}
            onChange={({ target }) => edit(target.value)}
            onBlur={apply}
            onKeyDown={({ key }) => {
              if (key === 'Enter') apply()
              if (key === 'ArrowDown') setOpen(true)
            }}
          />
          <CalendarButton label={label} day={day} today={today} isOpen={isOpen} setOpen={setOpen} onDay={take} />
        </div>
      )}
    </Field>
  )
}

/** Text is judged when the field is left, not while a person types. */
function useTypedDay(value: string, today: string, onDay: (day: string) => void) {
  const [typed, setTyped] = useState<string>()
  const [isJudged, setJudged] = useState(true)
  const [shownFor, setShownFor] = useState(value)
  if (shownFor !== value) {
    setShownFor(value)
    setTyped(undefined)
  }
  const text = typed ?? (isDay(value) ? sayDay(value) : value)
  const day = typed === undefined && !isDay(value) ? undefined : parseDay(text, today)

  function take(next: string): void {
    setTyped(undefined)
    setJudged(true)
    if (next !== value) onDay(next)
  }

  return {
    text,
    day,
    isWrong: isJudged && text.trim() !== '' && day === undefined,
    edit(next: string): void {
      setTyped(next)
      setJudged(false)
    },
    take,
    apply(): void {
      if (day !== undefined) take(day)
      else if (text.trim() === '') take('')
      else setJudged(true)
    },
  }
}

type CalendarButtonProps = {
  label: string
  day: string | undefined
  today: string
  isOpen: boolean
  setOpen: (isOpen: boolean) => void
  onDay: (day: string) => void
}

function CalendarButton({ label, day, today, isOpen, setOpen, onDay }: CalendarButtonProps) {
  const opener = useRef<HTMLButtonElement>(null)
  return (
    <>
      <Button
        ref={opener}
        tone="quiet"
        isIcon
        aria-label={`Calendar: ${label}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="calendar" />
      </Button>
      {isOpen ? (
        <Calendar
          label={label}
          chosen={day}
          today={today}
          opener={opener}
          onDay={(next) => {
            setOpen(false)
            onDay(next)
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  )
}

type DayPresetsProps = {
  from: string | undefined
  to: string | undefined
  /** The label of the choice that sets no day. */
  any?: string
  zone: string
  onRange: (range: { from: string | undefined; to: string | undefined }) => void
} & Omit<ComponentProps<typeof Select>, 'choices' | 'value' | 'onChange'>

export function DayPresets({ from = '', to = '', any = 'Any day', zone, onRange, ...rest }: DayPresetsProps) {
  const ranges = rangesOf(dateIn(zone, new Date().getTime()))
  const names = Object.keys(ranges)
  const chosen = names.find((name) => ranges[name]?.from === from && ranges[name].to === to)
  const other = from === '' && to === '' ? any : 'Chosen days'
  return (
    <Select
      {...rest}
      choices={[{ value: '', label: other }, ...names.map((name) => ({ value: name, label: name }))]}
      value={chosen ?? ''}
      onChange={({ target }) => onRange(ranges[target.value] ?? { from: undefined, to: undefined })}
    />
  )
}
