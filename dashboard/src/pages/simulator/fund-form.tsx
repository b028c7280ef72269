// Adds money to the balance of staging.

import { useState } from 'react'
import { fundBalance } from '#api/simulator.ts'
import { formatAmount, formatMoney, unitOf } from '#format/money.ts'
import { amountOf, MoneyField, SelectField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useSwitchedOn } from '#shell/currency-switch.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Section } from '#ui/layout.tsx'
import { useSay } from '#ui/say.ts'

export function FundForm() {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const refusal = useRefusal('simulator')
  const currencies = useSwitchedOn()
  const [chosen, setChosen] = useState<string>('NGN')
  const currency = currencies.find((one) => one === chosen) ?? 'NGN'
  return (
    <Section title="Fund the balance">
      <Form
        submit="Fund balance"
        disabledReason={refusal}
        onSubmit={async (values) => {
          const available = await fundBalance(place, amountOf(values, 'amount', currency), currency)
          say(`${formatMoney(available, currency)} is available now`)
          await refresh()
        }}
      >
        {currencies.length < 2 ? null : (
          <SelectField
            name="currency"
            label="Currency"
            choices={currencies.map((one) => ({ value: one, label: one }))}
            value={currency}
            onChange={(event) => setChosen(event.target.value)}
          />
        )}
        <MoneyField
          key={currency}
          name="amount"
          label="Amount to add"
          currency={currency}
          defaultValue={formatAmount(100_000 * Number(unitOf(currency)), currency)}
        />
      </Form>
    </Section>
  )
}
