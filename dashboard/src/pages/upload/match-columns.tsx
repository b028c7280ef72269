// Matches the columns of a file by their names. The person can choose others.

import { useState } from 'react'
import { countOf } from '#format/ids.ts'
import { useRefusal } from '#shell/place.ts'
import { Button } from '#ui/button.tsx'
import { Field, Select } from '#ui/field.tsx'
import { Row, Section, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { matchColumns, type ColumnNames, type Columns } from './columns-of.ts'
import styles from './upload.module.css'

export type Sheet = { title: string; heads: string[]; rows: string[][] }

type MatchColumnsProps<Cell extends string> = {
  sheet: Sheet
  labels: Readonly<Partial<Record<Cell, string>>>
  names: ColumnNames<Cell>
  required: readonly Cell[]
  verb: 'Check' | 'Save'
  onRead: (rows: Partial<Record<Cell, string>>[]) => Promise<void>
  onBack: () => void
}

const previewRows = 5

export function MatchColumns<Cell extends string>(props: MatchColumnsProps<Cell>) {
  const { sheet, labels, names, required, verb, onRead, onBack } = props
  const { title, heads, rows } = sheet
  const cellNames = Object.keys(labels) as Cell[]
  const refusal = useRefusal('payouts.propose')
  const [columns, setColumns] = useState<Columns<Cell>>(() => matchColumns(heads, names))
  const { read, isBusy, wrong } = useRead(() => onRead(rows.map((row) => cellsOf(row, columns))))
  const missing = required.filter((cell) => columns[cell] === undefined).map((cell) => lowerFirst(labels[cell] ?? cell))
  const whyNot = missing.length === 0 ? undefined : `Choose the column of ${missing.join(' and ')}.`
  const choices = [
    { value: '', label: 'Not in the file' },
    ...heads.map((head, at) => ({ value: String(at), label: head })),
  ]
  const shown = cellNames.filter((cell) => columns[cell] !== undefined)
  return (
    <Section title={`${title}: ${countOf(rows.length, 'row')}`}>
      <Stack>
        <div className={styles.columns}>
          {cellNames.map((cell) => (
            <Field key={cell} label={required.includes(cell) ? (labels[cell] ?? '') : `${labels[cell]} (optional)`}>
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
        <FirstRows
          heads={shown.map((cell) => labels[cell] ?? cell)}
          rows={rows.slice(0, previewRows).map((row) => shown.map((cell) => row[columns[cell] ?? -1] ?? ''))}
        />
        {rows.length > previewRows ? (
          <p className={styles.note}>
            The first {previewRows} of {countOf(rows.length, 'row')}.
          </p>
        ) : null}
        {wrong === undefined ? null : <Notice tone="failed">{wrong}</Notice>}
        <Row>
          <Button tone="primary" isBusy={isBusy} disabledReason={refusal ?? whyNot} onClick={() => void read()}>
            {verb} {countOf(rows.length, 'row')}
          </Button>
          <Button tone="quiet" onClick={onBack}>
            Choose another file
          </Button>
        </Row>
      </Stack>
    </Section>
  )
}

function lowerFirst(label: string): string {
  return label.charAt(0).toLowerCase() + label.slice(1)
}

function withColumn<Cell extends string>(columns: Columns<Cell>, cell: Cell, value: string): Columns<Cell> {
  const others = Object.entries(columns).filter(([name]) => name !== cell)
  return Object.fromEntries(value === '' ? others : [...others, [cell, Number(value)]]) as Columns<Cell>
}

function useRead(onRead: () => Promise<void>) {
  const [isBusy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string>()
  async function read(): Promise<void> {
    setBusy(true)
    setWrong(undefined)
    try {
      await onRead()
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return { read, isBusy, wrong }
}

const cellLengthMax = 300

function cellsOf<Cell extends string>(row: readonly string[], columns: Columns<Cell>): Partial<Record<Cell, string>> {
  const pairs = (Object.entries(columns) as [Cell, number][]).map(
    ([cell, at]) => [cell, (row[at] ?? '').slice(0, cellLengthMax)] as const,
  )
  return Object.fromEntries(pairs.filter(([, text]) => text !== '')) as Partial<Record<Cell, string>>
}

function FirstRows({ heads, rows }: { heads: string[]; rows: string[][] }) {
  return (
    <div className={styles.preview} tabIndex={0} role="region" aria-label="The first rows">
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={heads[at]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
