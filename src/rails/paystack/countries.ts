// A Paystack account belongs to a business of one country, and pays and collects in the currency of that country.

import { millionths, roundMillionths, toMoney, type Currency, type Money } from '#platform/money.ts'
import type { RailOperator } from '#rails/rail.ts'

export const paystackCountries = ['NG', 'GH', 'KE', 'CI'] as const
export type PaystackCountry = (typeof paystackCountries)[number]

export const payoutCountries: readonly PaystackCountry[] = ['NG', 'GH', 'KE']

export const currencyIn: Record<PaystackCountry, Currency> = { NG: 'NGN', GH: 'GHS', KE: 'KES', CI: 'XOF' }

/**
 * Paystack's documents contradict each other about XOF, which has no minor unit: whether an amount is whole francs or
 * francs times 100. See docs/rails/paystack.md, "On the first day".
 */
const subunitsOfFranc = 100n

export function toSubunits(amount: Money, currency: Currency): Money {
  return currency === 'XOF' ? toMoney(amount * subunitsOfFranc) : amount
}

/** Undefined if the amount is not a whole number of our minor unit. */
export function fromSubunits(subunits: bigint, currency: Currency): bigint | undefined {
  if (currency !== 'XOF') return subunits
  return subunits % subunitsOfFranc === 0n ? subunits / subunitsOfFranc : undefined
}

/** Converts fees and balances, which may have fractions of a franc. */
export function roundedFromSubunits(subunits: bigint, currency: Currency): bigint {
  return roundMillionths(millionthsIn(subunits, currency))
}

export function millionthsIn(subunits: bigint, currency: Currency): bigint {
  return currency === 'XOF' ? (subunits * millionths) / subunitsOfFranc : subunits * millionths
}

/**
 * The phone number in the form of Paystack's samples: with a leading 0 in Ghana and Kenya. In Nigeria without the 0,
 * because the account number at the wallet's bank has none. Numbers in Côte d'Ivoire have no prefix to add. Undefined
 * for a number of another country. Charges in Kenya take the international form instead (collections.ts).
 */
export function nationalNumberOf(phoneNumber: string, country: PaystackCountry): string | undefined {
  const [prefix, trunk] = { NG: ['+234', ''], GH: ['+233', '0'], KE: ['+254', '0'], CI: ['+225', ''] }[country] as [
    string,
    string,
  ]
  return phoneNumber.startsWith(prefix) ? `${trunk}${phoneNumber.slice(prefix.length)}` : undefined
}

export function codeAt(
  operator: RailOperator,
  country: PaystackCountry,
  kind: 'paystackBankCode' | 'paystackChargeProvider',
): string | undefined {
  return operator.country === country ? operator.providerCodes[kind] : undefined
}
