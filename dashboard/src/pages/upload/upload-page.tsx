// Payouts from a file: a file or cells copied from a spreadsheet, which become a draft to check and send.

import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CellName } from '#api/drafts.ts'
import type { Currency } from '#api/schema.ts'
import { useCreateDraft } from '#shell/create-draft.ts'
import { useSwitchedOn } from '#shell/currency-switch.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Field, Select } from '#ui/field.tsx'
import { PageHead, Stack } from '#ui/layout.tsx'
import { ChooseFile, Template } from './choose-file.tsx'
import { payoutColumns } from './columns-of.ts'
import { MatchColumns, type Sheet } from './match-columns.tsx'
import styles from './upload.module.css'

const rowsMax = 10_000

const template = [
  ['Name', 'Bank', 'Account number', 'Amount', 'Narration', 'Reference'],
  ['Ada Obi', 'GTBank', '0123456789', '150000.00', 'November salary', ''],
]

const templateWithCurrency = [
  ['Name', 'Bank or operator', 'Account or phone number', 'Amount', 'Currency', 'Narration', 'Reference'],
  ['Ada Obi', 'GTBank', '0123456789', '150000.00', 'NGN', 'November salary', ''],
]

export function UploadPage() {
  const [sheet, setSheet] = useState<Sheet>()
  const currencies = useSwitchedOn()
  const [chosen, setChosen] = useState<string>('')
  const currency = currencies.find((one) => one === chosen)
  const hasChoice = currencies.length > 1
  // The page keeps the idempotency key if the user chooses another file, because the response to the first may be lost.
  const createDraft = useCreateDraft()
  return (
    <>
      <PageHead
        title="Payouts from a file"
        says="Up to 10,000 payouts at once. You check every row before anything is sent."
        actions={<Template file="payouts.csv" lines={hasChoice ? templateWithCurrency : template} />}
      />
      <div className={styles.page}>
        {sheet === undefined ? (
          <Stack isWide>
            {hasChoice ? <CurrencyOfFile currencies={currencies} value={chosen} onChange={setChosen} /> : null}
            <ChooseFile
              rowsMax={rowsMax}
              hint={hasChoice ? hintFor(currency) : 'Amounts are in naira.'}
              onRead={setSheet}
            />
          </Stack>
        ) : (
          <Rows
            key={sheet.title}
            sheet={sheet}
            labels={hasChoice ? labelsFor(currency) : labels}
            currency={currency}
            createDraft={createDraft}
            onBack={() => setSheet(undefined)}
          />
        )}
      </div>
    </>
  )
}

type CurrencyOfFileProps = { currencies: readonly Currency[]; value: string; onChange: (value: string) => void }

function CurrencyOfFile({ currencies, value, onChange }: CurrencyOfFileProps) {
  const choices = currencies.map((currency) => ({ value: currency, label: currency }))
  return (
    <Field label="Currency of the file" hint="Currencies other than NGN are paid to mobile-money wallets.">
      {(ties) => (
        <Select
          {...ties}
          choices={[{ value: '', label: 'From its column “Currency”, or NGN' }, ...choices]}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

const labels = {
  name: 'Name',
  bank: 'Bank',
  account: 'Account number',
  amount: 'Amount in naira',
  narration: 'Narration',
  reference: 'Reference',
}

/** Labels for a business with several currencies. The file's currency is known only if the user chose it. */
function labelsFor(currency: Currency | undefined): Partial<Record<CellName, string>> {
  return {
    ...labels,
    bank: 'Bank or operator',
    account: 'Account or phone number',
    amount: currency === undefined ? 'Amount' : `Amount in ${nameOf(currency)}`,
    currency: 'Currency',
  }
}

function hintFor(currency: Currency | undefined): string {
  return currency === undefined
    ? 'All rows of a file are in one currency: that of its column “Currency”, or naira without one.'
    : `Amounts are in ${nameOf(currency)}.`
}

function nameOf(currency: Currency): string {
  return currency === 'NGN' ? 'naira' : currency
}

type RowsProps = {
  sheet: Sheet
  labels: Partial<Record<CellName, string>>
  currency: Currency | undefined
  createDraft: ReturnType<typeof useCreateDraft>
  onBack: () => void
}

function Rows({ sheet, labels: shown, currency, createDraft, onBack }: RowsProps) {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  return (
    <MatchColumns
      sheet={sheet}
      labels={shown}
      names={payoutColumns}
      required={['bank', 'account', 'amount']}
      verb="Check"
      onRead={async (rows) => {
        const { id } = await createDraft({
          title: sheet.title,
          rows,
          ...(currency === undefined ? {} : { currency }),
        })
        void refresh()
        await navigate({ to: paths.draft(place, id) })
      }}
      onBack={onBack}
    />
  )
}
