// A new collection: asks a payer for money on their phone. The operator, the name that it gives and the fee are said before.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { currenciesQuery } from '#api/currencies.ts'
import { operatorsQuery } from '#api/directory.ts'
import { collectionFeeQuery, startCollection, walletQuery } from '#api/payments.ts'
import type { MomoOperator } from '#api/schema.ts'
import { MoneyField, TextField } from '#form/fields.tsx'
import { faultsIn, Form, useFault, type Fault, type Values } from '#form/form.tsx'
import { freshReference } from '#format/ids.ts'
import { formatMoney, parseMoney, type Currency } from '#format/money.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Combobox } from '#ui/combobox.tsx'
import { PageHead, Panel } from '#ui/layout.tsx'
import { CostLine, HolderLine, SaidLine } from '#ui/said-line.tsx'
import { Notice } from '#ui/states.tsx'
import { CurrencyProvider } from '#ui/values.tsx'
import styles from './collect.module.css'

export function CollectPage() {
  return (
    <>
      <PageHead title="New collection" says="The payer approves the request on their phone, or tells you a code." />
      <div className={styles.page}>
        <Panel>
          <CollectForm />
        </Panel>
      </div>
    </>
  )
}

function CollectForm() {
  const refusal = useRefusal('payouts.propose')
  const operators = useOperators()
  const [slug, setSlug] = useState<string | null>(null)
  // Asked about when the field is left: a number that is half typed is none.
  const [number, setNumber] = useState('')
  const [typed, setTyped] = useState('')
  const [reference] = useState(() => freshReference('collection'))
  const operator = operators?.find((one) => one.slug === slug)
  const currency = (operator?.currency ?? 'NGN') as Currency
  const read = parseMoney(typed, currency)
  const amount = 'amount' in read ? read.amount : undefined
  const wallet = useWallet(operator, number)
  const send = useSend(operator, { number, confirmed: wallet.data?.phoneNumber })
  return (
    <CurrencyProvider currency={currency}>
      {operators?.length === 0 ? (
        <Notice tone="asks">
          No provider of this environment collects from wallets in a currency of this business.
        </Notice>
      ) : null}
      <Form
        submit={amount === undefined ? 'Request payment' : `Request ${formatMoney(amount, currency)}`}
        disabledReason={refusal}
        onSubmit={send}
      >
        <OperatorField operators={operators ?? []} value={slug} onChange={setSlug} />
        <TextField
          name="phoneNumber"
          label="Phone number of the payer"
          type="tel"
          autoComplete="off"
          maxLength={20}
          onBlur={(event) => setNumber(digitsOf(event.target.value))}
        />
        <Payer name={wallet.data?.accountName} error={wallet.error} isAsked={wallet.isFetching} />
        <MoneyField
          name="amount"
          label="Amount"
          hint={operator === undefined ? undefined : sayRange(operator)}
          currency={currency}
          onChange={(event) => setTyped(event.target.value)}
        />
        {amount === undefined || amount === 0 ? null : <FeeLine amount={amount} currency={currency} />}
        <TextField name="narration" label="Narration" hint="The payer reads this. Optional." autoComplete="off" />
        <TextField
          name="reference"
          label="Reference"
          hint="Your own unique reference. Sending the same reference twice makes one collection."
          defaultValue={reference}
          autoComplete="off"
        />
      </Form>
    </CurrencyProvider>
  )
}

/** The operators that collect here in a currency of the business; undefined until they are known. */
function useOperators(): MomoOperator[] | undefined {
  const place = usePlace()
  const { data: operators } = useQuery(operatorsQuery(place))
  const { data: currencies } = useQuery(currenciesQuery(place))
  if (operators === undefined || currencies === undefined) return undefined
  const on = new Set<string>(currencies.filter((one) => one.on).map(({ currency }) => currency))
  return operators.filter(({ supports, currency }) => supports.collection && on.has(currency))
}

