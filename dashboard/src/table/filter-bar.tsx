// The filters of a list in one line, and its tools at the end of it.

import { useState, type ReactNode } from 'react'
import { isDay } from '#format/days.ts'
import { Button } from '#ui/button.tsx'
import { DatePicker, DayPresets } from '#ui/date-picker.tsx'
import { Input, Select } from '#ui/field.tsx'
import { useZone } from '#ui/values.tsx'
import { AmountFilter } from './amount-filter.tsx'
import { namesOf, type Filter, type Filters } from './filters.ts'
import styles from './table.module.css'

type FilterBarProps = { filters: readonly Filter[]; state: Filters; children?: ReactNode }

export function FilterBar({ filters, state, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(state.isDeep)
  const deep = filters.filter(({ isDeep }) => isDeep === true)
  // Opens the fields of “More filters” if one of them is set. They stay open when the filters are cleared.
  if (state.isDeep && !isOpen) setOpen(true)
  return (
    <div role="search" aria-label="Filters">
      <div className={styles.bar}>
        {filters
          .filter(({ isDeep }) => isDeep !== true)
          .map((filter) => (
            <OneFilter key={namesOf(filter).join()} filter={filter} state={state} />
          ))}
        {deep.length === 0 || isOpen ? null : (
          <Button tone="quiet" aria-expanded={false} onClick={() => setOpen(true)}>
            More filters
          </Button>
        )}
        {state.active.length === 0 ? null : (
          <Button tone="quiet" onClick={state.clear}>
            Clear
          </Button>
        )}
        <div className={styles.tools}>{children}</div>
      </div>
      {isOpen ? (
        <div className={styles.deep}>
          {deep.map((filter) => (
            <OneFilter key={namesOf(filter).join()} filter={filter} state={state} />
          ))}
        </div>
      ) : null}
    </div>
  )
}

function OneFilter({ filter, state }: { filter: Filter; state: Filters }) {
  switch (filter.kind) {
    case 'choice':
      return (
        <Select
          isSmall
          aria-label={filter.label}
          choices={[{ value: '', label: `${filter.label}: all` }, ...filter.choices]}
          value={state.search[filter.name] ?? ''}
          onChange={(event) => state.change({ [filter.name]: event.target.value })}
        />
      )
    case 'text':
      return <TextFilter filter={filter} state={state} />
    case 'amounts':
      return (
        <>
          <AmountFilter name="amountFrom" state={state} />
          <AmountFilter name="amountTo" state={state} />
        </>
      )
    case 'days':
      return <Days names={['from', 'to']} labels={['Days', 'From', 'To']} any="Any day" state={state} />
    case 'ended':
      return (
        <Days
          names={['endedFrom', 'endedTo']}
          labels={['Days of the end', 'Ended from', 'Ended to']}
          any="Ended: any day"
          state={state}
        />
      )
  }
}

/** Applies on blur or Enter, not with each letter. */
function TextFilter({ filter, state }: { filter: Extract<Filter, { kind: 'text' }>; state: Filters }) {
  const set = state.search[filter.name] ?? ''
  const [typed, setTyped] = useState(set)
  const [shownFor, setShownFor] = useState(set)
  if (shownFor !== set) {
    setShownFor(set)
    setTyped(set)
  }
  const apply = (): void => (typed === set ? undefined : state.change({ [filter.name]: typed.trim() }))
  return (
    <Input
      isSmall
      aria-label={filter.label}
      placeholder={filter.placeholder ?? filter.label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => (event.key === 'Enter' ? apply() : undefined)}
    />
  )
}

type DaysProps = {
  names: [from: string, to: string]
  labels: [both: string, from: string, to: string]
  /** The label of the choice that sets no day. */
  any: string
  state: Filters
}

function Days({ names: [first, last], labels: [both, fromLabel, toLabel], any, state }: DaysProps) {
  const zone = useZone()
  const [from = '', to = ''] = [state.search[first], state.search[last]]
  const isBackwards = isDay(from) && isDay(to) && from > to
  return (
    <>
      <DayPresets
        isSmall
        aria-label={both}
        any={any}
        from={from}
        to={to}
        zone={zone}
        onRange={(range) => state.change({ [first]: range.from, [last]: range.to })}
      />
      <DatePicker
        isSmall
        isInline
        label={fromLabel}
        value={from}
        zone={zone}
        onDay={(day) => state.change({ [first]: day })}
      />
      <DatePicker
        isSmall
        isInline
        label={toLabel}
        value={to}
        wrong={isBackwards ? 'This day is before the first day.' : undefined}
        zone={zone}
        onDay={(day) => state.change({ [last]: day })}
      />
    </>
  )
}
