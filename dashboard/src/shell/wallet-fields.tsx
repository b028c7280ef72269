// Operator and phone number of a wallet, with the name that the operator gives. Payouts and
// collections use them.

import { useQuery } from '@tanstack/react-query'
import { currenciesQuery } from '#api/currencies.ts'
import { operatorsQuery } from '#api/directory.ts'
import { walletQuery } from '#api/payments.ts'
import type { MomoOperator } from '#api/schema.ts'
import { useFault, type Fault } from '#form/form.tsx'
import { formatMoney, type Currency } from '#format/money.ts'
import { Combobox } from '#ui/combobox.tsx'
import { HolderLine, SaidLine } from '#ui/said-line.tsx'
import { usePlace } from './place.ts'

/** The operators that this environment serves in the currencies of the business; undefined until they are known. */
export function useOperators(port: 'transfer' | 'collection'): MomoOperator[] | undefined {
  const place = usePlace()
  const { data: operators } = useQuery(operatorsQuery(place))
  const { data: currencies } = useQuery(currenciesQuery(place))
  if (operators === undefined || currencies === undefined) return undefined
  const on = new Set<string>(currencies.filter((one) => one.on).map(({ currency }) => currency))
  return operators.filter(({ supports, currency }) => supports[port] && on.has(currency))
}

/** Looks up the holder's name. The caller passes the number when its field loses focus, so no half-typed one is sent. */
export function useWalletName(operator: MomoOperator | undefined, number: string) {
  const { slug = '', country = '' } = operator ?? {}
  const isAsked = operator !== undefined && /^\+?\d{9,15}$/.test(number)
  return useQuery({
    // A number with a country code needs no country, and may belong to a country other than the operator's.
    ...walletQuery(usePlace(), { phoneNumber: number, operator: slug, ...(number.startsWith('+') ? {} : { country }) }),
    enabled: isAsked,
  })
}

export function digitsOf(typed: string): string {
  return typed.replaceAll(/[\s()-]/g, '')
}

/** The faults of a wallet that a person entered. `whose`: the person whose phone number it is. */
export function faultsOfWallet(number: string, operator: MomoOperator | undefined, whose: string): Fault[] {
  const missing = operator === undefined ? [{ field: 'operator', message: 'Choose the operator from the list.' }] : []
  return [...missing, ...faultOfNumber(number, operator, whose)]
}

/** A number outside Nigeria needs its country code, because the API reads a number without one as Nigerian. */
function faultOfNumber(number: string, operator: MomoOperator | undefined, whose: string): Fault[] {
  const field = 'phoneNumber'
  if (number === '') return [{ field, message: `Enter the phone number of the ${whose}.` }]
  if (number.startsWith('+') || operator === undefined || operator.country === 'NG') return []
  return [{ field, message: 'Enter the number with the code of its country, such as +256772123456.' }]
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** `MTN Mobile Money Ghana · Ghana, GHS`. */
export function nameWithCountry({ name, country, currency }: MomoOperator): string {
  return `${name} · ${countryNames.of(country) ?? country}, ${currency}`
}

type OperatorFieldProps = {
  operators: readonly MomoOperator[]
  value: string | null
  onChange: (value: string | null) => void
}

export function OperatorField({ operators, value, onChange }: OperatorFieldProps) {
  const { wrong, forgive } = useFault('operator')
  return (
    <Combobox
      name="operator"
      label="Operator"
      wrong={wrong}
      choices={operators.map((one) => ({ value: one.slug, label: nameWithCountry(one) }))}
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

type WalletHolderProps = { name: string | undefined; error: Error | null; isAsked: boolean }

/** The name lets the person notice a wrong number. Some operators do not give it. */
export function WalletHolder({ name, error, isAsked }: WalletHolderProps) {
  if (name !== undefined) return <HolderLine name={name} />
  if (error !== null) return <SaidLine>{error.message.replace(/^phoneNumber /, 'The phone number ')}</SaidLine>
  return isAsked ? <SaidLine>Asking the operator whose number this is …</SaidLine> : null
}

/** Undefined if the operator has no limits, as in the simulator. */
export function sayRange({ minAmount, maxAmount, currency }: MomoOperator): string | undefined {
  if (maxAmount === Number.MAX_SAFE_INTEGER) return undefined
  const [least, most] = [minAmount, maxAmount].map((amount) => formatMoney(amount, currency as Currency))
  return `From ${least} to ${most}.`
}
