// Finds the columns of a file by the names that people commonly give them.

import type { CellName } from '#api/drafts.ts'
import type { RecipientCellName } from '#api/recipients.ts'

/** The names that people give to the column of each cell. */
export type ColumnNames<Cell extends string> = Readonly<Record<Cell, string>>

export const payoutColumns: ColumnNames<CellName> = {
  name: 'name|account name|recipient|beneficiary|beneficiary name|employee|full name|payee|customer name',
  bank: 'bank|bank name|bank code|bank slug|beneficiary bank|operator',
  account: 'account|account number|account no|acct no|acct number|nuban|beneficiary account|phone|phone number|wallet',
  amount: 'amount|net pay|salary|net salary|pay|amount ngn|amount naira|total',
  narration: 'narration|description|remark|remarks|purpose|memo|note',
  currency: 'currency|currency code|ccy',
  reference: 'reference|ref|payment reference|transaction reference|invoice|invoice number',
}

const { name, bank, account } = payoutColumns
export const recipientColumns: ColumnNames<RecipientCellName> = {
  name,
  bank,
  account,
  tags: 'tags|tag|group|groups|department|category|team',
}

/** The position of each cell's column; absent if the file has none. */
export type Columns<Cell extends string = CellName> = Partial<Record<Cell, number>>

function plain(head: string): string {
  return head
    .toLowerCase()
    .replaceAll(/[^a-z ]+/g, ' ')
    .trim()
    .replaceAll(/ +/g, ' ')
}

/** Matches headings that are one of the names first, then headings that contain one. Each column is used once. */
export function matchColumns<Cell extends string = CellName>(
  heads: readonly string[],
  names: ColumnNames<Cell> = payoutColumns as ColumnNames<string>,
): Columns<Cell> {
  const found: Columns<Cell> = {}
  const used = new Set<number>()
  for (const fits of [isEqual, contains]) {
    for (const [cell, words] of Object.entries(names) as [Cell, string][]) {
      if (found[cell] !== undefined) continue
      const at = heads.findIndex(
        (head, place) => !used.has(place) && words.split('|').some((word) => fits(plain(head), word)),
      )
      if (at === -1) continue
      found[cell] = at
      used.add(at)
    }
  }
  return found
}

function isEqual(head: string, word: string): boolean {
  return head === word
}

function contains(head: string, word: string): boolean {
  return ` ${head} `.includes(` ${word} `)
}

/** The names of the columns are searched for in this many lines, because a title and a date may stand above them. */
const linesAboveMax = 10

/**
 * The position of the line that names the columns; -1 if there is none. The search ends at the first line that has an
 * account number, because the names stand above all payments.
 */
export function findHead(lines: readonly (readonly string[])[]): number {
  const firstPaying = lines.findIndex((line) => line.some((cell) => /\d{7,}/.test(cell)))
  const above = lines.slice(0, Math.min(linesAboveMax, firstPaying === -1 ? lines.length : firstPaying))
  return above.findIndex(
    (line) => line.every((cell) => !/\d{4,}/.test(cell)) && Object.keys(matchColumns(line)).length > 1,
  )
}
