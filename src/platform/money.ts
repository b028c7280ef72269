// Money is a bigint of the currency's minor unit (kobo, pesewas, whole CFA francs), branded so that a count cannot be
// passed for it. It becomes a JSON integer only in API messages.

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

export function decimalsOf(currency: Currency): number {
  return decimalsByCurrency[currency]
}

/** 2^53 - 1: the largest integer that every reader of JSON reads exactly. */
export const amountMax = BigInt(Number.MAX_SAFE_INTEGER) as Money

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

/** `₦1,500.00`, `GHS 12.50`, `XOF 1,500` */
export function formatMoney(amount: Money, currency: Currency): string {
  const decimals = decimalsOf(currency)
  const unit = 10n ** BigInt(decimals)
  const size = amount < 0n ? -amount : amount
  const whole = (size / unit).toLocaleString('en')
  const fraction = decimals === 0 ? '' : `.${String(size % unit).padStart(decimals, '0')}`
  return `${amount < 0n ? '-' : ''}${currency === 'NGN' ? '₦' : `${currency} `}${whole}${fraction}`
}

export function unitOf(currency: string): string {
  return currency === 'NGN' ? 'kobo' : `minor units of ${currency}`
}

export function formatNaira(amount: Money): string {
  return formatMoney(amount, 'NGN')
}

/** Fees and wallets of providers can have fractions of the minor unit, which are counted in millionths. */
export const millionths = 1_000_000n

export function roundMillionths(amount: bigint): bigint {
  const moved = amount + millionths / 2n
  const rest = moved % millionths
  return (moved - rest) / millionths - (rest < 0n ? 1n : 0n)
}

/** For API messages. Throws above 2^53 - 1, where a double would silently lose a kobo. */
export function toWire(amount: Money): number {
  const wire = Number(amount)
  if (!Number.isSafeInteger(wire)) throw new Error(`amount ${amount} does not fit a JSON integer`)
  return wire
}
