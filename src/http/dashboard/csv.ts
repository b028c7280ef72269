// A line of a CSV file (RFC 4180) that a spreadsheet opens without running any of it.

export type Cell = string | number | bigint | null

/** Where a text begins with one of these, a spreadsheet takes it for a formula. */
const formula = /^[=+\-@\t\r]/
const special = /[",\r\n]/

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

/** A number is written as it is: an apostrophe before it would make a text of a negative one. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return cell.toString()
  const guarded = formula.test(cell) ? `'${cell}` : cell
  return special.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
