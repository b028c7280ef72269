// A month of days to choose from, over the page. Arrows move by a day and a week, Home and End to the ends of the week, PageUp
// and PageDown by a month, with Shift by a year.

import { Popover } from '@base-ui/react/popover'
import { useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { nameMonth, sayDay, stepDayByMonths, weekdayOf, weeksOf } from '#format/days.ts'
import { stepDay } from '#format/time.ts'
import { Button } from './button.tsx'
import styles from './calendar.module.css'
import floating from './floating.module.css'
import { Icon } from './icons.tsx'

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

type CalendarProps = {
  label: string
  chosen: string | undefined
  today: string
  /** Takes the focus back. */
  opener: RefObject<HTMLButtonElement | null>
  onDay: (day: string) => void
  onClose: () => void
}

export function Calendar({ label, chosen, today, opener, onDay, onClose }: CalendarProps) {
  const [day, setDay] = useState(chosen ?? today)
  const atDay = useRef<HTMLButtonElement>(null)
  const id = useId()

  function move(event: KeyboardEvent): void {
    const next = stepBy(event, day)
    if (next === undefined) return
    event.preventDefault()
    flushSync(() => setDay(next))
    atDay.current?.focus()
  }

  return (
    <Popover.Root
      open
      onOpenChange={(_, { event }) => {
        // A click on the opener is left out, because the opener's own handler closes the calendar.
        if (!(event.target instanceof Node && opener.current?.contains(event.target) === true)) onClose()
      }}
    >
      <Popover.Portal>
        <Popover.Positioner anchor={opener} sideOffset={6} align="end" className={floating.layer}>
          <Popover.Popup
            className={`${floating.popup} ${styles.calendar}`}
            aria-label={`Choose a date: ${label}`}
            initialFocus={atDay}
            finalFocus={opener}
          >
            <div className={styles.head}>
              <Step name="chevronLeft" label="Previous month" onClick={() => setDay(stepDayByMonths(day, -1))} />
              <strong id={id} aria-live="polite">
                {nameMonth(day.slice(0, 7))}
              </strong>
              <Step name="chevronRight" label="Next month" onClick={() => setDay(stepDayByMonths(day, 1))} />
            </div>
            <Days
              day={day}
              chosen={chosen}
              today={today}
              labelledBy={id}
              atDay={atDay}
              onKeyDown={move}
              onDay={onDay}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

type DaysProps = Pick<CalendarProps, 'chosen' | 'today' | 'onDay'> & {
  /** The day that the Tab key reaches. */
  day: string
  atDay: RefObject<HTMLButtonElement | null>
  labelledBy: string
  onKeyDown: (event: KeyboardEvent) => void
}

function Days({ day, chosen, today, labelledBy, atDay, onKeyDown, onDay }: DaysProps) {
  const month = day.slice(0, 7)
  const drawDay = (date: string) => (
    <td key={date} role="gridcell" aria-selected={date === chosen}>
      <button
        ref={date === day ? atDay : undefined}
        type="button"
        tabIndex={date === day ? 0 : -1}
        aria-label={`${weekdays[weekdayOf(date)]} ${sayDay(date)}`}
        aria-current={date === today ? 'date' : undefined}
        data-outside={date.startsWith(month) ? undefined : true}
        onClick={() => onDay(date)}
      >
        {Number(date.slice(8))}
      </button>
    </td>
  )
  return (
    <table role="grid" aria-labelledby={labelledBy} className={styles.days} onKeyDown={onKeyDown}>
      <thead>
        <tr>
          {weekdays.map((name) => (
            <th key={name} scope="col" abbr={name}>
              {name.slice(0, 2)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week[0]}>{week.map(drawDay)}</tr>
        ))}
      </tbody>
    </table>
  )
}

type StepProps = { name: 'chevronLeft' | 'chevronRight'; label: string; onClick: () => void }

function Step({ name, label, onClick }: StepProps) {
  return (
    <Button tone="quiet" isIcon aria-label={label} onClick={onClick}>
      <Icon name={name} />
    </Button>
  )
}

function stepBy({ key, shiftKey }: KeyboardEvent, day: string): string | undefined {
  switch (key) {
    case 'ArrowLeft':
      return stepDay(day, -1)
    case 'ArrowRight':
      return stepDay(day, 1)
    case 'ArrowUp':
      return stepDay(day, -7)
    case 'ArrowDown':
      return stepDay(day, 7)
    case 'Home':
      return stepDay(day, -weekdayOf(day))
    case 'End':
      return stepDay(day, 6 - weekdayOf(day))
    case 'PageUp':
      return stepDayByMonths(day, shiftKey ? -12 : -1)
    case 'PageDown':
      return stepDayByMonths(day, shiftKey ? 12 : 1)
    default:
      return undefined
  }
}
