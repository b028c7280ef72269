// The statement of the available balance as a PDF: the entries with their counterparties, the newest first, and at the end
// the sums.

import type { LogoImage } from '#businesses/logo.ts'
import type { Environment } from '#platform/context.ts'
import type { StatementLine } from '#api/dashboard/money/statement.ts'
import { add, formatMoney, negate, zero, type Currency, type Money } from '#platform/money.ts'
import { fitText, lagosTime, PageDrawing, pageHeight, pageWidth, pdf, wrapText } from './pdf.ts'

/** This is 2,300 pages. A longer statement is of use only in a spreadsheet. */
export const statementRowsMax = 100_000

type StatementOf = {
  business: string
  logo: LogoImage | undefined
  environment: Environment
  currency: Currency
  from?: Date | undefined
  before?: Date | undefined
  lines: AsyncIterable<StatementLine[]>
}

/** Sizes and positions are in points; an A4 page is 595 points wide. */
const logoBox = { width: 120, height: 44 }
const margin = 40
const right = pageWidth - margin
const lineHeight = 15
const detailHeight = 10
const firstRowAt = 150
const lastRowAt = pageHeight - 80
const gray = 0.42
const small = { size: 8 }
const detail = { size: 7.5, gray }
const entryAt = 124
const [referenceAt, referenceWidth] = [212, 92]
const [inEnd, outEnd] = [right - 166, right - 83]
/** Leaves the other half of the line for the session id, which has 30 digits. */
const counterpartyWidth = 240

export function statementPdf(statement: StatementOf): AsyncGenerator<Uint8Array> {
  const { business, logo } = statement
  return pdf({ title: `Statement of ${business}`, logo, pages: pagesOf(statement) })
}

async function* pagesOf(statement: StatementOf): AsyncGenerator<PageDrawing> {
  const { currency } = statement
  let [page, number, y] = [beginPage(statement, 1), 1, firstRowAt]
  let [inSum, outSum]: [Money, Money] = [zero, zero]
  let [opening, closing]: (Money | undefined)[] = []
  for await (const lines of statement.lines)
    for (const line of lines) {
      const row = rowOf(line)
      if (y + row.height > lastRowAt) {
        yield page
        number += 1
        page = beginPage(statement, number)
        y = firstRowAt
      }
      inSum = add(inSum, line.in)
      outSum = add(outSum, line.out)
      // The newest entry comes first, so it has the closing balance, and the last entry has the opening balance.
      closing ??= line.balanceAfter
      opening = add(add(line.balanceAfter, negate(line.in)), line.out)
      drawRow(page, y, row, currency)
      y += row.height
    }
  drawSums(page, y, { opening, inSum, outSum, closing, currency })
  yield page
}

function beginPage({ business, logo, environment, currency, from, before }: StatementOf, number: number): PageDrawing {
  const page = new PageDrawing()
  const name = { size: 14, weight: 'semibold' } as const
  if (logo !== undefined) page.logo(logo, { right, top: 44, ...logoBox })
  const nameWidth = right - margin - (logo === undefined ? 0 : logoBox.width + 20)
  page.text(margin, 60, fitText(business, nameWidth, name), name)
  const where = environment === 'staging' ? ', staging: no money was moved' : ''
  page.text(margin, 80, `Statement of the available balance in ${currency}${where}`, { size: 10, gray })
  page.text(margin, 96, sayPeriod(from, before), { size: 10, gray })
  const head = { ...small, weight: 'semibold' } as const
  const y = firstRowAt - 22
  page.text(margin, y, 'Time in Lagos', head)
  page.text(entryAt, y, 'Entry', head)
  page.text(referenceAt, y, 'Reference', head)
  page.text(inEnd, y, 'In', { ...head, align: 'end' })
  page.text(outEnd, y, 'Out', { ...head, align: 'end' })
  page.text(right, y, 'Balance', { ...head, align: 'end' })
  page.line(margin, right, y + 7)
  page.text(right, pageHeight - 36, `Page ${number}`, { ...small, gray, align: 'end' })
  return page
}

function sayPeriod(from: Date | undefined, before: Date | undefined): string {
  const parts = [
    from === undefined ? '' : `from ${lagosTime(from)}`,
    before === undefined ? '' : `until ${lagosTime(before)}`,
  ]
  const period = parts.filter((part) => part !== '').join(' ')
  return period === '' ? 'All entries, the newest first' : `Entries ${period}, the newest first`
}

type DrawnRow = {
  line: StatementLine
  references: string[]
  counterparties: string[]
  sessionId: string
  height: number
}

/** Wraps the texts of an entry and makes its row as high as they need, so that no text is cut off. */
function rowOf(line: StatementLine): DrawnRow {
  const references = wrapText(line.reference, referenceWidth, small)
  const { name = '', account = '', institution = '', sessionId = '' } = line.counterparty ?? {}
  const says = [name, institution, account].filter((part) => part !== '').join(', ')
  const counterparties = says === '' ? [] : wrapText(says, counterpartyWidth, detail)
  const details = Math.max(counterparties.length, sessionId === '' ? 0 : 1)
  const height = lineHeight + (references.length - 1 + details) * detailHeight
  return { line, references, counterparties, sessionId, height }
}

function drawRow(page: PageDrawing, y: number, row: DrawnRow, currency: Currency): void {
  const { line, references, counterparties, sessionId } = row
  page.text(margin, y, lagosTime(line.createdAt), small)
  page.text(entryAt, y, names.get(line.type) ?? line.type, small)
  for (const [index, part] of references.entries()) page.text(referenceAt, y + index * detailHeight, part, small)
  if (line.in !== zero) page.text(inEnd, y, formatMoney(line.in, currency), { ...small, align: 'end' })
  if (line.out !== zero) page.text(outEnd, y, formatMoney(line.out, currency), { ...small, align: 'end' })
  page.text(right, y, formatMoney(line.balanceAfter, currency), { ...small, align: 'end' })
  const detailsAt = y + references.length * detailHeight
  for (const [index, part] of counterparties.entries())
    page.text(entryAt, detailsAt + index * detailHeight, part, detail)
  if (sessionId !== '') page.text(right, detailsAt, `Session ${sessionId}`, { ...detail, align: 'end' })
}

/** The kinds of entries in words. The dashboard has its own copy for its pages. */
const names = new Map([
  ['opening', 'Opening balance'],
  ['funding', 'Simulated funding'],
  ['hold', 'Payout and fee'],
  ['release', 'Failed payout'],
  ['reversal', 'Returned payout'],
  ['fee_refund', 'Fee returned'],
  ['deposit', 'Deposit'],
  ['deposit_fee', 'Deposit fee'],
  ['adjustment', 'Adjustment'],
])

type StatementSums = {
  opening: Money | undefined
  inSum: Money
  outSum: Money
  closing: Money | undefined
  currency: Currency
}

function drawSums(page: PageDrawing, y: number, { opening, inSum, outSum, closing, currency }: StatementSums): void {
  if (opening === undefined || closing === undefined) {
    page.text(margin, y, 'No entries in this period.', small)
    return
  }
  const bold = { ...small, weight: 'semibold' } as const
  page.line(margin, right, y - 6)
  page.text(margin, y + 8, `Opening balance ${formatMoney(opening, currency)}`, bold)
  page.text(inEnd, y + 8, formatMoney(inSum, currency), { ...bold, align: 'end' })
  page.text(outEnd, y + 8, formatMoney(outSum, currency), { ...bold, align: 'end' })
  page.text(right, y + 8, formatMoney(closing, currency), { ...bold, align: 'end' })
}
