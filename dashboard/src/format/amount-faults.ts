// Writes faults about amounts in their currency, such as ₦1,500.00, because people do not read minor units.

import { formatMoney, type Currency } from './money.ts'

type Params = {
  min?: number
  max?: number
  ranges?: readonly { min: number; max: number }[]
  step?: number
  required?: number
  available?: number
  currency?: Currency
}

/** A fault that a page found itself has no code. */
export type Fault = { field: string; message: string; code?: string; params?: Params }

type Sum = (amount: number | undefined) => string

const sentences: Record<string, (params: Params, sum: Sum) => string> = {
  insufficient_balance: ({ required, available }, sum) =>
    `With its fee this needs ${sum(required)}, and ${sum(available)} is available.`,
  over_payment_limit: ({ max }, sum) => `The limit of one payout is ${sum(max)}.`,
  over_daily_limit: ({ max }, sum) => `The daily limit leaves ${sum(max)} until midnight in Lagos.`,
  not_a_multiple: ({ step }, sum) => `The operator carries multiples of ${sum(step)} only.`,
  outside_range: ({ min, max, ranges = [{ min, max }] }, sum) =>
    `The operator carries ${ranges.map((range) => `${sum(range.min)} to ${sum(range.max)}`).join(', or ')}.`,
}

/** Returns the API's own message if it is not about an amount. */
export function sayFault({ message, code = '', params = {} }: Fault): string {
  const sentence = sentences[code]
  return sentence === undefined ? message : sentence(params, (amount) => formatMoney(amount, params.currency))
}
