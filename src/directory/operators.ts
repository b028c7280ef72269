// Mobile-money operators and phone numbers of every country of the data file.

import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min'
import type { Environment } from '#platform/context.ts'
import { amountMax, toMoney, type Currency, type Money } from '#platform/money.ts'
import { amountsOfDirectory } from '#rails/operator-offers.ts'
import data from './data/momo-operators.json' with { type: 'json' }

/** How a payer approves a collection. For those that end in `otp`, the payer gives us a one-time code. */
type CollectionApproval = 'pin-prompt' | 'otp' | 'voucher-otp' | 'pre-generated-otp' | 'redirect' | 'bank-transfer'

/** Who is paid: a wallet by its phone number, or a business by the number of its till or paybill. */
export const recipientKinds = ['phone', 'till', 'paybill'] as const
export type RecipientKind = (typeof recipientKinds)[number]

type CountryRecord = {
  country: string
  name: string
  callingCode: string
  currency: Currency
  /** Excludes the trunk prefix. */
  nationalNumberLength: number
  trunkPrefix: string | null
  operators: {
    slug: string
    name: string
    network: string
    recipient?: RecipientKind
    decimals: number
    prefixes: string[]
    /** Null: the operator has no collections. */
    collectionApproval: CollectionApproval | null
    nipCode: string | null
    providerCodes: Record<string, string>
  }[]
}

export type MomoOperator = {
  slug: string
  name: string
  network: string
  recipient: RecipientKind
  country: string
  countryName: string
  callingCode: string
  currency: Currency
  /**
   * The number of decimals that the operator accepts in an amount. 0: whole units only, even if the currency has cents.
   */
  decimals: number
  /** Beginnings of national numbers, excluding the leading 0. Only a guess, because numbers are ported. */
  prefixes: string[]
  supports: { transfer: boolean; collection: boolean }
  requiresOtp: boolean
  minAmount: Money
  maxAmount: Money
  status: 'active'
  nipCode: string | null
  providerCodes: Record<string, string>
}

const codeApprovals: CollectionApproval[] = ['otp', 'voucher-otp', 'pre-generated-otp']

const homeCountry = 'NG'

/** 080000000 and two digits: numbers for tests. No network has them, so no prefix shows their operator. */
const testPhone = /^\+23480000000\d\d$/
const operatorOfTestPhones = 'mtn-momo'

const countries = data.countries as readonly CountryRecord[]

const operators: readonly MomoOperator[] = countries.flatMap(
  ({ country, name: countryName, callingCode, currency, operators: records }) =>
    records.map(({ slug, name, network, recipient = 'phone', decimals, prefixes, collectionApproval, ...codes }) => ({
      slug,
      name,
      network,
      recipient,
      country,
      countryName,
      callingCode,
      currency,
      decimals,
      prefixes,
      nipCode: codes.nipCode,
      providerCodes: codes.providerCodes,
      supports: { transfer: true, collection: collectionApproval !== null },
      requiresOtp: collectionApproval !== null && codeApprovals.includes(collectionApproval),
      // The operators' own limits are unknown, so only the limits of all amounts apply.
      minAmount: toMoney(amountsOfDirectory({ currency, decimals }).step),
      maxAmount: amountMax,
      status: 'active' as const,
    })),
)

const bySlug = new Map(operators.map((operator) => [operator.slug, operator]))

export type OperatorFilter = {
  country?: string | undefined
  currency?: string | undefined
  search?: string | undefined
}

/** `search` selects operators whose name, network or country contains every word, ignoring case. */
export function listOperators({ country, currency, search = '' }: OperatorFilter = {}): readonly MomoOperator[] {
  const words = search.toLowerCase().split(/\s+/)
  return operators.filter(
    (one) =>
      (country === undefined || one.country === country) &&
      (currency === undefined || one.currency === currency) &&
      words.every((word) => searchTextOf(one).includes(word)),
  )
}

