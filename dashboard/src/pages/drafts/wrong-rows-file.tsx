// The rows with errors as a file, with a column for the error.

import { useState } from 'react'
import { cellNames, listWrongRows, type CellName, type DraftDetail, type DraftRow } from '#api/drafts.ts'
import { writeTable } from '#format/sheet.ts'
import { usePlace } from '#shell/place.ts'
import { Button } from '#ui/button.tsx'
import { useSay } from '#ui/say.ts'

export function WrongRowsFile({ draft }: { draft: DraftDetail }) {
  const place = usePlace()
  const say = useSay()
  const [isBusy, setBusy] = useState(false)
  async function download(): Promise<void> {
    setBusy(true)
    try {
      const rows = await listWrongRows(place, draft)
      const hasCurrency = draft.currency !== 'NGN' || rows.some(({ cells }) => cells.currency !== '')
      const names = cellNames.filter((name) => name !== 'currency' || hasCurrency)
      const lines = rows.map((row) => lineOf(row, names))
      save('payouts-with-errors.csv', writeTable([[...names, 'error'], ...lines]))
    } catch (error) {
      say(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  return (
    <Button isSmall isBusy={isBusy} onClick={() => void download()}>
      Download them
    </Button>
  )
}

function lineOf({ cells, errors }: DraftRow, names: readonly CellName[]): string[] {
  return [...names.map((name) => cells[name]), errors.map(({ message }) => message).join(' ')]
}

function save(name: string, text: string): void {
  const link = document.createElement('a')
  link.download = name
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.click()
  URL.revokeObjectURL(link.href)
}
