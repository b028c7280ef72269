// Money is an integer of kobo. It is taken apart as one and never divided as a fraction.

const perNaira = 100n
const minus = '\u2212'

export const absent = '–'

export type NairaParts = { sign: string; whole: string; fraction: string }

/** `₦1,500.00`; a dash for what is not there. */
export function formatNaira(kobo: number | null | undefined): string {
  if (kobo === null || kobo === undefined) return absent
  const { sign, whole, fraction } = splitNaira(kobo)
  return `${sign}₦${whole}.${fraction}`
}

/** `1,500.00`, for where the sign of the currency stands already. */
export function formatAmount(kobo: number): string {
  const { sign, whole, fraction } = splitNaira(kobo)
  return `${sign}${whole}.${fraction}`
}

export function splitNaira(kobo: number): NairaParts {
  const exact = BigInt(kobo)
  const size = exact < 0n ? -exact : exact
  return {
    sign: exact < 0n ? minus : '',
    whole: groupThousands(String(size / perNaira)),
    fraction: String(size % perNaira).padStart(2, '0'),
  }
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

/** `₦1.2m`, for axes alone: the rest is cut off. */
export function formatCompactNaira(kobo: number): string {
  const exact = BigInt(kobo)
  const naira = (exact < 0n ? -exact : exact) / perNaira
  const sign = exact < 0n ? minus : ''
  for (const [size, letter] of scales) {
    if (naira < size) continue
    const tenths = (naira * 10n) / size
    const rest = tenths % 10n
    return `${sign}₦${tenths / 10n}${rest === 0n ? '' : `.${rest}`}${letter}`
  }
  return `${sign}₦${naira}`
}

export type ReadNaira = { kobo: number } | { wrong: string }

/** What a person typed, such as `1,500.00`, `1500` or `₦1 500`, in kobo. */
export function parseNaira(typed: string): ReadNaira {
  const text = typed.replaceAll(/[₦\s]/g, '')
  if (text === '') return { wrong: 'Enter an amount in naira.' }
  const parts = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d*))?$/.exec(text)
  if (parts === null) return { wrong: 'Write the amount like 1,500.00.' }
  const [, whole = '', fraction = ''] = parts
  if (fraction.length > 2) return { wrong: 'An amount has at most two decimals: a kobo is the smallest.' }
  const kobo = BigInt(whole.replaceAll(',', '')) * perNaira + BigInt(fraction.padEnd(2, '0'))
  if (kobo > BigInt(Number.MAX_SAFE_INTEGER)) return { wrong: 'This amount is too large.' }
  return { kobo: Number(kobo) }
}
