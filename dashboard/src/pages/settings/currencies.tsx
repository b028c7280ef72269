// The currencies of the business in one environment: naira always, and others for mobile money.

import { useQuery } from '@tanstack/react-query'
import { currenciesQuery, setCurrencies, type TenantCurrency } from '#api/currencies.ts'
import { balanceQuery } from '#api/statement.ts'
import type { Currency } from '#api/schema.ts'
import { SelectField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { currencyNames } from '#format/money-words.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Section, Stack } from '#ui/layout.tsx'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import { useSay } from '#ui/say.ts'

export function CurrenciesSection() {
  const { data, error, refetch } = useQuery(currenciesQuery(usePlace()))
  return (
    <Section title="Currencies">
      {data !== undefined ? (
        <Currencies now={data} />
      ) : error === null ? (
        <SkeletonLines lines={3} />
      ) : (
        <ErrorState failure={error} onRetry={() => void refetch()} />
      )}
    </Section>
  )
}

function Currencies({ now }: { now: TenantCurrency[] }) {
  const place = usePlace()
  const refreshOf = useRefreshOf()
  const say = useSay()
  const refusal = useRefusal('settings.change')
  const on = now.filter((one) => one.on).map(({ currency }) => currency)
  const off = (Object.keys(currencyNames) as Currency[]).filter((currency) => !on.includes(currency))
  const change = async (wish: { on: string[] } | { off: string[] }, done: string): Promise<void> => {
    await setCurrencies(place, wish)
    say(done)
    await refreshOf(currenciesQuery(place).queryKey, balanceQuery(place).queryKey)
  }
  return (
    <Stack>
      <p>
        Switched on in {place.environment}: {on.join(', ')}. Mobile-money payments in other currencies are refused.
      </p>
      {on.length === 1 ? null : (
        <Form
          key={`off ${on.join(' ')}`}
          submit="Switch off"
          tone="danger"
          disabledReason={refusal}
          onSubmit={({ currency = '' }) => change({ off: [currency] }, `${currency} is off`)}
        >
          <SelectField
            name="currency"
            label="Switch off"
            hint="Only with a balance of zero and no payments under way."
            choices={on.filter((currency) => currency !== 'NGN').map(choiceOf)}
          />
        </Form>
      )}
      <Form
        key={`on ${on.join(' ')}`}
        submit="Switch on"
        disabledReason={refusal}
        onSubmit={({ currency = '' }) => change({ on: [currency] }, `${currency} is on`)}
      >
        <SelectField name="currency" label="Switch on" choices={off.map(choiceOf)} />
      </Form>
    </Stack>
  )
}

function choiceOf(currency: Currency): { value: string; label: string } {
  return { value: currency, label: `${currency}, ${currencyNames[currency]}` }
}
