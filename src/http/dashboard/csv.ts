// A line of a CSV file (RFC 4180) that a spreadsheet opens without running any of it.

export type Cell = string | number | bigint | null

/**
 * A spreadsheet takes a text that begins with one of these for a formula, in full width too. Where its list separator is not
 * a comma, a cell also begins behind a semicolon, tab or line end, whatever the quotes say.
 */
const formula = /(?<=^|[;\t\r\n]) *(?=[=+\-@\t\r＝＋－＠])/g
const special = /[",\r\n]/

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

/** A number is written as it is: an apostrophe before it would make a text of a negative one. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return cell.toString()
  const guarded = cell.replaceAll(formula, "'$&")
  return special.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
