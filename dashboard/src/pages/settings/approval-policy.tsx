// Which payouts of this environment need the approval of other people.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { confirmPolicy, policyQuery, setPolicy, type Policy, type PolicyNow } from '#api/drafts.ts'
import { currenciesQuery } from '#api/currencies.ts'
import type { Currency } from '#api/schema.ts'
import { amountOf, MoneyField, SelectField } from '#form/fields.tsx'
import { Form, type Values } from '#form/form.tsx'
import { formatAmount, formatMoney } from '#format/money.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Section, Stack } from '#ui/layout.tsx'
import { ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { useSay } from '#ui/say.ts'
import { Time } from '#ui/values.tsx'

export function ApprovalPolicy() {
  const { data, error, refetch } = useQuery(policyQuery(usePlace()))
  return (
    <Section title="Approvals">
      {data !== undefined ? (
        <Stack>
          <Proposal now={data} />
          <PolicyForm key={JSON.stringify(data.policy)} now={data} />
        </Stack>
      ) : error === null ? (
        <SkeletonLines lines={3} />
      ) : (
        <ErrorState failure={error} onRetry={() => void refetch()} />
      )}
    </Section>
  )
}

const modes = [
  { value: 'off', label: 'No payout' },
  { value: 'above', label: 'Payouts above an amount' },
  { value: 'every', label: 'Every payout' },
]
const approvers = [
  { value: '1', label: 'One person' },
  { value: '2', label: 'Two people' },
]

function PolicyForm({ now: { policy } }: { now: PolicyNow }) {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const refusal = useRefusal('settings.change')
  const [mode, setMode] = useState(policy.mode)
  const others = useOtherCurrencies(policy)
  return (
    <Form
      submit="Save policy"
      disabledReason={refusal}
      onSubmit={async (values) => {
        const { proposal } = await setPolicy(place, {
          mode,
          above: mode === 'above' ? amountOf(values, 'above') : null,
          aboveIn: mode === 'above' ? amountsIn(others, values) : {},
          approvers: values['approvers'] === '2' ? 2 : 1,
        })
        say(proposal === null ? 'Policy saved' : 'Proposed. Another owner must confirm it')
        await refresh()
      }}
    >
      <p>
        Payouts that people send in the dashboard, in {place.environment}. Payouts that your systems send with API keys
        need no approval here.
      </p>
      <SelectField
        name="mode"
        label="What needs approval"
        choices={modes}
        value={mode}
        onChange={(event) => setMode(event.target.value as Policy['mode'])}
      />
      {mode === 'above' ? (
        <>
          <MoneyField
            name="above"
            label="Above"
            hint="The total of a file counts."
            defaultValue={policy.above === null ? '' : formatAmount(policy.above)}
          />
          {others.map((currency) => (
            <AboveIn key={currency} currency={currency} above={policy.aboveIn?.[currency]} />
          ))}
        </>
      ) : null}
      {mode === 'off' ? null : (
        <SelectField
          name="approvers"
          label="Who approves"
          hint="The person who made a payout never approves it."
          choices={approvers}
          defaultValue={String(policy.approvers)}
        />
      )}
    </Form>
  )
}

function useOtherCurrencies({ aboveIn = {} }: Policy): Currency[] {
  const refusal = useRefusal('balance.see')
  const { data = [] } = useQuery({ ...currenciesQuery(usePlace()), enabled: refusal === undefined })
  const on = data.flatMap((one) => (one.on && one.currency !== 'NGN' ? [one.currency] : []))
  return [...new Set([...on, ...(Object.keys(aboveIn) as Currency[])])]
}

function AboveIn({ currency, above }: { currency: Currency; above: number | undefined }) {
  return (
    <MoneyField
      name={`above${currency}`}
      label={`Above, in ${currency}`}
      hint={`If it is empty, every payout in ${currency} needs approval.`}
      currency={currency}
      defaultValue={above === undefined ? '' : formatAmount(above, currency)}
    />
  )
}

function amountsIn(others: readonly Currency[], values: Values): Partial<Record<Currency, number>> {
  const set = others.filter((currency) => values[`above${currency}`]?.trim() !== '')
  return Object.fromEntries(set.map((currency) => [currency, amountOf(values, `above${currency}`, currency)]))
}

function Proposal({ now: { proposal } }: { now: PolicyNow }) {
  const place = usePlace()
  const refresh = useRefresh()
  const refusal = useRefusal('settings.change')
  const [asked, setAsked] = useState<Policy>()
  if (proposal === null) return null
  const { policy, by, isYours, expiresAt } = proposal
  return (
    <Notice
      tone="asks"
      action={
        isYours ? undefined : (
          <Button disabledReason={refusal} onClick={() => setAsked(policy)}>
            Confirm policy
          </Button>
        )
      }
    >
      {isYours ? 'You' : by} proposed a weaker policy: {describePolicy(policy)}.{' '}
      {isYours ? 'Another owner must confirm it' : 'It takes effect when you confirm it'} before <Time at={expiresAt} />
      .
      {asked === undefined ? null : (
        <Confirm
          title="Confirm this policy?"
          verb="Confirm policy"
          onConfirm={async () => {
            await confirmPolicy(place, asked)
            await refresh()
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>From now on: {describePolicy(asked)}.</p>
        </Confirm>
      )}
    </Notice>
  )
}

function describePolicy({ mode, above, aboveIn = {}, approvers: count }: Policy): string {
  if (mode === 'off') return 'no payout needs approval'
  const others = Object.entries(aboveIn).map(([currency, amount]) => formatMoney(amount, currency as Currency))
  const which =
    mode === 'every' ? 'every payout needs' : `payouts above ${[formatMoney(above), ...others].join(' or ')} need`
  return `${which} approval by ${count === 1 ? 'one person' : 'two people'}`
}
