// An export contains all rows that match the filters on screen. The dialog lets the person change the columns, days,
// status and zone.

import { useState } from 'react'
import type { Query } from '#api/client.ts'
import { DateField, dayOf, SelectField } from '#form/fields.tsx'
import { faultIn, Form, type Values } from '#form/form.tsx'
import { endOfDay, startOfDay, zones } from '#format/time.ts'
import type { ExportColumn } from '#table/export-columns.ts'
import type { Filter, Filters } from '#table/filters.ts'
import { DayPresets } from '#ui/date-picker.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox, Field } from '#ui/field.tsx'
import { useZone } from '#ui/values.tsx'
import styles from './export-dialog.module.css'

type ExportDialogProps = {
  columns: readonly ExportColumn[]
  filters: readonly Filter[]
  state: Filters
  hasPdf: boolean
  /** The period of the page, if the dialog does not ask for days. */
  period?: string | undefined
  /** Rejects with the faults of the request. */
  onExport: (query: Query, format: string) => Promise<void>
  onClose: () => void
}

export function ExportDialog({ columns, filters, state, hasPdf, period, onExport, onClose }: ExportDialogProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const screenZone = useZone()
  const [days, setDays] = useState<Range>({ from: state.search['from'] ?? '', to: state.search['to'] ?? '' })
  const chosen = columns.map(({ id }) => id).filter((id) => !left.has(id))
  const status = filters.find((filter) => filter.kind === 'choice' && filter.name === 'status')
  const hasDays = filters.some(({ kind }) => kind === 'days')
  const others = state.active.filter((name) => name !== 'Time' && name !== 'Status')
  const all = period === undefined ? 'All rows' : `All rows of ${period}`
  const which = others.length === 0 ? all : `The rows of these filters: ${others.join(', ')}`
  return (
    <Dialog title="Export" says={`${which}, on all pages. Times are in UTC and in the chosen zone.`} onClose={onClose}>
      <Form
        submit="Export"
        asksToLeave={false}
        disabledReason={chosen.length === 0 ? 'Choose a column first.' : undefined}
        onSubmit={(values) =>
          onExport(queryOf(state, { ...values, columns: chosen.join() }), values['format'] ?? 'xlsx')
        }
      >
        {hasDays ? <Days {...days} zone={screenZone} onChange={setDays} /> : null}
        {status?.kind === 'choice' ? (
          <SelectField
            name="status"
            label="Status"
            choices={[{ value: '', label: 'All' }, ...status.choices]}
            defaultValue={state.search['status'] ?? ''}
          />
        ) : null}
        <SelectField name="format" label="Format" choices={hasPdf ? [...formats, pdf] : formats} />
        <SelectField name="zone" label="Zone" choices={zoneChoices} defaultValue={screenZone} />
        <fieldset className={styles.columns}>
          <legend>Columns</legend>
          {columns.map(({ id, head }) => (
            <Checkbox key={id} checked={!left.has(id)} onChange={() => setLeft(toggled(left, id))}>
              {head}
            </Checkbox>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  )
}

type Range = { from: string; to: string }

function Days({ from, to, zone, onChange }: Range & { zone: string; onChange: (range: Range) => void }) {
  return (
    <div className={styles.days}>
      <div className={styles.presets}>
        <Field label="Days">
          {(ties) => (
            <DayPresets
              {...ties}
              from={from}
              to={to}
              zone={zone}
              onRange={(range) => onChange({ from: range.from ?? '', to: range.to ?? '' })}
            />
          )}
        </Field>
      </div>
      <DateField name="from" label="From" value={from} zone={zone} onDay={(day) => onChange({ from: day, to })} />
      <DateField name="to" label="To" value={to} zone={zone} onDay={(day) => onChange({ from, to: day })} />
    </div>
  )
}

const formats = [
  { value: 'xlsx', label: 'Excel (XLSX)' },
  { value: 'csv', label: 'CSV' },
]

const pdf = { value: 'pdf', label: 'PDF, all columns, times in Lagos' }

const zoneChoices = zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))

/** Days are days of the chosen zone. Filters that the dialog does not show stay as on the page. */
function queryOf({ query, search }: Filters, values: Values): Query {
  const { page: _page, limit: _limit, behind: _behind, ...kept } = query
  const { status = search['status'] ?? '', zone = 'UTC', columns = '' } = values
  return { ...kept, ...('from' in values ? instantsOf(values, zone) : {}), status, zone, columns }
}

function instantsOf(values: Values, zone: string): { from: string | undefined; to: string | undefined } {
  const [from, to] = [dayOf(values, 'from', zone), dayOf(values, 'to', zone)]
  if (from !== '' && to !== '' && from > to) throw faultIn('to', 'This day is before the first day.')
  return { from: from === '' ? undefined : startOfDay(from, zone), to: to === '' ? undefined : endOfDay(to, zone) }
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return set.has(id) ? new Set([...set].filter((other) => other !== id)) : new Set([...set, id])
}
