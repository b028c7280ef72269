// Which bank a caller may have meant by a slug that is none: `gtbank`, `zenit-bank`, `058`. It is only ever offered: money
// goes to the bank that a caller names, never to one that was guessed.

import { banksCalled, listBanks, plainText, type Bank } from './banks.ts'

const offeredMax = 3

/** What is told of a slug that no bank has. */
export function unknownBank(slug: string): string {
  const slugs = nearestBanks(slug).map((bank) => bank.slug)
  const last = slugs.pop()
  const named = slugs.length === 0 ? last : `${slugs.join(', ')} or ${last}`
  const offer = last === undefined ? '' : ` Did you mean ${named}?`
  return `There is no bank with the slug ${slug}.${offer} GET /v1/banks lists them.`
}

/** Of one or two letters there are too many. */
const partLengthMin = 3

/** At most three, the likeliest first; none when nothing is near. */
export function nearestBanks(slug: string): readonly Bank[] {
  const called = banksCalled(slug)
  if (called.length > 0) return called.slice(0, offeredMax)
  const word = plainText(slug)
  if (word.length < partLengthMin) return []
  const holding = listBanks({ search: slug.replaceAll(/[^A-Za-z0-9]+/g, ' ') })
  return holding.length > 0 && holding.length <= offeredMax ? holding : misspelt(word)
}

const spellings = listBanks().flatMap((bank) =>
  [bank.name, bank.slug].map(plainText).map((spelling) => ({ bank, spelling, letters: lettersOf(spelling) })),
)

function misspelt(word: string): Bank[] {
  const mistakesMax = word.length >= 8 ? 2 : word.length >= 5 ? 1 : 0
  const letters = lettersOf(word)
  const near = spellings
    .filter((one) => bitsIn(one.letters ^ letters) <= 2 * mistakesMax)
    .map(({ bank, spelling }) => ({ bank, mistakes: mistakesBetween(spelling, word, mistakesMax) }))
    .filter(({ mistakes }) => mistakes <= mistakesMax)
    .toSorted((left, right) => left.mistakes - right.mistakes)
  return [...new Set(near.map(({ bank }) => bank))].slice(0, offeredMax)
}

/**
 * Which letters a word has, a bit for each. A mistake changes at most two of them, and so nearly every bank is passed over
 * without a look at its letters' order: a bulk request may ask a thousand times.
 */
function lettersOf(word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index += 1) letters |= 1 << (word.charCodeAt(index) % 32)
  return letters
}

function bitsIn(letters: number): number {
  let bits = 0
  for (let left = letters; left !== 0; left &= left - 1) bits += 1
  return bits
}

/** How many letters are wrong, missing or too many (Levenshtein); more than `max` is told as Infinity, and early. */
function mistakesBetween(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) > max) return Infinity
  let above = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 0; row < left.length; row += 1) {
    const current = [row + 1]
    for (let column = 1; column <= right.length; column += 1) {
      const swapped = (above[column - 1] ?? 0) + (left[row] === right[column - 1] ? 0 : 1)
      current.push(Math.min(swapped, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    if (Math.min(...current) > max) return Infinity
    above = current
  }
  return above[right.length] ?? Infinity
}