function searchTextOf({ slug, name, network, countryName }: MomoOperator): string {
  return `${slug} ${name} ${network} ${countryName}`.toLowerCase()
}

export const countryCodes = countries.map(({ country }) => country)

export function findOperator(slug: string): MomoOperator | undefined {
  return bySlug.get(slug)
}

/**
 * The operator that the business names overrides the prefix, because numbers can be ported. Undefined if no operator
 * serves the number. A till or paybill has no `phoneNumber`.
 */
export function chooseOperator(
  environment: Environment,
  { operator, phoneNumber }: { operator: string | undefined; phoneNumber: string | null },
): MomoOperator | undefined {
  const found = operator === undefined ? predictOperator(environment, phoneNumber ?? '') : findOperator(operator)
  if (found === undefined) return undefined
  const isServed = phoneNumber === null ? found.recipient !== 'phone' : servesNumber(found, phoneNumber)
  return isServed ? found : undefined
}

/** The probable operator of a number, by the longest matching prefix. `phoneNumber` is E.164. */
export function predictOperator(environment: Environment, phoneNumber: string): MomoOperator | undefined {
  if (environment === 'staging' && testPhone.test(phoneNumber)) return findOperator(operatorOfTestPhones)
  return findOperator(slugOf(phoneNumber) ?? '')
}

const slugByPrefix = new Map<string, string>(
  operators.flatMap(({ slug, callingCode, prefixes }) =>
    prefixes.map((prefix) => [`+${callingCode}${prefix}`, slug] as const),
  ),
)
const longestPrefix = Math.max(...[...slugByPrefix.keys()].map((prefix) => prefix.length))

/** The longest prefix counts, because one can be the beginning of another: Kenya's 75 and 757. */
function slugOf(phoneNumber: string): string | undefined {
  for (let length = longestPrefix; length > 1; length--) {
    const slug = slugByPrefix.get(phoneNumber.slice(0, length))
    if (slug !== undefined) return slug
  }
  return undefined
}

/**
 * Numbers are ported between the operators of a country, and never to another country. Tills and paybills have no phone
 * number.
 */
export function servesNumber({ callingCode, recipient }: MomoOperator, phoneNumber: string): boolean {
  return recipient === 'phone' && phoneNumber.startsWith(`+${callingCode}`)
}

const international = countries.map(({ callingCode, nationalNumberLength, trunkPrefix }) => {
  // In a country without a trunk prefix, a leading 0 is part of the number.
  const first = trunkPrefix === null ? '\\d' : '[1-9]'
  return `\\+?${callingCode}${first}\\d{${nationalNumberLength - 1}}`
})

export const businessNumberForm = /^\d{5,7}$/

/** Nigerian numbers as people write them, and the international numbers of all countries of the data file. */
export const phoneForm = new RegExp(`^(?:0[1-9]\\d{9}|${international.join('|')})$`)

/**
 * Converts to E.164, the only form that is stored, compared and shown: `08030000000`, `2348030000000` or
 * `+2348030000000` → `+2348030000000`; undefined for anything else. With a country, it must be a number of that
 * country, and its national form is read too: `0241234567` in `GH` → `+233241234567`.
 */
export function parsePhoneNumber(unchecked: string, country?: string): string | undefined {
  const form = country === undefined ? phoneForm : /^\+?\d{6,15}$/
  if (!form.test(unchecked)) return undefined
  const isNational = country !== undefined || unchecked.startsWith('0')
  const full = isNational || unchecked.startsWith('+') ? unchecked : `+${unchecked}`
  const home = (country ?? homeCountry) as CountryCode
  const found = parsePhoneNumberFromString(
    full,
    isNational ? { defaultCountry: home, extract: false } : { extract: false },
  )
  const record = countries.find(({ callingCode }) => callingCode === found?.countryCallingCode)
  if (found === undefined || record === undefined || !found.isPossible()) return undefined
  if (country !== undefined && record.country !== country) return undefined
  return found.nationalNumber.length === record.nationalNumberLength ? found.number : undefined
}
