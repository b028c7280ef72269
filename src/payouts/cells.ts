// Reads the cells of a draft's row as a user wrote them. A cell that cannot be read gets an error and no value. The
// service never guesses; it only suggests what the user may have meant.

import { findBankCalled, findBank, nearestBanks } from '#directory/banks.ts'
import {
  businessNumberForm,
  findOperator,
  listOperators,
  parsePhoneNumber,
  predictOperator,
  servesNumber,
  type MomoOperator,
} from '#directory/operators.ts'
import type { Environment } from '#platform/context.ts'
import { amountMax, decimalsOf, isCurrency, toMoney, type Currency, type Money } from '#platform/money.ts'

export const cellNames = ['amount', 'bank', 'account', 'name', 'narration', 'reference', 'currency'] as const
export type CellName = (typeof cellNames)[number]
export type Cells = Record<CellName, string>

/** `offers`: texts that the user may mean in this cell. */
export type CellError = { field: CellName; message: string; offers?: string[] }

export type PayeeKind = 'bank' | 'wallet'

export function paymentKindOf(kind: PayeeKind): 'bank_transfer' | 'momo_transfer' {
  return kind === 'bank' ? 'bank_transfer' : 'momo_transfer'
}

/**
 * A field is null if its cell cannot be read, and a name or narration also if its cell is empty. The name that the bank
 * gives replaces an empty name.
 */
export type ReadRow = {
  kind: PayeeKind
  amount: Money | null
  /** The slug of the bank or operator. */
  institution: string | null
  /** The account number, the phone number in E.164, or the number of a till. */
  accountNumber: string | null
  accountName: string | null
  narration: string | null
  reference: string | null
  errors: CellError[]
}

export function emptyCells(given: Partial<Cells>): Cells {
  return { amount: '', bank: '', account: '', name: '', narration: '', reference: '', currency: '', ...given }
}

type Faults = CellError[]

/** `ownReference`: used if the row's reference cell is empty. */
export type ReadingOptions = { environment: Environment; currency: Currency; ownReference: string }

export function readCells(cells: Cells, { environment, currency, ownReference }: ReadingOptions): ReadRow {
  const errors: Faults = []
  const payee = readPayeeOf(cells, { environment, currencies: [currency] }, errors)
  checkCurrency(cells.currency, currency, errors)
  return {
    ...payee,
    amount: readAmount(cells.amount, currency, payee, errors),
    accountName: readText('name', cells.name, errors),
    narration: readText('narration', cells.narration, errors),
    reference: readReference(tidy(cells.reference), ownReference, errors),
    errors,
  }
}

export type PayeeCells = Pick<Cells, 'name' | 'bank' | 'account'>

/** `currencies`: the currencies in which a payee may be paid. */
export type PayeeOptions = { environment: Environment; currencies: readonly Currency[] }

export function readPayeeCells(cells: PayeeCells, options: PayeeOptions) {
  const errors: Faults = []
  return { ...readPayeeOf(cells, options, errors), name: readText('name', cells.name, errors), errors }
}

function readPayeeOf({ bank, account }: PayeeCells, options: PayeeOptions, errors: Faults): ReadPayee {
  return readPayee(tidy(bank), account.replaceAll(/[\s-]/g, ''), options, errors)
}

/** The currency of a file: that of its first row that names one, or NGN. */
export function currencyOfRows(rows: readonly Partial<Cells>[]): Currency {
  for (const { currency = '' } of rows) {
    const named = readCurrency(currency)
    if (isCurrency(named)) return named
  }
  return 'NGN'
}

function readCurrency(cell: string): string {
  const text = tidy(cell).toUpperCase()
  return /\b(NGN|NAIRA)\b|₦/.test(text) ? 'NGN' : text
}

function checkCurrency(cell: string, currency: Currency, errors: Faults): void {
  const named = readCurrency(cell)
  if (named === '' || named === currency) return
  const message = isCurrency(named)
    ? `These payouts are in ${currency}. Put payouts in ${named} into a file of their own.`
    : `No currency is called “${named.slice(0, 20)}”. These payouts are in ${currency}.`
  errors.push({ field: 'currency', message, offers: [currency] })
}

