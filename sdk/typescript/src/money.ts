// Parses, formats and checks amounts: whole numbers of kobo. The API has no amount above 9007199254740991, so each is exact as
// a JavaScript number.

import { ArgumentError } from './errors.ts'

const nairaForm = /^₦?(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/

/** `naira('1,500.00')` returns 150000 kobo. It takes text, because 0.29 * 100 is 28.999999999999996. */
export function naira(text: string): number {
  const [, whole = '', part = ''] = nairaForm.exec(text.trim()) ?? []
  const kobo = BigInt(whole.replaceAll(',', '') + part.padEnd(2, '0'))
  if (whole !== '' && kobo > 0n && kobo <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(kobo)
  throw new ArgumentError(`${JSON.stringify(text)} is no amount in naira. Write it as "1500.00" or "1,500.00".`)
}

/** `formatNaira(150000)` is `₦1,500.00`. */
export function formatNaira(kobo: number): string {
  const digits = String(Math.abs(kobo)).padStart(3, '0')
  const whole = digits.slice(0, -2).replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${kobo < 0 ? '-' : ''}₦${whole}.${digits.slice(-2)}`
}

/** Throws before the request is sent: the service accepts only whole numbers of the minor unit. */
export function checkAmount(amount: unknown): void {
  if (typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 1) return
  throw new ArgumentError(
    `amount is a whole number of the minor unit, such as kobo, from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(amount)}. ₦1,500.00 is 150000: naira('1500.00').`,
  )
}
