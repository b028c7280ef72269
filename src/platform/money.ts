// Money is a bigint of the currency's minor unit (kobo, pesewas, whole CFA francs), branded so that a count cannot be
// passed for it. It becomes a JSON integer only in API messages, where it must fit a double exactly.

declare const money: unique symbol
export type Money = bigint & { readonly [money]: true }

/** The currencies of the service, with their decimals by ISO 4217. */
const decimalsByCurrency = {
  NGN: 2,
  GHS: 2,
  KES: 2,
  UGX: 0,
  TZS: 2,
  RWF: 0,
  ZMW: 2,
  MWK: 2,
  XOF: 0,
  XAF: 0,
  SLE: 2,
  MZN: 2,
  ETB: 2,
  LSL: 2,
  CDF: 2,
  USD: 2,
} as const

export type Currency = keyof typeof decimalsByCurrency

export const currencies = Object.keys(decimalsByCurrency) as [Currency, ...Currency[]]

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(decimalsByCurrency, code)
}

/** The number of digits after the decimal point. */
export function decimalsOf(currency: Currency): number {
  return decimalsByCurrency[currency]
}

/** The largest amount that JSON can hold without loss (2^53 - 1). */
export const amountMax = BigInt(Number.MAX_SAFE_INTEGER) as Money

/** Converts a checked JSON integer or a database bigint. */
export function toMoney(value: number | bigint): Money {
  return BigInt(value) as Money
}

export const zero = toMoney(0n)

export function add(left: Money, right: Money): Money {
  return (left + right) as Money
}

export function negate(amount: Money): Money {
  return -amount as Money
}

/** Formats an amount for display: `₦1,500.00`, `GHS 12.50`, `XOF 1,500`. */
export function formatMoney(amount: Money, currency: Currency): string {
  const decimals = decimalsOf(currency)
  const unit = 10n ** BigInt(decimals)
  const size = amount < 0n ? -amount : amount
  const whole = (size / unit).toLocaleString('en')
  const fraction = decimals === 0 ? '' : `.${String(size % unit).padStart(decimals, '0')}`
  return `${amount < 0n ? '-' : ''}${currency === 'NGN' ? '₦' : `${currency} `}${whole}${fraction}`
}

/** The minor unit of a currency, for a sentence: `kobo`, `minor units of GHS`. */
export function unitOf(currency: string): string {
  return currency === 'NGN' ? 'kobo' : `minor units of ${currency}`
}

export function formatNaira(amount: Money): string {
  return formatMoney(amount, 'NGN')
}

/** Providers have fractions of the minor unit in fees and wallets; these are counted in millionths of it. */
export const millionths = 1_000_000n

/** Rounds millionths to the nearest minor unit, halves up. */
export function roundMillionths(amount: bigint): bigint {
  const moved = amount + millionths / 2n
  const rest = moved % millionths
  return (moved - rest) / millionths - (rest < 0n ? 1n : 0n)
}

/**
 * Converts an amount for API messages. A double would silently lose a kobo of a sum beyond 2^53 - 1, so such a sum is
 * a bug.
 */
export function toWire(amount: Money): number {
  const wire = Number(amount)
  if (!Number.isSafeInteger(wire)) throw new Error(`amount ${amount} does not fit a JSON integer`)
  return wire
}
