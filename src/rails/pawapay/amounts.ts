// Amounts at pawaPay are texts in the major unit: `1500`, `12.5`. What we send has no trailing zero after the point,
// because its pattern refuses one; its answers may have them.

import { decimalsOf, toMoney, type Currency, type Money } from '#platform/money.ts'

export function amountText(amount: Money, currency: Currency): string {
  const unit = 10n ** BigInt(decimalsOf(currency))
  const fraction = decimalsOf(currency) === 0 ? '' : String(amount % unit).padStart(decimalsOf(currency), '0')
  const digits = fraction.replace(/0+$/, '')
  return digits === '' ? String(amount / unit) : `${amount / unit}.${digits}`
}

const written = /^(\d{1,18})(?:\.(\d{1,6}))?$/

/** Undefined if it is no amount, or has a fraction of the minor unit. Takes a text or the text of a JSON number. */
export function amountIn(unchecked: unknown, currency: Currency): Money | undefined {
  const text = typeof unchecked === 'number' && Number.isSafeInteger(unchecked) ? String(unchecked) : unchecked
  const [, whole, fraction = ''] = (typeof text === 'string' ? written.exec(text) : null) ?? []
  if (whole === undefined) return undefined
  const decimals = decimalsOf(currency)
  const rest = fraction.slice(decimals)
  if (/[1-9]/.test(rest)) return undefined
  return toMoney(BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0')))
}
