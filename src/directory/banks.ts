// The banks of Nigeria. data/README.md says where the list comes from and how far it can be trusted. A slug names a
// bank for ever; codes are not unique.

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
  /** The institution's code on NIP; null where it is not known. */
  nipCode: string | null
  /** The Central Bank's code, where one is known; some providers go by it. */
  cbnCode: string | null
  type: BankType
  country: 'NG'
  currency: 'NGN'
  active: boolean
}

export type CodeAnswer =
  | { kind: 'found'; bank: Bank }
  /** More than one bank has this code: guessing could pay a stranger, so the caller has to say the slug. */
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

/** By what banks are called beside their names, in the form of `plainText`: their slugs, codes and nicknames. */
const byOtherName = new Map<string, Bank[]>()
for (const bank of banks) {
  const nicknames = (aliases as Record<string, string[]>)[bank.slug] ?? []
  for (const name of new Set([bank.slug, bank.code, bank.nipCode ?? bank.code, ...nicknames].map(plainText))) {
    byOtherName.set(name, [...banksCalled(name), bank])
  }
}

/**
 * All banks, by name. `search` keeps those whose name holds every word of it, in capitals or not. A word that a bank is
 * called otherwise counts as one that its name holds: `gtb`, `058`.
 */
export function listBanks({ search = '' }: { search?: string | undefined } = {}): readonly Bank[] {
  const wanted = wordsOf(search).map((word) => ({ word, called: banksCalled(word) }))
  if (wanted.length === 0) return banks
  return inLowerCase
    .filter(({ bank, name }) => wanted.every(({ word, called }) => name.includes(word) || called.includes(bank)))
    .map(({ bank }) => bank)
}

/** The banks whose slug, code or nickname this is, whatever its case and punctuation. */
export function banksCalled(name: string): readonly Bank[] {
  return byOtherName.get(plainText(name)) ?? []
}

/** Letters and digits alone. */
export function plainText(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

export function findBank(slug: string): Bank | undefined {
  return bySlug.get(slug)
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
