// An amount in words, for the moment before somebody sends a large one.

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

/** From this many kobo on an amount is also said in words. */
export const saidInWordsFrom = 100_000_000

export function sayNaira(kobo: number): string {
  const naira = Number(BigInt(kobo) / 100n)
  const rest = Number(BigInt(kobo) % 100n)
  const words = `${sayNumber(naira)} naira`
  const whole = words.charAt(0).toUpperCase() + words.slice(1)
  return rest === 0 ? whole : `${whole}, ${sayNumber(rest)} kobo`
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
