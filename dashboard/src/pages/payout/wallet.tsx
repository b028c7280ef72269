// Mobile-money recipients of a payout: saved wallets and tills. In currencies other than naira, the person can also
// type the number of a wallet, till or paybill.

import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { operatorsQuery } from '#api/directory.ts'
import { recipientsQuery } from '#api/recipients.ts'
import type { MomoOperator } from '#api/schema.ts'
import { TextField } from '#form/fields.tsx'
import { faultsIn, type Fault, type Values } from '#form/form.tsx'
import { parseMoney, type Currency } from '#format/money.ts'
import { usePlace } from '#shell/place.ts'
import {
  digitsOf,
  faultsOfWallet,
  OperatorField,
  sayRange,
  useOperators,
  useWalletName,
  WalletHolder,
} from '#shell/wallet-fields.tsx'
import type { Search } from '#table/search.ts'
import { Facts } from '#ui/layout.tsx'
import type { Asked } from './propose.tsx'

type Wallet = {
  fields: ReactNode
  range: string | undefined
  disabledReason: string | undefined
  asked: (values: Values) => Asked
  /** Set for a paybill, which is paid at once and never by a draft. */
  paybill?: (values: Values) => PaybillPayout
}

export type PaybillPayout = {
  reference: string
  amount: number
  currency: Currency
  operator: string
  accountNumber: string
  accountReference: string
  narration?: string
}

type WalletPayee = Pick<Asked, 'bankSlug' | 'accountNumber' | 'accountName'>

/** Undefined if the recipient is a bank account. */
export function useWallet(filled: Search, currency: Currency): Wallet | undefined {
  const saved = useSavedWallet(filled, currency)
  const typed = useTypedWallet(currency)
  return saved ?? (currency === 'NGN' ? undefined : typed)
}

function useSavedWallet(
  { kind, bank: operator = '', account: phoneNumber = '' }: Search,
  currency: Currency,
): Wallet | undefined {
  const place = usePlace()
  const enabled = kind === 'wallet' && operator !== '' && phoneNumber !== ''
  const operators = useQuery({ ...operatorsQuery(place), enabled }).data ?? []
  const found = useQuery({ ...recipientsQuery(place, { search: phoneNumber }), enabled }).data?.recipients
  if (!enabled) return undefined
  const saved = found?.find(
    ({ institution, accountNumber }) => institution === operator && accountNumber === phoneNumber,
  )
  const named = operators.find(({ slug }) => slug === operator)
  const accountName = saved?.accountName ?? saved?.name ?? ''
  const payee = { bankSlug: operator, accountNumber: phoneNumber, accountName }
  return {
    range: named === undefined ? undefined : sayRange(named),
    disabledReason: saved === undefined ? 'Choose a saved recipient first.' : undefined,
    asked: (values) => askedOf(values, currency, payee, []),
    fields: (
      <Facts
        facts={[
          ['Recipient', saved?.name ?? '–'],
          ['Name at the operator', saved?.accountName ?? 'Not confirmed'],
          ['Operator', named?.name ?? operator],
          [named?.recipient === 'till' ? 'Till number' : 'Phone number', phoneNumber],
        ]}
      />
    ),
  }
}

