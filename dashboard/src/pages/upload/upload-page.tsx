// Payouts from a file: a file or cells copied from a spreadsheet, which become a draft to check and send.

import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createDraft, type CellName } from '#api/drafts.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { PageHead } from '#ui/layout.tsx'
import { ChooseFile, Template } from './choose-file.tsx'
import { payoutColumns } from './columns-of.ts'
import { MatchColumns, type Sheet } from './match-columns.tsx'
import styles from './upload.module.css'

const rowsMax = 10_000

const template = [
  ['Name', 'Bank', 'Account number', 'Amount', 'Narration', 'Reference'],
  ['Ada Obi', 'GTBank', '0123456789', '150000.00', 'November salary', ''],
]

export function UploadPage() {
  const [sheet, setSheet] = useState<Sheet>()
  return (
    <>
      <PageHead
        title="Payouts from a file"
        says="Up to 10,000 payouts at once. You check every row before anything is sent."
        actions={<Template file="payouts.csv" lines={template} />}
      />
      <div className={styles.page}>
        {sheet === undefined ? (
          <ChooseFile rowsMax={rowsMax} hint="Amounts are in naira." onRead={setSheet} />
        ) : (
          <Rows key={sheet.title} sheet={sheet} onBack={() => setSheet(undefined)} />
        )}
      </div>
    </>
  )
}

const labels: Record<CellName, string> = {
  name: 'Name',
  bank: 'Bank',
  account: 'Account number',
  amount: 'Amount in naira',
  narration: 'Narration',
  reference: 'Reference',
}

function Rows({ sheet, onBack }: { sheet: Sheet; onBack: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  // One for these rows, so that a second click makes no second draft.
  const [key] = useState(() => crypto.randomUUID())
  return (
    <MatchColumns
      sheet={sheet}
      labels={labels}
      names={payoutColumns}
      required={['bank', 'account', 'amount']}
      verb="Check"
      onRead={async (rows) => {
        const { id } = await createDraft(place, { key, title: sheet.title, rows })
        await refresh()
        await navigate({ to: paths.draft(place, id) })
      }}
      onBack={onBack}
    />
  )
}
