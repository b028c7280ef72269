// Kobo as providers write them: naira with two decimals, digit by digit, never through a double.

import { toKobo, type Kobo } from '#base/money.ts'

const koboPerNaira = 100n

/** `150000` kobo are `1500.00`. */
export function nairaOf(amount: Kobo): string {
  return `${amount / koboPerNaira}.${String(amount % koboPerNaira).padStart(2, '0')}`
}

const written = /^(\d{1,15})(?:\.(\d{1,2})0*)?$/

/** Undefined: it is not an amount, or has a part of a kobo. Takes the text of a JSON number, or a text. */
export function koboOf(naira: unknown): Kobo | undefined {
  const text = typeof naira === 'number' && Number.isSafeInteger(naira) ? String(naira) : naira
  const [, whole, part = ''] = (typeof text === 'string' ? written.exec(text) : null) ?? []
  return whole === undefined ? undefined : toKobo(BigInt(whole) * koboPerNaira + BigInt(part.padEnd(2, '0')))
}
