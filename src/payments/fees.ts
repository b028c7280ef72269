// What a transfer costs the business.

import { present } from '#base/assert.ts'
import { toKobo, type Kobo } from '#base/money.ts'

/** Steps in ascending order: amounts up to `upTo` cost `fee`; the last step has no end. */
export type FeeSchedule = { upTo: Kobo | null; fee: Kobo }[]

/** ₦10 up to ₦5,000, ₦25 up to ₦50,000, ₦50 above. */
export const transferFees: FeeSchedule = [
  { upTo: toKobo(500_000), fee: toKobo(1_000) },
  { upTo: toKobo(5_000_000), fee: toKobo(2_500) },
  { upTo: null, fee: toKobo(5_000) },
]

export function feeOf(schedule: FeeSchedule, amount: Kobo): Kobo {
  const step = schedule.find(({ upTo }) => upTo === null || amount <= upTo)
  return present(step, 'the last step of a fee schedule has no end').fee
}
