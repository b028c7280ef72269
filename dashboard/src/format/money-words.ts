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

/** From this many major units on an amount is also said in words. */
export const saidInWordsFrom = 1_000_000

/** The names of the major and the minor unit; a currency without decimals has no minor unit. */
const unitNames: Record<Currency, [string, string?]> = {
  NGN: ['naira', 'kobo'],
  GHS: ['Ghana cedis', 'pesewas'],
  KES: ['Kenya shillings', 'cents'],
  UGX: ['Uganda shillings'],
  TZS: ['Tanzania shillings', 'cents'],
  RWF: ['Rwanda francs'],
  ZMW: ['Zambia kwacha', 'ngwee'],
  MWK: ['Malawi kwacha', 'tambala'],
  XOF: ['CFA francs'],
  XAF: ['CFA francs'],
  SLE: ['Sierra Leone leones', 'cents'],
  MZN: ['Mozambique meticais', 'centavos'],
  ETB: ['Ethiopia birr', 'santim'],
  LSL: ['Lesotho maloti', 'lisente'],
  CDF: ['Congo francs', 'centimes'],
  USD: ['US dollars', 'cents'],
}

/** The name of each currency, in the plural. */
export const currencyNames = Object.fromEntries(
  Object.entries(unitNames).map(([currency, [major]]) => [currency, major]),
) as Record<Currency, string>

export function sayMoney(amount: number, currency: Currency = 'NGN'): string {
  const [major, minor = ''] = unitNames[currency]
  const unit = unitOf(currency)
  const rest = Number(BigInt(amount) % unit)
  const words = `${sayNumber(Number(BigInt(amount) / unit))} ${major}`
  const whole = words.charAt(0).toUpperCase() + words.slice(1)
  return rest === 0 ? whole : `${whole}, ${sayNumber(rest)} ${minor}`
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
