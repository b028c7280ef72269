// Fills in the bank and account of a payout, or the operator and number, from a saved recipient.

import { useQuery } from '@tanstack/react-query'
import { recipientsQuery } from '#api/recipients.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { usePlace } from '#shell/place.ts'
import type { Search } from '#table/search.ts'
import { Combobox } from '#ui/combobox.tsx'

type Chosen = { bank: string; account: string; kind: 'wallet' | undefined; currency: undefined }

export function SavedRecipient({ filled, onChoose }: { filled: Search; onChoose: (chosen: Chosen) => void }) {
  const { data } = useQuery(recipientsQuery(usePlace()))
  const recipients = data?.recipients ?? []
  if (recipients.length === 0) return null
  const chosen = recipients.find(
    ({ institution, accountNumber }) => institution === filled['bank'] && accountNumber === filled['account'],
  )
  return (
    <Combobox
      label="Saved recipient"
      hint="Optional. Fills in bank and account."
      choices={recipients.map(({ id, name, accountNumber, accountName }) => ({
        value: id,
        label: `${name}, ${groupAccountNumber(accountNumber)}`,
        also: [accountNumber, accountName ?? ''],
      }))}
      value={chosen?.id ?? null}
      onChange={(id) => {
        const found = recipients.find((one) => one.id === id)
        if (found === undefined) return
        const { institution, accountNumber, kind } = found
        onChoose({
          bank: institution,
          account: accountNumber,
          kind: kind === 'wallet' ? kind : undefined,
          currency: undefined,
        })
      }}
      nothing="No recipient of this name."
    />
  )
}
