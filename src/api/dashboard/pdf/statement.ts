// The statement of the balance as a PDF, page by page.

import type { LogoImage } from '#businesses/logo-image.ts'
import type { Environment } from '#platform/context.ts'
import type { StatementEntry } from '#ledger/statement.ts'
import { add, formatMoney, negate, zero, type Currency, type Money } from '#platform/money.ts'
import { fitText, lagosTime, PageDrawing, pageHeight, pageWidth, pdf } from './pdf.ts'

/** Above it, a person wants a spreadsheet: this is 2,300 pages. */
export const statementRowsMax = 100_000

type StatementOf = {
  business: string
  logo: LogoImage | undefined
  environment: Environment
  currency: Currency
  from?: Date | undefined
  before?: Date | undefined
  entries: AsyncIterable<StatementEntry[]>
}

/** In points. */
const logoBox = { width: 120, height: 44 }
const margin = 40
const right = pageWidth - margin
const lineHeight = 15
const firstRowAt = 150
const rowsPerPage = Math.floor((pageHeight - firstRowAt - 80) / lineHeight)
const gray = 0.42
const small = { size: 8 }
/** Where amounts end. */
const [inEnd, outEnd] = [right - 180, right - 90]

export function statementPdf(statement: StatementOf): AsyncGenerator<Uint8Array> {
  const { business, logo } = statement
  return pdf({ title: `Statement of ${business}`, logo, pages: pagesOf(statement) })
}

async function* pagesOf(statement: StatementOf): AsyncGenerator<PageDrawing> {
  const { currency } = statement
  let [page, number, row] = [beginPage(statement, 1), 1, 0]
  let [inSum, outSum]: [Money, Money] = [zero, zero]
  let [opening, closing]: (Money | undefined)[] = []
  for await (const entries of statement.entries)
    for (const entry of entries) {
      if (row === rowsPerPage) {
        yield page
        number += 1
        page = beginPage(statement, number)
        row = 0
      }
      inSum = add(inSum, entry.in)
      outSum = add(outSum, entry.out)
      // The newest entry comes first.
      closing ??= entry.balanceAfter
      opening = add(add(entry.balanceAfter, negate(entry.in)), entry.out)
      drawRow(page, firstRowAt + row * lineHeight, entry, currency)
      row += 1
    }
  drawSums(page, firstRowAt + row * lineHeight, { opening, inSum, outSum, closing, currency })
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
  page.text(130, y, 'Entry', head)
  page.text(210, y, 'Reference', head)
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

function drawRow(page: PageDrawing, y: number, entry: StatementEntry, currency: Currency): void {
  page.text(margin, y, lagosTime(entry.createdAt), small)
  page.text(130, y, fitText(nameEntry(entry), 74, small), small)
  page.text(210, y, fitText(entry.reference ?? '', inEnd - 80 - 210, small), small)
  if (entry.in !== zero) page.text(inEnd, y, formatMoney(entry.in, currency), { ...small, align: 'end' })
  if (entry.out !== zero) page.text(outEnd, y, formatMoney(entry.out, currency), { ...small, align: 'end' })
  page.text(right, y, formatMoney(entry.balanceAfter, currency), { ...small, align: 'end' })
}

/** `Deposit`. */
function nameEntry({ type }: StatementEntry): string {
  return type.charAt(0).toUpperCase() + type.slice(1).replaceAll('_', ' ')
}

type StatementSums = {
  opening: Money | undefined
  inSum: Money
  outSum: Money
  closing: Money | undefined
  currency: Currency
}

function drawSums(page: PageDrawing, y: number, { opening, inSum, outSum, closing, currency }: StatementSums): void {
  if (opening === undefined || closing === undefined) {
    page.text(margin, y, 'No entry in this time.', small)
    return
  }
  const bold = { ...small, weight: 'semibold' } as const
  page.line(margin, right, y - 6)
  page.text(margin, y + 8, `Opening balance ${formatMoney(opening, currency)}`, bold)
  page.text(inEnd, y + 8, formatMoney(inSum, currency), { ...bold, align: 'end' })
  page.text(outEnd, y + 8, formatMoney(outSum, currency), { ...bold, align: 'end' })
  page.text(right, y + 8, formatMoney(closing, currency), { ...bold, align: 'end' })
}
