// What a row of a draft says: the cells as a person wrote them, and what is understood of them. A cell that cannot be
// read is an error beside it, and never a guess.

import { findBankCalled, findBank, nearestBanks } from '#directory/banks.ts'
import { listOperators, parsePhoneNumber, predictOperator } from '#directory/operators.ts'
import type { Environment } from '#platform/context.ts'
import { amountMax, toMoney, type Money } from '#platform/money.ts'

export const cellNames = ['amount', 'bank', 'account', 'name', 'narration', 'reference'] as const
export type CellName = (typeof cellNames)[number]
export type Cells = Record<CellName, string>

/** `offers`: texts that would be right in this cell. */
export type CellError = { field: CellName; message: string; offers?: string[] }

export type PayeeKind = 'bank' | 'wallet'

/** Null: the cell cannot be read. A name may also be absent; then the name that the bank gives is used. */
export type ReadRow = {
  kind: PayeeKind
  amount: Money | null
  /** The slug of the bank or operator. */
  institution: string | null
  /** The account number, or the phone number in E.164. */
  accountNumber: string | null
  accountName: string | null
  narration: string | null
  reference: string | null
  errors: CellError[]
}

export function emptyCells(given: Partial<Cells>): Cells {
  return { amount: '', bank: '', account: '', name: '', narration: '', reference: '', ...given }
}

type Faults = CellError[]

/** `ownReference` is used where the cell is empty. */
export function readCells(cells: Cells, environment: Environment, ownReference: string): ReadRow {
  const errors: Faults = []
  return {
    ...readPayeeOf(cells, environment, errors),
    amount: readAmount(cells.amount, errors),
    accountName: readText('name', cells.name, errors),
    narration: readText('narration', cells.narration, errors),
    reference: readReference(tidy(cells.reference), ownReference, errors),
    errors,
  }
}

export type PayeeCells = Pick<Cells, 'name' | 'bank' | 'account'>

/** Only whom a row pays. */
export function readPayeeCells(cells: PayeeCells, environment: Environment) {
  const errors: Faults = []
  return { ...readPayeeOf(cells, environment, errors), name: readText('name', cells.name, errors), errors }
}

function readPayeeOf({ bank, account }: PayeeCells, environment: Environment, errors: Faults): ReadPayee {
  return readPayee(tidy(bank), account.replaceAll(/[\s-]/g, ''), environment, errors)
}

/** The second of two rows with one reference is wrong, because a reference is paid once. */
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

function readAmount(cell: string, errors: Faults): Money | null {
  const wrong = (message: string): null => {
    errors.push({ field: 'amount', message })
    return null
  }
  const text = cell.trim().replace(/^(₦|NGN|N(?=[\d ]))\s*/i, '')
  if (text === '') return wrong('Enter an amount in naira.')
  if (!grouped.test(text) && !plain.test(text)) return wrong('Write the amount in naira, such as 1,500.00.')
  const [naira = '', kobo = ''] = text.replaceAll(',', '').split('.')
  if (kobo.length > 2) return wrong('An amount has at most two decimals.')
  const amount = toMoney(BigInt(naira) * 100n + BigInt(kobo.padEnd(2, '0')))
  if (amount === 0n) return wrong('The amount must be more than zero.')
  return amount > amountMax ? wrong('The amount is too large.') : amount
}

type ReadPayee = Pick<ReadRow, 'kind' | 'institution' | 'accountNumber'>

function readPayee(bank: string, account: string, environment: Environment, errors: Faults): ReadPayee {
  const operator = operatorOf(bank)
  const phone = readNigerianPhone(account)
  if (operator !== undefined || (bank === '' && phone !== undefined)) {
    const institution = operator ?? (phone === undefined ? undefined : predictOperator(environment, phone)?.slug)
    if (phone === undefined) errors.push({ field: 'account', message: 'Enter a phone number, such as 08030000000.' })
    if (institution === undefined) errors.push({ field: 'bank', message: 'Enter the operator of this phone number.' })
    return { kind: 'wallet', institution: institution ?? null, accountNumber: phone ?? null }
  }
  return { kind: 'bank', institution: readBank(bank, errors), accountNumber: readAccount(account, errors) }
}

/** Drafts are in naira, so numbers of other countries are not read. */
function readNigerianPhone(account: string): string | undefined {
  const phone = parsePhoneNumber(account)
  return phone?.startsWith('+234') === true ? phone : undefined
}

function operatorOf(text: string): string | undefined {
  const name = text.toLowerCase()
  if (findBank(name) !== undefined) return undefined
  const operator = listOperators({ currency: 'NGN' }).find(
    (one) => one.slug === name || one.name.toLowerCase() === name,
  )
  return operator?.slug
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

/** Returns true if two names can be those of one person: each word of the shorter one is in the longer one. */
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
