// Formats that rails share: names of account holders, narrations, amounts, account numbers, references.

import { toMoney, type Money } from '#platform/money.ts'
import { hash } from 'node:crypto'
import type { Uuid } from '#platform/ids.ts'

const plainMax = 100

/** The narration appears on the payee's statement, where characters beyond ASCII get garbled. */
export function plainNarration(narration: string | null): string {
  return plain(narration ?? '') || 'Transfer'
}

/** The name of a customer for a provider that does not document its character set. */
export function plainName(name: string): string {
  return plain(name) || 'Customer'
}

function plain(text: string): string {
  const ascii = text.normalize('NFKD').replaceAll(/[^\x20-\x7e]/g, '')
  return ascii.replaceAll(/ +/g, ' ').trim().slice(0, plainMax).trim()
}

/** Every rail returns names of account holders in this form: upper case, single spaces. */
export function shownName(name: string): string {
  return name.replaceAll(/\s+/g, ' ').trim().toUpperCase()
}

/** Returns true if the names have a word in common. Initials do not count, because they do not distinguish people. */
export function shareWord(left: string, right: string): boolean {
  const known = new Set(wordsOf(left))
  return wordsOf(right).some((word) => known.has(word))
}

function wordsOf(name: string): string[] {
  return (
    name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toUpperCase()
      .match(/[\p{L}\p{N}]{2,}/gu) ?? []
  )
}

const koboPerNaira = 100n

/** `150000` kobo become `1500.00`. Amounts are converted digit by digit, never through a double. */
export function nairaOf(amount: Money): string {
  return `${amount / koboPerNaira}.${String(amount % koboPerNaira).padStart(2, '0')}`
}

const written = /^(\d{1,15})(?:\.(\d{1,2})0*)?$/

/** Undefined if `naira` is no amount or has a fraction of a kobo. Accepts strings and whole numbers. */
export function koboOf(naira: unknown): Money | undefined {
  const text = typeof naira === 'number' && Number.isSafeInteger(naira) ? String(naira) : naira
  const [, whole, part = ''] = (typeof text === 'string' ? written.exec(text) : null) ?? []
  return whole === undefined ? undefined : toMoney(BigInt(whole) * koboPerNaira + BigInt(part.padEnd(2, '0')))
}

export function isAccountNumber(text: string): boolean {
  return /^\d{10}$/.test(text)
}

const weights = [3, 7, 3]

/** The bank code in six digits, from which the check digit is computed: `058` → `000058`, `50211` → `950211`. */
export function institutionCodeOf(bankCode: string): string | undefined {
  if (/^\d{3}$/.test(bankCode)) return `000${bankCode}`
  if (/^\d{5}$/.test(bankCode)) return `9${bankCode}`
  return /^\d{6}$/.test(bankCode) ? bankCode : undefined
}

/**
 * A Nigerian account number (NUBAN) has nine digits and a check digit, which is computed from the institution's code and
 * the nine digits. Only the simulator uses the check digit, to make account numbers. No account number is refused because
 * of its check digit: wallets use phone numbers, and several banks do not follow the rule.
 */
export function nubanCheckDigit(institutionCode: string, serial: string): number {
  const digits = Array.from(institutionCode + serial, (digit) => Number.parseInt(digit, 10))
  const sum = digits.reduce((total, digit, index) => total + digit * (weights[index % weights.length] ?? 0), 0)
  return (10 - (sum % 10)) % 10
}

export function isNuban(institutionCode: string, accountNumber: string): boolean {
  if (!/^\d{10}$/.test(accountNumber)) return false
  return nubanCheckDigit(institutionCode, accountNumber.slice(0, 9)) === Number.parseInt(accountNumber.slice(9), 10)
}

// The reference under which a provider knows a payment. It is derived from the payment's id, so no crash loses it and
// no retry creates another. A lower-case UUID of version 4 is the only form that every known provider accepts: 16 to
// 50 characters, lower-case letters, digits and hyphens, and for some exactly a UUIDv4.

/**
 * Uses 122 bits of a hash of the id: collisions are as unlikely as for random UUIDs, and the hash does not reveal the
 * id.
 */
export function railReferenceOf(id: Uuid): string {
  const digits = hash('sha256', `manilla rail reference ${id}`)
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) & 3)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}

/**
 * The reference of an attempt to open a virtual account. Each attempt has its own reference, so that the provider does
 * not answer with the account that an earlier attempt opened.
 */
export function attemptReferenceOf({ railReference, attempt }: { railReference: string; attempt: number }): string {
  return attempt === 0 ? railReference : `${railReference}-${attempt}`
}

const simulatorName = 'simulator'

/** The provider's name in a deposit that a collection made; the collection's payment has the name of the rail. */
const collected = 'momo'

/**
 * Returns true if real money is at the rail; the simulator has none. `rail`: the name of a rail, or of the provider
 * that reported a deposit.
 */
export function holdsMoney(rail: string | null): rail is string {
  return rail !== null && rail !== '' && rail !== simulatorName && rail !== collected
}
