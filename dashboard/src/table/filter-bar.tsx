// The filters of a list in one line, and its tools at the end of it.

import { useState, type ReactNode } from 'react'
import { dateIn, stepDay } from '#format/time.ts'
import { Button } from '#ui/button.tsx'
import { Input, Select } from '#ui/field.tsx'
import { useZone } from '#ui/values.tsx'
import { AmountFilter } from './amount-filter.tsx'
import { namesOf, type Filter, type Filters } from './filters.ts'
import styles from './table.module.css'

type FilterBarProps = { filters: readonly Filter[]; state: Filters; children?: ReactNode }

export function FilterBar({ filters, state, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(state.isDeep)
  const deep = filters.filter(({ isDeep }) => isDeep === true)
  // Clearing the filters keeps the fields on the screen.
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
          <AmountFilter name="amountFrom" label="From ₦" state={state} />
          <AmountFilter name="amountTo" label="To ₦" state={state} />
        </>
      )
    case 'days':
      return (
        <>
          <Presets state={state} />
          <Day name="from" label="From" state={state} />
          <Day name="to" label="To" state={state} />
        </>
      )
  }
}

/** Asks when it is left or on Enter, not with each letter. */
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

/** The ranges of days that people ask for most. */
function Presets({ state }: { state: Filters }) {
  const zone = useZone()
  const today = dateIn(zone, new Date().getTime())
  const ranges: Record<string, [from: string, to: string]> = {
    Today: [today, today],
    Yesterday: [stepDay(today, -1), stepDay(today, -1)],
    'Last 7 days': [stepDay(today, -6), today],
    'This month': [`${today.slice(0, 7)}-01`, today],
  }
  const { from, to } = state.search
  const chosen = Object.keys(ranges).find((name) => ranges[name]?.[0] === from && ranges[name]?.[1] === to)
  const custom = from === undefined && to === undefined ? 'Any day' : 'Chosen days'
  return (
    <Select
      isSmall
      aria-label="Days"
      choices={[{ value: '', label: custom }, ...Object.keys(ranges).map((name) => ({ value: name, label: name }))]}
      value={chosen ?? ''}
      onChange={(event) => {
        const range = ranges[event.target.value]
        state.change({ from: range?.[0], to: range?.[1] })
      }}
    />
  )
}

function Day({ name, label, state }: { name: 'from' | 'to'; label: string; state: Filters }) {
  return (
    <label className={styles.filter}>
      {label}
      <Input
        isSmall
        type="date"
        value={state.search[name] ?? ''}
        onChange={(event) => state.change({ [name]: event.target.value })}
      />
    </label>
  )
}
