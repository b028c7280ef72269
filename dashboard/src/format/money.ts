// Money is an integer of the minor unit: kobo, pesewas, whole CFA francs. Formatting splits the integer
// and never computes with fractions.

export type Currency =
  | 'NGN'
  | 'GHS'
  | 'KES'
  | 'UGX'
  | 'TZS'
  | 'RWF'
  | 'ZMW'
  | 'MWK'
  | 'XOF'
  | 'XAF'
  | 'SLE'
  | 'MZN'
  | 'ETB'
  | 'LSL'
  | 'CDF'
  | 'USD'

const minus = '\u2212'

/** The currencies without decimals; all others have two. */
const wholeCurrencies: readonly Currency[] = ['UGX', 'RWF', 'XOF', 'XAF']

export const absent = '–'

/** `fraction`: with its point; empty in a currency without decimals. */
export type MoneyParts = { sign: string; symbol: string; whole: string; fraction: string }

/** `₦1,500.00`, `GHS 12.50`, `XOF 1,500`; a dash for an absent amount. */
export function formatMoney(amount: number | null | undefined, currency: Currency = 'NGN'): string {
  if (amount === null || amount === undefined) return absent
  const { sign, symbol, whole, fraction } = splitMoney(amount, currency)
  return `${sign}${symbol}${whole}${fraction}`
}

/** `1,500.00`, for places that show the currency already. */
export function formatAmount(amount: number, currency: Currency = 'NGN'): string {
  const { sign, whole, fraction } = splitMoney(amount, currency)
  return `${sign}${whole}${fraction}`
}

export function splitMoney(amount: number, currency: Currency = 'NGN'): MoneyParts {
  const exact = BigInt(amount)
  const size = exact < 0n ? -exact : exact
  const unit = unitOf(currency)
  return {
    sign: exact < 0n ? minus : '',
    symbol: symbolOf(currency),
    whole: groupThousands(String(size / unit)),
    fraction: unit === 1n ? '' : `.${String(size % unit).padStart(2, '0')}`,
  }
}

/** Minor units of one major unit. */
export function unitOf(currency: Currency): bigint {
  return wholeCurrencies.includes(currency) ? 1n : 100n
}

function symbolOf(currency: Currency): string {
  return currency === 'NGN' ? '₦' : `${currency}\u00a0`
}

function groupThousands(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

const scales: [bigint, string][] = [
  [1_000_000_000_000n, 't'],
  [1_000_000_000n, 'b'],
  [1_000_000n, 'm'],
  [1_000n, 'k'],
]

/**
 * `₦1.2m`, for axes only, because further digits are cut off. Only naira has a symbol: an axis has no room for a code
 * such as GHS.
 */
export function formatCompactMoney(amount: number, currency: Currency = 'NGN'): string {
  const exact = BigInt(amount)
  const major = (exact < 0n ? -exact : exact) / unitOf(currency)
  const sign = `${exact < 0n ? minus : ''}${currency === 'NGN' ? '₦' : ''}`
  for (const [size, letter] of scales) {
    if (major < size) continue
    const tenths = (major * 10n) / size
    const rest = tenths % 10n
    return `${sign}${tenths / 10n}${rest === 0n ? '' : `.${rest}`}${letter}`
  }
  return `${sign}${major}`
}

export type ReadMoney = { amount: number } | { wrong: string }

/** Parses typed amounts such as `1,500.00`, `1500`, `₦1 500` or `GHS 12.50` into the minor unit. */
export function parseMoney(typed: string, currency: Currency = 'NGN'): ReadMoney {
  const bare = currency === 'NGN' ? typed.replaceAll('₦', '') : typed
  const text = bare.replaceAll(/\s/g, '').replace(new RegExp(`^${currency}`, 'i'), '')
  if (text === '') return { wrong: `Enter an amount in ${currency === 'NGN' ? 'naira' : currency}.` }
  const parts = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d*))?$/.exec(text)
  const unit = unitOf(currency)
  if (parts === null) return { wrong: `Write the amount like ${unit === 1n ? '1,500' : '1,500.00'}.` }
  const [, whole = '', fraction = ''] = parts
  if (unit === 1n && fraction !== '') return { wrong: `${currency} has no decimals.` }
  if (fraction.length > 2)
    return { wrong: `An amount has at most two decimals${currency === 'NGN' ? ': a kobo is the smallest' : ''}.` }
  const amount = BigInt(whole.replaceAll(',', '')) * unit + (unit === 1n ? 0n : BigInt(fraction.padEnd(2, '0')))
  if (amount > BigInt(Number.MAX_SAFE_INTEGER)) return { wrong: 'This amount is too large.' }
  return { amount: Number(amount) }
}
