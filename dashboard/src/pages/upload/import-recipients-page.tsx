// Recipients from a file: readable rows are saved, and the person corrects the others here, cell by cell.

import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { importRecipients, type CellFault, type RecipientCellName, type RecipientCells } from '#api/recipients.ts'
import { countOf } from '#format/ids.ts'
import { Form } from '#form/form.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { PageHead, Row, Section, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { ChooseFile, Template } from './choose-file.tsx'
import { recipientColumns } from './columns-of.ts'
import { MatchColumns, type Sheet } from './match-columns.tsx'
import styles from './upload.module.css'

const rowsMax = 5_000
/** At most this many wrong rows are shown at once; the others follow when these are corrected. */
const shownAtOnce = 50

const template = [
  ['Name', 'Bank', 'Account number', 'Tags'],
  ['Ada Obi', 'GTBank', '0123456789', 'salaries, Lagos'],
]

const labels: Record<RecipientCellName, string> = {
  name: 'Name',
  bank: 'Bank',
  account: 'Account number',
  tags: 'Tags',
}

type WrongRow = { number: number; cells: RecipientCells; errors: CellFault[] }
/** `round`: how often rows were sent. */
type Done = { round: number; saved: number; known: number; wrong: WrongRow[] }

export function ImportRecipientsPage() {
  const place = usePlace()
  const refresh = useRefresh()
  const [sheet, setSheet] = useState<Sheet>()
  const [done, setDone] = useState<Done>()

  async function save(rows: { number: number; cells: RecipientCells }[]): Promise<void> {
    const { saved, unsaved } = await importRecipients(
      place,
      rows.map(({ cells }) => cells),
    )
    const left = unsaved.flatMap(({ number, errors }) => {
      const row = rows[number - 1]
      return row === undefined ? [] : [{ ...row, errors }]
    })
    const wrong = left.filter(({ errors }) => errors.length > 0)
    const known = left.length - wrong.length
    setDone((before = { round: 0, saved: 0, known: 0, wrong: [] }) => ({
      round: before.round + 1,
      saved: before.saved + saved,
      known: before.known + known,
      wrong,
    }))
    await refresh()
  }

  return (
    <>
      <PageHead
        title="Recipients from a file"
        says="Up to 5,000 recipients. Banks confirm the names after they are saved."
        actions={<Template file="recipients.csv" lines={template} />}
      />
      <div className={styles.page}>
        {done !== undefined ? (
          <Result done={done} onSave={save} />
        ) : sheet === undefined ? (
          <ChooseFile rowsMax={rowsMax} onRead={setSheet} />
        ) : (
          <MatchColumns
            key={sheet.title}
            sheet={sheet}
            labels={labels}
            names={recipientColumns}
            required={['name', 'bank', 'account']}
            verb="Save"
            onRead={(rows) => save(rows.map((cells, index) => ({ number: index + 1, cells })))}
            onBack={() => setSheet(undefined)}
          />
        )}
      </div>
    </>
  )
}

function Result({ done, onSave }: { done: Done; onSave: (rows: WrongRow[]) => Promise<void> }) {
  const place = usePlace()
  const { round, saved, known, wrong } = done
  return (
    <Stack isWide>
      <Notice tone={wrong.length === 0 ? 'done' : 'asks'}>
        {countOf(saved, 'recipient')} saved.
        {known === 0 ? '' : ` ${countOf(known, 'account')} of the file had been saved before.`}
        {wrong.length === 0 ? '' : ` ${countOf(wrong.length, 'row')} could not be read.`}
      </Notice>
      {wrong.length === 0 ? null : <Mend key={round} rows={wrong} onSave={onSave} />}
      <Row>
        <Link to={paths.recipients(place)} className={buttonLook()}>
          View recipients
        </Link>
      </Row>
    </Stack>
  )
}

function Mend({ rows, onSave }: { rows: WrongRow[]; onSave: (rows: WrongRow[]) => Promise<void> }) {
  const [mended, setMended] = useState(rows)
  const change = (number: number, name: RecipientCellName, text: string): void =>
    setMended((all) =>
      all.map((row) => (row.number === number ? { ...row, cells: { ...row.cells, [name]: text } } : row)),
    )
  return (
    <Section title="Rows to correct">
      <Form submit={`Save ${countOf(mended.length, 'row')}`} onSubmit={() => onSave(mended)}>
        {mended.slice(0, shownAtOnce).map((row) => (
          <fieldset key={row.number} className={styles.columns}>
            <legend>Row {row.number}</legend>
            {(Object.keys(labels) as RecipientCellName[]).map((name) => (
              <Cell key={name} row={row} name={name} onChange={(text) => change(row.number, name, text)} />
            ))}
            <div>
              <Button isSmall onClick={() => setMended((all) => all.filter((one) => one !== row))}>
                Leave out row {row.number}
              </Button>
            </div>
          </fieldset>
        ))}
        {mended.length > shownAtOnce ? (
          <p>{countOf(mended.length - shownAtOnce, 'more row')} will be shown after these.</p>
        ) : null}
      </Form>
    </Section>
  )
}

type CellProps = { row: WrongRow; name: RecipientCellName; onChange: (text: string) => void }

function Cell({ row: { cells, errors }, name, onChange }: CellProps) {
  const own = errors.filter(({ field }) => field === name)
  const offers = own.flatMap((error) => error.offers ?? [])
  return (
    <div>
      <Field label={labels[name]} wrong={own.length === 0 ? undefined : own.map(({ message }) => message).join(' ')}>
        {(ties) => (
          <Input
            {...ties}
            value={cells[name] ?? ''}
            autoComplete="off"
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {offers.map((offer) => (
        <Button key={offer} isSmall onClick={() => onChange(offer)}>
          Use {offer}
        </Button>
      ))}
    </div>
  )
}
