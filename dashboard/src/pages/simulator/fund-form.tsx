// More money for the balance of staging.

import { fundBalance } from '#api/simulator.ts'
import { formatMoney } from '#format/money.ts'
import { amountOf, MoneyField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Section } from '#ui/layout.tsx'
import { useSay } from '#ui/toast.tsx'

export function FundForm() {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const refusal = useRefusal('simulator')
  return (
    <Section title="Fund the balance">
      <Form
        submit="Fund balance"
        disabledReason={refusal}
        onSubmit={async (values) => {
          const available = await fundBalance(place, amountOf(values, 'amount'))
          say(`${formatMoney(available)} is available now`)
          await refresh()
        }}
      >
        <MoneyField name="amount" label="Amount to add" defaultValue="100,000.00" />
      </Form>
    </Section>
  )
}
