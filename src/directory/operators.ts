// Mobile-money operators and phone numbers. The data covers nineteen countries (data/README.md); the service supports
// `servedCountries`.

import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { Environment } from '#platform/context.ts'
import { amountMax, toMoney, type Currency, type Money } from '#platform/money.ts'
import data from './data/momo-operators.json' with { type: 'json' }

/** How a payer approves a collection. The three in the middle pass a one-time code through us. */
type CollectionApproval = 'pin-prompt' | 'otp' | 'voucher-otp' | 'pre-generated-otp' | 'redirect' | 'bank-transfer'

export type CountryRecord = {
  country: string
  callingCode: string
  currency: string
  /** Excludes the trunk prefix. */
  nationalNumberLength: number
  trunkPrefix: string | null
  operators: {
    slug: string
    name: string
    network: string
    prefixes: string[]
    collectionApproval: CollectionApproval
    nipCode: string | null
    providerCodes: Record<string, string>
  }[]
}

export type MomoOperator = {
  slug: string
  name: string
  network: string
  country: string
  currency: Currency
  /** Beginnings of national numbers, excluding the leading 0. Only a guess, because numbers are ported. */
  prefixes: string[]
  supports: { transfer: boolean; collection: boolean }
  requiresOtp: boolean
  minAmount: Money
  maxAmount: Money
  status: 'active'
  nipCode: string | null
  /** The providers' names for this operator, by provider. */
  providerCodes: Record<string, string>
}

const servedCountries = ['NG']
const codeApprovals: CollectionApproval[] = ['otp', 'voucher-otp', 'pre-generated-otp']

/** 080000000 and two digits: numbers for tests. No network has them, so no prefix shows their operator. */
const testPhone = /^\+23480000000\d\d$/
const operatorOfTestPhones = 'mtn-momo'

const countries: readonly CountryRecord[] = (data.countries as CountryRecord[]).filter((record) =>
  servedCountries.includes(record.country),
)

const operators: readonly MomoOperator[] = countries.flatMap(({ country, currency, operators: records }) =>
  records.map(({ slug, name, network, prefixes, collectionApproval, nipCode, providerCodes }) => ({
    slug,
    name,
    network,
    country,
    prefixes,
    nipCode,
    providerCodes,
    currency: currency as Currency,
    supports: { transfer: true, collection: true },
    requiresOtp: codeApprovals.includes(collectionApproval),
    // The operators' own limits are unknown, so the limits of every amount apply.
    minAmount: toMoney(1),
    maxAmount: amountMax,
    status: 'active' as const,
  })),
)

const bySlug = new Map(operators.map((operator) => [operator.slug, operator]))

export function listOperators(): readonly MomoOperator[] {
  return operators
}

export function findOperator(slug: string): MomoOperator | undefined {
  return bySlug.get(slug)
}

const slugOf = createPrefixIndex(countries)

/** The probable operator of a number, by the longest matching prefix. `phoneNumber` is E.164. */
export function predictOperator(environment: Environment, phoneNumber: string): MomoOperator | undefined {
  if (environment === 'staging' && testPhone.test(phoneNumber)) return findOperator(operatorOfTestPhones)
  return findOperator(slugOf(phoneNumber) ?? '')
}

/** Maps E.164 to a slug. Prefixes differ in length, and one can be the beginning of another: Kenya's 75 and 757. */
export function createPrefixIndex(records: readonly CountryRecord[]): (phoneNumber: string) => string | undefined {
  const slugs = new Map<string, string>()
  for (const { callingCode, operators: list } of records) {
    for (const { slug, prefixes } of list) for (const prefix of prefixes) slugs.set(`+${callingCode}${prefix}`, slug)
  }
  const longest = Math.max(...[...slugs.keys()].map((prefix) => prefix.length))
  return (phoneNumber) => {
    for (let length = longest; length > 1; length--) {
      const slug = slugs.get(phoneNumber.slice(0, length))
      if (slug !== undefined) return slug
    }
    return undefined
  }
}

const phoneForms = countries.map(({ callingCode, nationalNumberLength, trunkPrefix }) => {
  const trunk = trunkPrefix === null ? '' : `|${trunkPrefix}`
  return `(?:\\+?${callingCode}${trunk})[1-9]\\d{${nationalNumberLength - 1}}`
})

/** The numbers of the countries that the service supports, in the forms that `parsePhoneNumber` converts. */
export const phoneForm = new RegExp(`^(?:${phoneForms.join('|')})$`)

/**
 * Converts to E.164, the only form that is stored, compared and shown: `08030000000`, `2348030000000` or
 * `+2348030000000` → `+2348030000000`; undefined for anything else.
 */
export function parsePhoneNumber(unchecked: string): string | undefined {
  if (!phoneForm.test(unchecked)) return undefined
  for (const { callingCode, nationalNumberLength, trunkPrefix } of countries) {
    const national = nationalNumber(unchecked, callingCode, trunkPrefix)
    if (national?.length !== nationalNumberLength) continue
    // The package alone would guess missing or repeated digits, so it gets only the one full form.
    const found = parsePhoneNumberFromString(`+${callingCode}${national}`, { extract: false })
    if (found?.countryCallingCode === callingCode && found.nationalNumber === national && found.isPossible())
      return found.number
  }
  return undefined
}

function nationalNumber(digits: string, callingCode: string, trunkPrefix: string | null): string | undefined {
  for (const beginning of [`+${callingCode}`, callingCode, ...(trunkPrefix === null ? [] : [trunkPrefix])]) {
    if (digits.startsWith(beginning)) return digits.slice(beginning.length)
  }
  return undefined
}
