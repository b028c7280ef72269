// A saved recipient fills in bank and account of a payout.

import { useQuery } from '@tanstack/react-query'
import { recipientsQuery } from '#api/recipients.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { usePlace } from '#shell/place.ts'
import { Combobox } from '#ui/combobox.tsx'

type Chosen = { bank: string; account: string }

export function SavedRecipient({ filled, onChoose }: { filled: Partial<Chosen>; onChoose: (chosen: Chosen) => void }) {
  const { data } = useQuery(recipientsQuery(usePlace(), ''))
  const banks = (data ?? []).filter(({ kind }) => kind === 'bank')
  if (banks.length === 0) return null
  const chosen = banks.find(
    ({ institution, accountNumber }) => institution === filled.bank && accountNumber === filled.account,
  )
  return (
    <Combobox
      label="Saved recipient"
      hint="Optional. Fills in bank and account."
      choices={banks.map(({ id, name, accountNumber, accountName }) => ({
        value: id,
        label: `${name}, ${groupAccountNumber(accountNumber)}`,
        also: [accountNumber, accountName ?? ''],
      }))}
      value={chosen?.id ?? null}
      onChange={(id) => {
        const found = banks.find((one) => one.id === id)
        if (found !== undefined) onChoose({ bank: found.institution, account: found.accountNumber })
      }}
      nothing="No recipient of this name."
    />
  )
}
