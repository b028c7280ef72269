// Which column of the file is which, matched by name and changed by the person.

import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { cellNames, createDraft, type CellName, type Cells } from '#api/drafts.ts'
import { countOf } from '#format/ids.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Field, Select } from '#ui/field.tsx'
import { Row, Section, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { matchColumns, type Columns } from './columns-of.ts'
import styles from './upload.module.css'

/** What was read of a file. */
export type Sheet = { title: string; heads: string[]; rows: string[][] }

const labels: Record<CellName, string> = {
  name: 'Name',
  bank: 'Bank',
  account: 'Account number',
  amount: 'Amount in naira',
  narration: 'Narration',
  reference: 'Reference',
}
const required: CellName[] = ['bank', 'account', 'amount']

export function MatchColumns({ sheet, onBack }: { sheet: Sheet; onBack: () => void }) {
  const { title, heads, rows } = sheet
  const refusal = useRefusal('payouts.propose')
  const [columns, setColumns] = useState<Columns>(() => matchColumns(heads))
  const { make, isBusy, wrong } = useMakeDraft(sheet, columns)
  const missing = required.filter((cell) => columns[cell] === undefined).map((cell) => labels[cell].toLowerCase())
  const whyNot = missing.length === 0 ? undefined : `Choose the column of ${missing.join(' and ')}.`
  const choices = [
    { value: '', label: 'Not in the file' },
    ...heads.map((head, at) => ({ value: String(at), label: head })),
  ]
  return (
    <Section title={`${title}: ${countOf(rows.length, 'row')}`}>
      <Stack>
        <div className={styles.columns}>
          {cellNames.map((cell) => (
            <Field key={cell} label={required.includes(cell) ? labels[cell] : `${labels[cell]} (optional)`}>
              {(ties) => (
                <Select
                  {...ties}
                  choices={choices}
                  value={String(columns[cell] ?? '')}
                  onChange={({ target: { value } }) => setColumns((all) => withColumn(all, cell, value))}
                />
              )}
            </Field>
          ))}
        </div>
        <FirstRows rows={rows} columns={columns} />
        {wrong === undefined ? null : <Notice tone="failed">{wrong}</Notice>}
        <Row>
          <Button tone="primary" isBusy={isBusy} disabledReason={refusal ?? whyNot} onClick={() => void make()}>
            Check {countOf(rows.length, 'row')}
          </Button>
          <Button tone="quiet" onClick={onBack}>
            Choose another file
          </Button>
        </Row>
      </Stack>
    </Section>
  )
}

function withColumn(columns: Columns, cell: CellName, value: string): Columns {
  const others = Object.entries(columns).filter(([name]) => name !== cell)
  return Object.fromEntries(value === '' ? others : [...others, [cell, Number(value)]])
}

function useMakeDraft({ title, rows }: Sheet, columns: Columns) {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  // One for these rows, so that a second click makes no second draft.
  const [key] = useState(() => crypto.randomUUID())
  const [isBusy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string>()
  async function make(): Promise<void> {
    setBusy(true)
    setWrong(undefined)
    try {
      const { id } = await createDraft(place, { key, title, rows: rows.map((row) => cellsOf(row, columns)) })
      await refresh()
      await navigate({ to: paths.draft(place, id) })
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return { make, isBusy, wrong }
}

const cellLengthMax = 300

function cellsOf(row: readonly string[], columns: Columns): Partial<Cells> {
  const pairs = cellNames.map((cell) => [cell, (row[columns[cell] ?? -1] ?? '').slice(0, cellLengthMax)] as const)
  return Object.fromEntries(pairs.filter(([, text]) => text !== ''))
}

function FirstRows({ rows, columns }: { rows: string[][]; columns: Columns }) {
  const shown = cellNames.filter((cell) => columns[cell] !== undefined)
  return (
    <div className={styles.preview} tabIndex={0} role="region" aria-label="The first rows">
      <table>
        <thead>
          <tr>
            {shown.map((cell) => (
              <th key={cell} scope="col">
                {labels[cell]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, 5).map((row, index) => (
            <tr key={index}>
              {shown.map((cell) => (
                <td key={cell}>{row[columns[cell] ?? -1] ?? ''}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
