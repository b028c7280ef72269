// Orders to wallets at pawaPay, each to a number of its own.

import { present } from '#platform/assert.ts'
import { decimalsOf, toMoney, type Currency, type Money } from '#platform/money.ts'
import type { CollectionOrder, MomoOrder, RailOperator } from '#rails/rail.ts'
import type { createOrderMaker } from './orders.ts'

const countries: Record<string, { country: string; prefix: string; currency: Currency }> = {
  GHA: { country: 'GH', prefix: '+233', currency: 'GHS' },
  UGA: { country: 'UG', prefix: '+256', currency: 'UGX' },
  CIV: { country: 'CI', prefix: '+225', currency: 'XOF' },
  RWA: { country: 'RW', prefix: '+250', currency: 'RWF' },
  CMR: { country: 'CM', prefix: '+237', currency: 'XAF' },
  BFA: { country: 'BF', prefix: '+226', currency: 'XOF' },
}

const countryOf = (provider: string) => present(countries[provider.slice(-3)], `the country of ${provider} is known`)

export function walletOperator(slug: string, provider: string): RailOperator {
  const { country, currency } = countryOf(provider)
  const decimals = decimalsOf(currency)
  const rest = { nipCode: null, requiresOtp: false, providerCodes: { pawapay: provider } }
  return { slug, name: slug, country, currency, decimals, ...rest }
}

export const ghana = walletOperator('mtn-gh', 'MTN_MOMO_GHA')
export const burkina = walletOperator('orange-bf', 'ORANGE_BFA')

let used = 530_000_000
/** Ends in 0, so that no sandbox number is meant. */
const newDigits = (): string => String((used += 10))

export function createWalletOrders(orders: ReturnType<typeof createOrderMaker>) {
  function collection(operator = ghana, amount: Money = toMoney(150_050)): CollectionOrder {
    const { prefix, currency } = countryOf(operator.providerCodes['pawapay'] ?? '')
    return { ...orders.collection(`${prefix}${newDigits()}`, operator, amount), currency }
  }
  return {
    collection,
    payout(operator = ghana, amount?: Money): MomoOrder {
      const { otpAcceptedAtMs: _code, ...order } = collection(operator, amount)
      return order
    },
  }
}
