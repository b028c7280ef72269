// An amount in words, for the moment before a person sends a large one.

import { unitOf, type Currency } from './money.ts'

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales: [number, string][] = [
  [1_000_000_000_000, 'trillion'],
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1_000, 'thousand'],
]

/** An amount of at least this many major units is also shown in words. */
export const saidInWordsFrom = 1_000_000

type UnitNames = [one: string, many: string]

/** The major and the minor unit. A currency without decimals has no minor unit. */
const unitNames: Record<Currency, [UnitNames, UnitNames?]> = {
  NGN: [
    ['naira', 'naira'],
    ['kobo', 'kobo'],
  ],
  GHS: [
    ['Ghana cedi', 'Ghana cedis'],
    ['pesewa', 'pesewas'],
  ],
  KES: [
    ['Kenya shilling', 'Kenya shillings'],
    ['cent', 'cents'],
  ],
  UGX: [['Uganda shilling', 'Uganda shillings']],
  TZS: [
    ['Tanzania shilling', 'Tanzania shillings'],
    ['cent', 'cents'],
  ],
  RWF: [['Rwanda franc', 'Rwanda francs']],
  ZMW: [
    ['Zambia kwacha', 'Zambia kwacha'],
    ['ngwee', 'ngwee'],
  ],
  MWK: [
    ['Malawi kwacha', 'Malawi kwacha'],
    ['tambala', 'tambala'],
  ],
  XOF: [['CFA franc', 'CFA francs']],
  XAF: [['CFA franc', 'CFA francs']],
  SLE: [
    ['Sierra Leone leone', 'Sierra Leone leones'],
    ['cent', 'cents'],
  ],
  MZN: [
    ['Mozambique metical', 'Mozambique meticais'],
    ['centavo', 'centavos'],
  ],
  ETB: [
    ['Ethiopia birr', 'Ethiopia birr'],
    ['santim', 'santim'],
  ],
  LSL: [
    ['Lesotho loti', 'Lesotho maloti'],
    ['sente', 'lisente'],
  ],
  CDF: [
    ['Congo franc', 'Congo francs'],
    ['centime', 'centimes'],
  ],
  USD: [
    ['US dollar', 'US dollars'],
    ['cent', 'cents'],
  ],
}

/** The name of each currency, in the plural. */
export const currencyNames = Object.fromEntries(
  Object.entries(unitNames).map(([currency, [[, many]]]) => [currency, many]),
) as Record<Currency, string>

export function sayMoney(amount: number, currency: Currency = 'NGN'): string {
  const [major, minor] = unitNames[currency]
  const unit = unitOf(currency)
  const rest = Number(BigInt(amount) % unit)
  const words = sayUnits(Number(BigInt(amount) / unit), major)
  const whole = words.charAt(0).toUpperCase() + words.slice(1)
  return rest === 0 || minor === undefined ? whole : `${whole}, ${sayUnits(rest, minor)}`
}

function sayUnits(number: number, [one, many]: UnitNames): string {
  return `${sayNumber(number)} ${number === 1 ? one : many}`
}

function sayNumber(number: number): string {
  for (const [size, name] of scales) {
    if (number < size) continue
    const rest = number % size
    const head = `${sayNumber(Math.floor(number / size))} ${name}`
    if (rest === 0) return head
    return `${head}${rest < 100 ? ' and ' : ' '}${sayNumber(rest)}`
  }
  return sayHundreds(number)
}

function sayHundreds(number: number): string {
  if (number < 20) return small[number] ?? ''
  if (number < 100) {
    const rest = number % 10
    return `${tens[Math.floor(number / 10)] ?? ''}${rest === 0 ? '' : `-${small[rest] ?? ''}`}`
  }
  const rest = number % 100
  return `${small[Math.floor(number / 100)] ?? ''} hundred${rest === 0 ? '' : ` and ${sayHundreds(rest)}`}`
}
