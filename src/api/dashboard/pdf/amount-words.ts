// An amount in words, as on a cheque. The dashboard has the same for its pages, and shares no code with the service.

import { decimalsOf, type Currency, type Money } from '#platform/money.ts'

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales: [bigint, string][] = [
  [1_000_000_000_000n, 'trillion'],
  [1_000_000_000n, 'billion'],
  [1_000_000n, 'million'],
  [1_000n, 'thousand'],
]

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

/** `One thousand five hundred naira, fifty kobo`. */
export function sayAmount(amount: Money, currency: Currency): string {
  const [major, minor] = unitNames[currency]
  const unit = 10n ** BigInt(decimalsOf(currency))
  const [whole, rest] = [amount / unit, amount % unit]
  const words = sayUnits(whole, major)
  const sentence = words.charAt(0).toUpperCase() + words.slice(1)
  return rest === 0n || minor === undefined ? sentence : `${sentence}, ${sayUnits(rest, minor)}`
}

function sayUnits(number: bigint, [one, many]: UnitNames): string {
  return `${numberInWords(number)} ${number === 1n ? one : many}`
}

function numberInWords(number: bigint): string {
  for (const [size, name] of scales) {
    if (number < size) continue
    const rest = number % size
    const head = `${numberInWords(number / size)} ${name}`
    if (rest === 0n) return head
    return `${head}${rest < 100n ? ' and ' : ' '}${numberInWords(rest)}`
  }
  return hundredsInWords(Number(number))
}

function hundredsInWords(number: number): string {
  if (number < 20) return small[number] ?? ''
  const rest = number < 100 ? number % 10 : number % 100
  if (number < 100) return `${tens[Math.floor(number / 10)] ?? ''}${rest === 0 ? '' : `-${small[rest] ?? ''}`}`
  return `${small[Math.floor(number / 100)] ?? ''} hundred${rest === 0 ? '' : ` and ${hundredsInWords(rest)}`}`
}
