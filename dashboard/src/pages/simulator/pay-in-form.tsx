// Pays into a virtual account as a payer would: the sum that it waits for, or another one.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { accountsQuery } from '#api/accounts.ts'
import type { VirtualAccount } from '#api/schema.ts'
import { payIntoAccount } from '#api/simulator.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { formatAmount } from '#format/money.ts'
import { amountOf, MoneyField, SelectField } from '#form/fields.tsx'
import { faultIn, Form } from '#form/form.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { useSearchState } from '#table/filters.ts'
import { Combobox } from '#ui/combobox.tsx'
import { Section } from '#ui/layout.tsx'

/** The form offers this many accounts, one page of the API. The address of the page can name any other account. */
const accountsMax = 100

export function PayInForm() {
  const place = usePlace()
  const [search] = useSearchState()
  const { data } = useQuery(accountsQuery(place, { page: 1, limit: accountsMax }))
  const accounts = data?.data.virtualAccounts ?? []
  const [number, setNumber] = useState<string | null>(search['account'] ?? null)
  const waitsFor = accounts.find(({ accountNumber }) => accountNumber === number)?.amount
  return (
    <Section title="Pay into an account">
      {/* A new form for each account, because its amount is filled in. */}
      <Pay
        key={`${number ?? ''} ${waitsFor}`}
        waitsFor={waitsFor}
        accounts={accounts}
        number={number}
        onNumber={setNumber}
      />
    </Section>
  )
}

type PayProps = {
  waitsFor: number | null | undefined
  accounts: readonly VirtualAccount[]
  number: string | null
  onNumber: (number: string | null) => void
}

function Pay({ waitsFor, accounts, number, onNumber }: PayProps) {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  const refusal = useRefusal('simulator')
  return (
    <Form
      submit="Pay in"
      disabledReason={refusal}
      onSubmit={async (values) => {
        if (number === null) throw faultIn('accountNumber', 'Choose an account first.')
        const deposit = await payIntoAccount(place, {
          accountNumber: number,
          amount: amountOf(values, 'amount'),
          status: values['status'] === 'PENDING' ? 'PENDING' : 'SUCCESSFUL',
        })
        void refresh()
        await navigate({ to: paths.deposit(place, deposit.reference) })
      }}
    >
      <Combobox
        name="accountNumber"
        label="Account"
        hint="A dynamic account returns any other amount than its own, as in production."
        choices={accounts.map(({ accountNumber, accountName }) => ({
          value: accountNumber,
          label: `${groupAccountNumber(accountNumber)} · ${accountName}`,
        }))}
        value={number}
        onChange={onNumber}
        nothing="No such account."
        placeholder="Number or name"
      />
      <MoneyField
        name="amount"
        label="Amount"
        {...(typeof waitsFor === 'number' ? { defaultValue: formatAmount(waitsFor) } : {})}
      />
      <SelectField
        name="status"
        label="The money"
        choices={[
          { value: 'SUCCESSFUL', label: 'arrives at once' },
          { value: 'PENDING', label: 'waits until you settle it' },
        ]}
      />
    </Form>
  )
}