function useTypedWallet(currency: Currency): Wallet {
  const operators = useOperators('transfer')?.filter((one) => one.currency === currency)
  const [slug, setSlug] = useState<string | null>(null)
  const [number, setNumber] = useState('')
  const operator = operators?.find((one) => one.slug === slug)
  const wallet = useWalletName(operator, number)
  if (operator !== undefined && operator.recipient !== 'phone')
    return businessOf(operator, currency, <OperatorField operators={operators ?? []} value={slug} onChange={setSlug} />)
  return {
    range: operator === undefined ? undefined : sayRange(operator),
    disabledReason: undefined,
    asked: (values) => {
      const typed = digitsOf(values['phoneNumber'] ?? '')
      const confirmed = typed === number ? wallet.data : undefined
      const accountNumber = confirmed?.phoneNumber ?? typed
      const accountName = confirmed?.accountName ?? values['accountName'] ?? ''
      const payee = { bankSlug: operator?.slug ?? '', accountNumber, accountName }
      return askedOf(values, currency, payee, faultsOfWallet(accountNumber, operator, 'recipient'))
    },
    fields: (
      <>
        <OperatorField operators={operators ?? []} value={operator?.slug ?? null} onChange={setSlug} />
        <TextField
          name="phoneNumber"
          label="Phone number"
          type="tel"
          autoComplete="off"
          maxLength={20}
          onBlur={(event) => setNumber(digitsOf(event.target.value))}
        />
        <WalletHolder name={wallet.data?.accountName} error={wallet.error} isAsked={wallet.isFetching} />
        {wallet.error === null ? null : (
          <TextField name="accountName" label="Name of the recipient" autoComplete="off" maxLength={100} />
        )}
      </>
    ),
  }
}

/** A till or paybill. The person enters its name, because no operator gives it. */
function businessOf(operator: MomoOperator, currency: Currency, operatorField: ReactNode): Wallet {
  const isTill = operator.recipient === 'till'
  const tillOf = (values: Values): Asked => {
    const [accountNumber, faults] = numberOf(values, 'till')
    const payee = { bankSlug: operator.slug, accountNumber, accountName: values['accountName'] ?? '' }
    return askedOf(values, currency, payee, faults)
  }
  const number = isTill ? 'Till number' : 'Paybill number'
  return {
    range: sayRange(operator),
    disabledReason: undefined,
    asked: tillOf,
    ...(isTill ? {} : { paybill: (values) => paybillOf(values, operator, currency) }),
    fields: (
      <>
        {operatorField}
        <TextField
          key={operator.recipient}
          name="businessNumber"
          label={number}
          inputMode="numeric"
          autoComplete="off"
          maxLength={10}
        />
        {isTill ? (
          <TextField name="accountName" label="Name of the business" autoComplete="off" maxLength={100} />
        ) : (
          <TextField
            name="accountReference"
            label="Account at the paybill"
            hint="The business gave it to you, such as the number of a bill."
            autoComplete="off"
            maxLength={20}
          />
        )}
      </>
    ),
  }
}

function numberOf(values: Values, what: 'till' | 'paybill'): [number: string, faults: Fault[]] {
  const number = digitsOf(values['businessNumber'] ?? '')
  const fault = { field: 'businessNumber', message: `Enter the 5 to 7 digits of the ${what} number.` }
  return [number, /^\d{5,7}$/.test(number) ? [] : [fault]]
}

function paybillOf(values: Values, { slug: operator }: MomoOperator, currency: Currency): PaybillPayout {
  const [accountNumber, wrong] = numberOf(values, 'paybill')
  const accountReference = (values['accountReference'] ?? '').trim()
  const missing = { field: 'accountReference', message: 'Enter the account at the paybill.' }
  const faults = accountReference === '' ? [...wrong, missing] : wrong
  const payee = { bankSlug: operator, accountNumber, accountName: '' }
  const { reference, amount } = askedOf(values, currency, payee, faults)
  const narration = values['narration'] ?? ''
  const payout = { reference, amount, currency, operator, accountNumber, accountReference }
  return narration === '' ? payout : { ...payout, narration }
}

function askedOf(values: Values, currency: Currency, payee: WalletPayee, faults: Fault[]): Asked {
  const { narration = '', reference = '' } = values
  const amount = parseMoney(values['amount'] ?? '', currency)
  if ('wrong' in amount) throw faultsIn([...faults, { field: 'amount', message: amount.wrong }])
  if (faults.length > 0) throw faultsIn(faults)
  return { ...payee, currency, amount: amount.amount, narration, reference }
}
