// The threshold of the low-balance alert, for each environment and currency.

import { useQuery } from '@tanstack/react-query'
import { alertsQuery, lowBalanceQuery, setLowBalance, type LowBalance } from '#api/home.ts'
import { amountOf, MoneyField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { formatAmount, formatMoney, type Currency } from '#format/money.ts'
import { CurrencySwitch, useChosenCurrency } from '#shell/currency-switch.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Section, Stack } from '#ui/layout.tsx'
import { ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { useSay } from '#ui/say.ts'

export function LowBalanceSection() {
  const currency = useChosenCurrency()
  const { data, error, refetch } = useQuery(lowBalanceQuery(usePlace(), currency))
  return (
    <Section title="Low balance" actions={<CurrencySwitch />}>
      {data !== undefined ? (
        <LowBalanceForm key={`${currency} ${data.amount}`} now={data} currency={currency} />
      ) : error === null ? (
        <SkeletonLines lines={3} />
      ) : (
        <ErrorState failure={error} onRetry={() => void refetch()} />
      )}
    </Section>
  )
}

type LowBalanceFormProps = { now: LowBalance; currency: Currency }

function LowBalanceForm({ now: { amount, available, isLow, mails }, currency }: LowBalanceFormProps) {
  const place = usePlace()
  const refreshOf = useRefreshOf()
  const say = useSay()
  const refusal = useRefusal('alerts.change')
  const { environment } = place
  return (
    <Stack>
      {isLow ? (
        <Notice tone="asks">
          {formatMoney(available, currency)} is available in {environment}: below {formatMoney(amount, currency)}.
        </Notice>
      ) : (
        <p>
          {amount === null
            ? `No alert is set for a low balance${currency === 'NGN' ? '' : ` of ${currency}`} in ${environment}.`
            : `Home says so when less than ${formatMoney(amount, currency)} is available in ${environment}.`}
        </p>
      )}
      {environment === 'production' && amount !== null ? <p>{sayWhoIsMailed(mails)}</p> : null}
      <Form
        submit="Save alert"
        disabledReason={refusal}
        onSubmit={async (values) => {
          const isOff = values['amount']?.trim() === ''
          await setLowBalance(place, isOff ? null : amountOf(values, 'amount', currency), currency)
          say(isOff ? 'Alert turned off' : 'Alert saved')
          await refreshOf(lowBalanceQuery(place, currency).queryKey, alertsQuery(place).queryKey)
        }}
      >
        <MoneyField
          name="amount"
          label="Alert below"
          hint="Leave it empty to turn the alert off."
          currency={currency}
          defaultValue={amount === null ? '' : formatAmount(amount, currency)}
        />
      </Form>
    </Stack>
  )
}

function sayWhoIsMailed(mails: string[] | null): string {
  if (mails === null) return 'No e-mail is sent: this installation has no mail server.'
  if (mails.length === 0) return 'No e-mail is sent: everyone has switched it off under “My profile”.'
  return `An e-mail goes to ${mails.join(', ')}, at most once a day. Each person can switch it off under “My profile”.`
}
