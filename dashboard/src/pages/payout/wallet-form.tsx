// A payout to a saved wallet. Only a saved one can be paid here, because its name and operator are known.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { operatorsQuery } from '#api/directory.ts'
import { recipientsQuery } from '#api/recipients.ts'
import { amountOf, MoneyField, TextField } from '#form/fields.tsx'
import { freshReference } from '#format/ids.ts'
import { Form } from '#form/form.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { Facts } from '#ui/layout.tsx'
import { usePropose } from './propose.tsx'

type WalletFormProps = { operator: string; phoneNumber: string; isLater: boolean }

export function WalletForm({ operator, phoneNumber, isLater }: WalletFormProps) {
  const refusal = useRefusal('payouts.propose')
  const place = usePlace()
  const operators = useQuery(operatorsQuery(place)).data ?? []
  const saved = useQuery(recipientsQuery(place, { search: phoneNumber })).data?.recipients.find(
    ({ institution, accountNumber }) => institution === operator && accountNumber === phoneNumber,
  )
  const { propose, prepare, question } = usePropose()
  const [reference] = useState(() => freshReference('payout'))
  return (
    <>
      <Form
        submit={isLater ? 'Choose the time' : 'Submit payout'}
        disabledReason={refusal ?? (saved === undefined ? 'Choose a saved recipient first.' : undefined)}
        onSubmit={(values) =>
          (isLater ? prepare : propose)({
            reference: values['reference'] ?? '',
            amount: amountOf(values, 'amount'),
            bankSlug: operator,
            accountNumber: phoneNumber,
            accountName: saved?.accountName ?? saved?.name ?? '',
            narration: values['narration'] ?? '',
          })
        }
      >
        <Facts
          facts={[
            ['Recipient', saved?.name ?? '–'],
            ['Name at the operator', saved?.accountName ?? 'Not confirmed'],
            ['Operator', operators.find(({ slug }) => slug === operator)?.name ?? operator],
            ['Phone number', phoneNumber],
          ]}
        />
        <MoneyField name="amount" label="Amount" />
        <TextField name="narration" label="Narration" hint="The recipient reads this. Optional." autoComplete="off" />
        <TextField
          name="reference"
          label="Reference"
          hint="Your own unique reference. Sending the same reference twice makes one payment."
          defaultValue={reference}
          autoComplete="off"
        />
      </Form>
      {question}
    </>
  )
}
