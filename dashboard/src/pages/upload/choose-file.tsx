// Reads a table out of a file, or out of cells copied from a spreadsheet.

import { useState } from 'react'
import { sayDay } from '#format/days.ts'
import { readTable, writeTable } from '#format/sheet.ts'
import { dateIn } from '#format/time.ts'
import { readXlsx } from '#format/xlsx.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input, Textarea } from '#ui/field.tsx'
import { Panel, Row, Stack } from '#ui/layout.tsx'
import { useZone } from '#ui/values.tsx'
import { findHead } from './columns-of.ts'
import type { Sheet } from './match-columns.tsx'

const fileBytesMax = 2 * 1024 * 1024

export function Template({ file, lines }: { file: string; lines: readonly string[][] }) {
  return (
    <a download={file} href={`data:text/csv;charset=utf-8,${encodeURIComponent(writeTable(lines))}`}>
      Download the template
    </a>
  )
}

function readSheet(title: string, table: string[][], rowsMax: number): Sheet | string {
  const headAt = findHead(table)
  const isNamed = headAt !== -1
  const first = table[Math.max(headAt, 0)] ?? []
  const rows = table.slice(headAt + 1)
  if (rows.length === 0) return 'There is no row in it.'
  if (rows.length > rowsMax)
    return `It has ${rows.length.toLocaleString('en-NG')} rows. Use at most ${rowsMax.toLocaleString('en-NG')}.`
  const heads = first.map((head, index) => (isNamed ? head : `Column ${index + 1}`))
  return { title: title.slice(0, 100), heads, rows }
}

type ChooseFileProps = { rowsMax: number; hint?: string; onRead: (sheet: Sheet) => void }

export function ChooseFile({ rowsMax, hint, onRead }: ChooseFileProps) {
  const zone = useZone()
  const [pasted, setPasted] = useState('')
  const [wrong, setWrong] = useState<string>()

  function read(title: string, table: string[][]): void {
    const sheet = readSheet(title, table, rowsMax)
    if (typeof sheet === 'string') setWrong(sheet)
    else onRead(sheet)
  }

  async function open(file: File | undefined): Promise<void> {
    if (file === undefined) return
    if (file.size > fileBytesMax) return setWrong('The file is larger than 2 MB.')
    try {
      const isSheet = file.name.toLowerCase().endsWith('.xlsx')
      read(file.name, isSheet ? await readXlsx(await file.arrayBuffer()) : readTable(await file.text()))
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error))
    }
  }

  return (
    <Panel>
      <Stack>
        <Field
          label="Excel or CSV file"
          hint={`${hint === undefined ? '' : `${hint} `}Only the first sheet of an Excel file is read.`}
          wrong={wrong}
        >
          {(ties) => (
            <Input
              {...ties}
              type="file"
              accept=".xlsx,.csv,.tsv,.txt,text/csv"
              onChange={(event) => void open(event.target.files?.[0])}
            />
          )}
        </Field>
        <Field label="Or paste cells" hint="Copy the rows in your spreadsheet, headings included.">
          {(ties) => <Textarea {...ties} rows={6} value={pasted} onChange={(event) => setPasted(event.target.value)} />}
        </Field>
        <Row>
          <Button
            tone="primary"
            disabledReason={pasted.trim() === '' ? 'Choose a file or paste rows first.' : undefined}
            onClick={() => read(`Pasted rows, ${sayDay(dateIn(zone, Date.now()))}`, readTable(pasted))}
          >
            Read rows
          </Button>
        </Row>
      </Stack>
    </Panel>
  )
}
