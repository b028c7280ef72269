// The banks of Nigeria. data/README.md says where the list comes from and how far it can be trusted. A slug names a
// bank for ever; codes are not unique.

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

const bySlug = new Map(banks.map((bank) => [bank.slug, bank]))
const byCode = Map.groupBy(banks, (bank) => bank.code)

/** All banks, by name. `search` keeps those whose name holds every word of it, in capitals or not. */
export function listBanks({ search = '' }: { search?: string | undefined } = {}): readonly Bank[] {
  const wanted = wordsOf(search)
  if (wanted.length === 0) return banks
  return banks.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)))
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