function useWallet(operator: MomoOperator | undefined, number: string) {
  const { slug = '', country = '' } = operator ?? {}
  const isAsked = operator !== undefined && /^\+?\d{9,15}$/.test(number)
  return useQuery({
    // A number with the code of its country needs none, and may be of another one.
    ...walletQuery(usePlace(), { phoneNumber: number, operator: slug, ...(number.startsWith('+') ? {} : { country }) }),
    enabled: isAsked,
  })
}

/** `confirmed`: what the operator makes of `number`, with the code of its country. */
type Asked = { number: string; confirmed: string | undefined }

function useSend(operator: MomoOperator | undefined, asked: Asked): (values: Values) => Promise<void> {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  return async (values) => {
    const { narration = '', reference = '', amount: typed = '' } = values
    const number = digitsOf(values['phoneNumber'] ?? '')
    const phoneNumber = number === asked.number ? (asked.confirmed ?? number) : number
    const amount = parseMoney(typed, (operator?.currency ?? 'NGN') as Currency)
    const faults = [
      ...(operator === undefined ? [{ field: 'operator', message: 'Choose the operator from the list.' }] : []),
      ...faultOfNumber(phoneNumber, operator),
      ...('wrong' in amount ? [{ field: 'amount', message: amount.wrong }] : []),
    ]
    if (operator === undefined || 'wrong' in amount || faults.length > 0) throw faultsIn(faults)
    const { slug, currency } = operator
    const body = { reference, amount: amount.amount, phoneNumber, operator: slug, currency: currency as Currency }
    await startCollection(place, { ...body, ...(narration === '' ? {} : { narration }) })
    await refresh()
    await navigate({ to: paths.payment(place, reference) })
  }
}

function digitsOf(typed: string): string {
  return typed.replaceAll(/[\s()-]/g, '')
}

/** The API takes a number without the code of a country for a Nigerian one. */
function faultOfNumber(number: string, operator: MomoOperator | undefined): Fault[] {
  const field = 'phoneNumber'
  if (number === '') return [{ field, message: 'Enter the phone number of the payer.' }]
  if (number.startsWith('+') || operator === undefined || operator.country === 'NG') return []
  return [{ field, message: 'Enter the number with the code of its country, such as +256772123456.' }]
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

function OperatorField({
  operators,
  value,
  onChange,
}: {
  operators: readonly MomoOperator[]
  value: string | null
  onChange: (value: string | null) => void
}) {
  const { wrong, forgive } = useFault('operator')
  return (
    <Combobox
      name="operator"
      label="Operator"
      wrong={wrong}
      choices={operators.map(({ slug, name, country, currency }) => ({
        value: slug,
        label: `${name} · ${countryNames.of(country) ?? country}, ${currency}`,
      }))}
      value={value}
      onChange={(chosen) => {
        forgive()
        onChange(chosen)
      }}
      nothing="No operator of this name. Other currencies are switched on in the settings."
      placeholder="For example MTN, M-Pesa or Ghana"
    />
  )
}

/** The name helps the person to see a wrong number. The operator may not tell it, and the collection does not need it. */
function Payer({ name, error, isAsked }: { name: string | undefined; error: Error | null; isAsked: boolean }) {
  if (name !== undefined) return <HolderLine name={name} />
  if (error !== null) return <SaidLine>{error.message.replace(/^phoneNumber /, 'The phone number ')}</SaidLine>
  return isAsked ? <SaidLine>Asking the operator whose number this is …</SaidLine> : null
}

/** The simulator sets no limits. */
function sayRange({ minAmount, maxAmount, currency }: MomoOperator): string | undefined {
  if (maxAmount === Number.MAX_SAFE_INTEGER) return undefined
  const [least, most] = [minAmount, maxAmount].map((amount) => formatMoney(amount, currency as Currency))
  return `From ${least} to ${most}.`
}

function FeeLine({ amount, currency }: { amount: number; currency: Currency }) {
  const { data, error } = useQuery(collectionFeeQuery(usePlace(), amount, currency))
  if (error !== null) return <SaidLine>{error.message}</SaidLine>
  // The fee of the amount before stays while the next is asked; it must not stand beside another amount.
  const isOfThis = data?.amount === amount
  return <CostLine fee={isOfThis ? data.fee : null} label="Your balance gets" total={isOfThis ? data.credited : null} />
}
