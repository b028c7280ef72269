// A saved wallet as the recipient of a payout. Only a saved one can be paid here, because its name and operator are known.

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { operatorsQuery } from '#api/directory.ts'
import { recipientsQuery } from '#api/recipients.ts'
import type { TransferRequest } from '#api/schema.ts'
import { amountOf } from '#form/fields.tsx'
import type { Values } from '#form/form.tsx'
import { usePlace } from '#shell/place.ts'
import type { Search } from '#table/search.ts'
import { Facts } from '#ui/layout.tsx'

type Wallet = {
  facts: ReactNode
  disabledReason: string | undefined
  asked: (values: Values) => TransferRequest
}

/** Undefined if the recipient is a bank account. */
export function useWallet({ kind, bank: operator = '', account: phoneNumber = '' }: Search): Wallet | undefined {
  const place = usePlace()
  const enabled = kind === 'wallet' && operator !== '' && phoneNumber !== ''
  const operators = useQuery({ ...operatorsQuery(place), enabled }).data ?? []
  const found = useQuery({ ...recipientsQuery(place, { search: phoneNumber }), enabled }).data?.recipients
  if (!enabled) return undefined
  const saved = found?.find(
    ({ institution, accountNumber }) => institution === operator && accountNumber === phoneNumber,
  )
  return {
    disabledReason: saved === undefined ? 'Choose a saved recipient first.' : undefined,
    asked: (values) => ({
      reference: values['reference'] ?? '',
      amount: amountOf(values, 'amount'),
      bankSlug: operator,
      accountNumber: phoneNumber,
      accountName: saved?.accountName ?? saved?.name ?? '',
      narration: values['narration'] ?? '',
    }),
    facts: (
      <Facts
        facts={[
          ['Recipient', saved?.name ?? '–'],
          ['Name at the operator', saved?.accountName ?? 'Not confirmed'],
          ['Operator', operators.find(({ slug }) => slug === operator)?.name ?? operator],
          ['Phone number', phoneNumber],
        ]}
      />
    ),
  }
}
