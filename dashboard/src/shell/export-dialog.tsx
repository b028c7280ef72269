// What an export holds: the rows of the filters on screen, all pages of them, in columns, days, a status and a zone that can
// be chosen anew here.

import { useState } from 'react'
import type { Query } from '#api/client.ts'
import { SelectField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { endOfDay, startOfDay, zones } from '#format/time.ts'
import type { ExportColumn } from '#table/export-columns.ts'
import type { Filter, Filters } from '#table/filters.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { useZone } from '#ui/values.tsx'
import styles from './export-dialog.module.css'

type ExportDialogProps = {
  columns: readonly ExportColumn[]
  filters: readonly Filter[]
  state: Filters
  hasPdf: boolean
  /** Rejects with what is wrong with it. */
  onExport: (query: Query, format: string) => Promise<void>
  onClose: () => void
}

export function ExportDialog({ columns, filters, state, hasPdf, onExport, onClose }: ExportDialogProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const screenZone = useZone()
  const chosen = columns.map(({ id }) => id).filter((id) => !left.has(id))
  const status = filters.find((filter) => filter.kind === 'choice' && filter.name === 'status')
  const hasDays = filters.some(({ kind }) => kind === 'days')
  const others = state.active.filter((name) => name !== 'Time' && name !== 'Status')
  const which = others.length === 0 ? 'All rows' : `The rows of these filters: ${others.join(', ')}`
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
        {hasDays ? (
          <div className={styles.days}>
            <TextField name="from" label="From" type="date" defaultValue={state.search['from'] ?? ''} />
            <TextField name="to" label="To" type="date" defaultValue={state.search['to'] ?? ''} />
          </div>
        ) : null}
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

const formats = [
  { value: 'xlsx', label: 'Excel (XLSX)' },
  { value: 'csv', label: 'CSV' },
]

const pdf = { value: 'pdf', label: 'PDF, all columns, times in Lagos' }

const zoneChoices = zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))

/** Days are days of the zone that was chosen. What the dialog does not ask for stays as the page has it. */
function queryOf({ query, search }: Filters, values: Readonly<Record<string, string>>): Query {
  const { page: _page, limit: _limit, behind: _behind, ...kept } = query
  const { from = '', to = '', status = search['status'] ?? '', zone = 'UTC', columns = '' } = values
  return {
    ...kept,
    // Without fields for days, as on the statement, the page's own range holds.
    ...('from' in values
      ? { from: from === '' ? undefined : startOfDay(from, zone), to: to === '' ? undefined : endOfDay(to, zone) }
      : {}),
    status,
    zone,
    columns,
  }
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return set.has(id) ? new Set([...set].filter((other) => other !== id)) : new Set([...set, id])
}
