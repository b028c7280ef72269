// A new collection: asks a payer for money on their phone. Before the person sends the request, the page shows the
// mobile operator, the payer's name and the fee.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { collectionFeeQuery, startCollection } from '#api/payments.ts'
import type { MomoOperator } from '#api/schema.ts'
import { MoneyField, TextField } from '#form/fields.tsx'
import { faultsIn, Form, type Values } from '#form/form.tsx'
import { freshReference } from '#format/ids.ts'
import { formatMoney, parseMoney, type Currency } from '#format/money.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import {
  digitsOf,
  faultsOfWallet,
  OperatorField,
  sayRange,
  useOperators,
  useWalletName,
  WalletHolder,
} from '#shell/wallet-fields.tsx'
import { PageHead, Panel } from '#ui/layout.tsx'
import { CostLine, SaidLine } from '#ui/said-line.tsx'
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
  const operators = useOperators('collection')
  const [slug, setSlug] = useState<string | null>(null)
  // The number to look up. It is set when the field loses focus, because a half-typed number has no holder.
  const [number, setNumber] = useState('')
  const [typed, setTyped] = useState('')
  const [reference] = useState(() => freshReference('collection'))
  const operator = operators?.find((one) => one.slug === slug)
  const currency = (operator?.currency ?? 'NGN') as Currency
  const read = parseMoney(typed, currency)
  const amount = 'amount' in read ? read.amount : undefined
  const wallet = useWalletName(operator, number)
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
        <WalletHolder name={wallet.data?.accountName} error={wallet.error} isAsked={wallet.isFetching} />
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

/** `confirmed`: the number as the operator writes it, with its country code. */
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
      ...faultsOfWallet(phoneNumber, operator, 'payer'),
      ...('wrong' in amount ? [{ field: 'amount', message: amount.wrong }] : []),
    ]
    if (operator === undefined || 'wrong' in amount || faults.length > 0) throw faultsIn(faults)
    const { slug, currency } = operator
    const body = { reference, amount: amount.amount, phoneNumber, operator: slug, currency: currency as Currency }
    await startCollection(place, { ...body, ...(narration === '' ? {} : { narration }) })
    void refresh()
    await navigate({ to: paths.payment(place, reference) })
  }
}

function FeeLine({ amount, currency }: { amount: number; currency: Currency }) {
  const { data, error } = useQuery(collectionFeeQuery(usePlace(), amount, currency))
  if (error !== null) return <SaidLine>{error.message}</SaidLine>
  return <CostLine fee={data?.fee ?? null} label="Your balance gets" total={data?.credited ?? null} />
}