/** Marks the later of two rows with the same reference as wrong, because a reference is paid once. */
export function markRepeatedReferences(rows: { number: number; read: ReadRow }[]): void {
  const first = new Map<string, number>()
  for (const { number, read } of rows) {
    if (read.reference === null) continue
    const earlier = first.get(read.reference)
    if (earlier === undefined) first.set(read.reference, number)
    else {
      read.errors.push({ field: 'reference', message: `Row ${earlier} has this reference too.` })
      read.reference = null
    }
  }
}

function tidy(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}

const grouped = /^\d{1,3}(,\d{3})+(\.\d+)?$/
const plain = /^\d+(\.\d+)?$/

function readAmount(cell: string, currency: Currency, { kind, institution }: ReadPayee, errors: Faults): Money | null {
  const wrong = (message: string): null => {
    errors.push({ field: 'amount', message })
    return null
  }
  const [word, decimals] = [currency === 'NGN' ? 'naira' : currency, decimalsOf(currency)]
  const sign = currency === 'NGN' ? /^(₦|NGN|N(?=[\d ]))\s*/i : new RegExp(`^${currency}\\s*`, 'i')
  const text = cell.trim().replace(sign, '')
  if (text === '') return wrong(`Enter an amount in ${word}.`)
  if (!grouped.test(text) && !plain.test(text))
    return wrong(`Write the amount in ${word}, such as ${decimals === 0 ? '1,500' : '1,500.00'}.`)
  const [whole = '', fraction = ''] = text.replaceAll(',', '').split('.')
  // A spreadsheet may write zeros as decimals where a currency has none.
  if (decimals === 0 && /[1-9]/.test(fraction)) return wrong(`${currency} has no decimals.`)
  if (decimals > 0 && fraction.length > decimals) return wrong('An amount has at most two decimals.')
  const amount = toMoney(BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0')))
  if (amount === 0n) return wrong('The amount must be more than zero.')
  const operator = kind === 'wallet' ? findOperator(institution ?? '') : undefined
  if (operator !== undefined && amount % 10n ** BigInt(decimals - operator.decimals) !== 0n)
    return wrong(`${operator.name} carries whole ${currency} only.`)
  return amount > amountMax ? wrong('The amount is too large.') : amount
}

type ReadPayee = Pick<ReadRow, 'kind' | 'institution' | 'accountNumber'>

function readPayee(
  bank: string,
  account: string,
  { environment, currencies }: PayeeOptions,
  errors: Faults,
): ReadPayee {
  const operators = listOperators().filter(({ currency }) => currencies.includes(currency))
  const named = operatorCalled(bank, operators)
  if (named !== undefined && named.recipient !== 'phone') return readBusiness(named, account, errors)
  const phone = readPhone(account, named === undefined ? operators : [named])
  const paysBanks = currencies.includes('NGN')
  if (paysBanks && named === undefined && (bank !== '' || phone === undefined))
    return { kind: 'bank', institution: readBank(bank, errors), accountNumber: readAccount(account, errors) }
  const predicted = phone === undefined ? undefined : predictOperator(environment, phone)
  const operator = named ?? (bank === '' ? operators.find(({ slug }) => slug === predicted?.slug) : undefined)
  if (phone === undefined)
    errors.push({ field: 'account', message: sayPhone(named === undefined ? operators : [named]) })
  if (operator === undefined) errors.push(operatorFault(bank, phone, operators))
  return { kind: 'wallet', institution: operator?.slug ?? null, accountNumber: phone ?? null }
}

/** A till is paid by its number alone. A paybill also needs an account number there, for which a draft has no cell. */
function readBusiness({ slug, recipient }: MomoOperator, account: string, errors: Faults): ReadPayee {
  const isTill = recipient === 'till' && businessNumberForm.test(account)
  if (recipient === 'paybill')
    errors.push({ field: 'bank', message: 'Paybills are paid with the API: POST /v1/momo/transfer.' })
  else if (!isTill) errors.push({ field: 'account', message: 'A till number has 5 to 7 digits.' })
  const institution = recipient === 'till' ? slug : null
  return { kind: 'wallet', institution, accountNumber: isTill ? account : null }
}

/** In Nigeria, a text that is also the slug of a bank means the bank. */
function operatorCalled(text: string, operators: readonly MomoOperator[]): MomoOperator | undefined {
  const name = text.toLowerCase()
  const found = operators.find((one) => one.slug === name || one.name.toLowerCase() === name)
  return found?.country === 'NG' && findBank(name) !== undefined ? undefined : found
}

function readPhone(account: string, operators: readonly MomoOperator[]): string | undefined {
  const phone = parsePhoneNumber(account)
  if (phone !== undefined && operators.some((operator) => servesNumber(operator, phone))) return phone
  const [country, ...others] = new Set(operators.map((operator) => operator.country))
  // A spreadsheet may have dropped the first 0. In Nigeria the rest looks like an account number, so it is not
  // accepted.
  if (country === undefined || country === 'NG' || others.length > 0) return undefined
  return parsePhoneNumber(account, country)
}

function sayPhone(operators: readonly MomoOperator[]): string {
  const [first] = operators
  if (first === undefined || operators.some(({ country }) => country !== first.country))
    return 'Enter a phone number that begins with + and the code of its country.'
  if (first.country === 'NG') return 'Enter a phone number, such as 08030000000.'
  return `Enter a phone number of ${first.countryName}. With the code of its country it begins with +${first.callingCode}.`
}

const operatorsOffered = 4

function operatorFault(bank: string, phone: string | undefined, operators: readonly MomoOperator[]): CellError {
  const near = operators.filter((one) => (phone === undefined ? one.recipient === 'phone' : servesNumber(one, phone)))
  const offers = near.slice(0, operatorsOffered).map(({ name }) => name)
  const [first] = operators
  const currency = first?.currency ?? ''
  if (bank === '') return { field: 'bank', message: 'Enter the operator of this phone number.', offers }
  const message = `No operator in ${currency} is called “${bank.slice(0, 60)}”. In ${currency} only mobile-money wallets can be paid.`
  return { field: 'bank', message, offers }
}

function readBank(text: string, errors: Faults): string | null {
  const bank = findBankCalled(text)
  if (bank !== undefined) return bank.slug
  if (text === '') errors.push({ field: 'bank', message: 'Enter the bank.' })
  else {
    const offers = nearestBanks(text).map(({ name }) => name)
    const offer = offers.length === 0 ? '' : ` Did you mean ${offers.join(' or ')}?`
    errors.push({ field: 'bank', message: `No bank is called “${text.slice(0, 60)}”.${offer}`, offers })
  }
  return null
}

function readAccount(account: string, errors: Faults): string | null {
  if (/^\d{10}$/.test(account)) return account
  const error = (message: string, offers: string[] = []): null => {
    errors.push({ field: 'account', message, ...(offers.length === 0 ? {} : { offers }) })
    return null
  }
  if (/^\d{7,9}$/.test(account)) {
    const offer = account.padStart(10, '0')
    return error(`An account number has 10 digits. A spreadsheet may have dropped a zero: ${offer}?`, [offer])
  }
  return error('An account number has 10 digits.')
}

const lengthMax = 100
/** The characters that the API refuses in a line of text. */
// oxlint-disable-next-line no-control-regex
const disruptive = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/u

function readText(field: 'name' | 'narration', cell: string, errors: Faults): string | null {
  const text = tidy(cell)
  if (text === '') return null
  if (text.length > lengthMax) errors.push({ field, message: `Use at most ${lengthMax} characters.` })
  else if (disruptive.test(text) || !text.isWellFormed())
    errors.push({ field, message: 'Use plain text without control characters.' })
  else return text
  return null
}

const referenceForm = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,99}$/

function readReference(text: string, ownReference: string, errors: Faults): string | null {
  if (text === '') return ownReference
  if (referenceForm.test(text)) return text
  const message = 'A reference begins with a letter or digit and has only letters, digits and . _ : = -, at most 100.'
  errors.push({ field: 'reference', message })
  return null
}

/**
 * Returns true if two names can be those of one person: each word of the shorter one is in the longer one. A single
 * word matches only itself.
 */
export function sameName(left: string, right: string): boolean {
  const [few = [], many = []] = [wordsOf(left), wordsOf(right)].toSorted((a, b) => a.length - b.length)
  return few.length > 0 && few.every((word) => many.includes(word)) && (few.length > 1 || many.length === 1)
}

function wordsOf(name: string): string[] {
  return name
    .normalize('NFD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9 ]/g, '')
    .split(' ')
    .filter((word) => word !== '')
}
