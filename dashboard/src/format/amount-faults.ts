// Sentences of the API about amounts. It gives amounts as requests do, in kobo; people read naira.

import { formatMoney } from './money.ts'

const naira = (kobo = ''): string => formatMoney(Number(kobo))

const amountFaults: readonly [RegExp, (...kobo: string[]) => string][] = [
  [
    /^required (\d+), available (\d+)$/,
    (required, available) => `With its fee this needs ${naira(required)}, and ${naira(available)} is available.`,
  ],
  [/^at most (\d+) in one payment$/, (most) => `The limit of one payout is ${naira(most)}.`],
  [
    /^at most (\d+) until \S+, when a new day/,
    (left) => `The daily limit leaves ${naira(left)} until midnight in Lagos.`,
  ],
]

/** "required 151000, available 100000" → "With its fee this needs ₦1,510.00, and ₦1,000.00 is available." */
export function inNaira(message: string): string {
  for (const [pattern, sentenceOf] of amountFaults) {
    const found = pattern.exec(message)
    if (found !== null) return sentenceOf(...found.slice(1))
  }
  return message
}
