// Money is a bigint of the currency's smallest unit (kobo), branded so that a count or an id cannot be passed for it.
// It becomes a JSON integer only in API messages, where it must fit a double exactly.

declare const kobo: unique symbol
export type Kobo = bigint & { readonly [kobo]: true }

export type Currency = 'NGN'

/** The largest amount that JSON can hold without loss (2^53 - 1). */
export const amountMax = BigInt(Number.MAX_SAFE_INTEGER) as Kobo

/** Converts a checked JSON integer or a database bigint. */
export function toKobo(value: number | bigint): Kobo {
  return BigInt(value) as Kobo
}

export const zero = toKobo(0n)

export function add(left: Kobo, right: Kobo): Kobo {
  return (left + right) as Kobo
}

export function negate(amount: Kobo): Kobo {
  return -amount as Kobo
}

/** Formats an amount for display: `₦1,500.00`. */
export function formatNaira(amount: Kobo): string {
  const size = amount < 0n ? -amount : amount
  const whole = (size / 100n).toLocaleString('en')
  return `${amount < 0n ? '-' : ''}₦${whole}.${String(size % 100n).padStart(2, '0')}`
}

/**
 * Converts an amount for API messages. A double would silently lose a kobo of a sum beyond 2^53 - 1, so such a sum is
 * a bug.
 */
export function toWire(amount: Kobo): number {
  const wire = Number(amount)
  if (!Number.isSafeInteger(wire)) throw new Error(`amount ${amount} does not fit a JSON integer`)
  return wire
}
