// The banks of Nigeria. data/README.md describes the source of the list and its reliability. A slug names a bank
// forever; codes are not unique.

import aliases from './data/bank-aliases.json' with { type: 'json' }
import records from './data/banks.json' with { type: 'json' }

type BankType =
  | 'commercial'
  | 'non-interest'
  | 'merchant'
  | 'microfinance'
  | 'mortgage'
  | 'finance-company'
  | 'mobile-money'
  | 'psb'

export type Bank = {
  name: string
  slug: string
  code: string
  nipCode: string | null
  /** The Central Bank's code, if known; some providers use it. */
  cbnCode: string | null
  type: BankType
  country: 'NG'
  currency: 'NGN'
  active: boolean
}

type CodeAnswer =
  | { kind: 'found'; bank: Bank }
  /** Several banks have this code. A guess could pay a stranger, so the caller must send the slug. */
  | { kind: 'ambiguous'; banks: Bank[] }
  | { kind: 'unknown' }

const byName = new Intl.Collator('en', { numeric: true })

const banks: readonly Bank[] = (records as Bank[])
  .map(({ name, slug, code, nipCode, cbnCode, type, country, currency, active }) => {
    return { name, slug, code, nipCode, cbnCode, type, country, currency, active }
  })
  .toSorted((left, right) => byName.compare(left.name, right.name))

const inLowerCase = banks.map((bank) => ({ bank, name: bank.name.toLowerCase() }))
const bySlug = new Map(banks.map((bank) => [bank.slug, bank]))
const byCode = Map.groupBy(banks, (bank) => bank.code)
const byPlainName = Map.groupBy(banks, (bank) => plainText(bank.name))

const byOtherName = new Map<string, Bank[]>()
for (const bank of banks) {
  const nicknames = (aliases as Record<string, string[]>)[bank.slug] ?? []
  for (const name of new Set([bank.slug, bank.code, bank.nipCode ?? bank.code, ...nicknames].map(plainText))) {
    byOtherName.set(name, [...banksCalled(name), bank])
  }
}

/**
 * All banks, sorted by name. `search` selects banks whose name contains every word, ignoring case. A word also
 * matches a bank's slug, code or nickname: `gtb`, `058`.
 */
export function listBanks({ search = '' }: { search?: string | undefined } = {}): readonly Bank[] {
  const wanted = wordsOf(search).map((word) => ({ word, called: banksCalled(word) }))
  if (wanted.length === 0) return banks
  return inLowerCase
    .filter(({ bank, name }) => wanted.every(({ word, called }) => name.includes(word) || called.includes(bank)))
    .map(({ bank }) => bank)
}

/** The banks with this slug, code or nickname, ignoring case and punctuation. */
function banksCalled(name: string): readonly Bank[] {
  return byOtherName.get(plainText(name)) ?? []
}

export function plainText(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

export function findBank(slug: string): Bank | undefined {
  return bySlug.get(slug)
}

/**
 * The bank with this slug; else the only one with this name, slug, code or nickname, ignoring case and punctuation. The
 * name may leave out a “Bank” at its end, as people do: “Zenith”.
 */
export function findBankCalled(text: string): Bank | undefined {
  const word = plainText(text)
  const named = byPlainName.get(word) ?? byPlainName.get(`${word}bank`) ?? []
  const [bank, ...others] = new Set([...named, ...banksCalled(text)])
  return bySlug.get(text) ?? (others.length > 0 ? undefined : bank)
}

export function findBankByCode(code: string): CodeAnswer {
  const found = byCode.get(code) ?? []
  const [bank] = found
  if (bank === undefined) return { kind: 'unknown' }
  return found.length === 1 ? { kind: 'found', bank } : { kind: 'ambiguous', banks: found }
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}

const offeredMax = 3

export function unknownBank(slug: string): string {
  const slugs = nearestBanks(slug).map((bank) => bank.slug)
  const last = slugs.pop()
  const named = slugs.length === 0 ? last : `${slugs.join(', ')} or ${last}`
  const offer = last === undefined ? '' : ` Did you mean ${named}?`
  return `There is no bank with the slug ${slug}.${offer} GET /v1/banks lists them.`
}

const partLengthMin = 3

/**
 * Suggests banks for an unknown slug such as `gtbank`, `zenit-bank` or `058`: at most three, the likeliest first;
 * none if nothing is near. Only a suggestion: money goes to the bank that a caller names, never to a guess.
 */
export function nearestBanks(slug: string): readonly Bank[] {
  const called = banksCalled(slug)
  if (called.length > 0) return called.slice(0, offeredMax)
  const word = plainText(slug)
  if (word.length < partLengthMin) return []
  const holding = listBanks({ search: slug.replaceAll(/[^A-Za-z0-9]+/g, ' ') })
  return holding.length > 0 && holding.length <= offeredMax ? holding : misspelled(word)
}

const spellings = listBanks().flatMap((bank) =>
  [bank.name, bank.slug].map(plainText).map((spelling) => ({ bank, spelling, letters: lettersOf(spelling) })),
)

function misspelled(word: string): Bank[] {
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
 * The letters of a word, one bit each. A mistake changes at most two of them. So a comparison of letters rules out
 * nearly every bank without counting mistakes: a bulk request may ask a thousand times.
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

/** Counts wrong, missing and surplus letters (Levenshtein); returns Infinity, early, if there are more than `max`. */
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
