// Reads tables from CSV files and from cells copied from a spreadsheet, and writes CSV. Everything stays text, so that an
// account number keeps its leading zeros.

/**
 * Copied cells are separated by tabs. The separator of a file is the comma or the semicolon, whichever is more frequent
 * in its first line.
 */
function separatorOf(text: string): string {
  const [line = ''] = text.replaceAll(/"[^"]*"/g, '').split('\n')
  if (line.includes('\t')) return '\t'
  return line.split(';').length > line.split(',').length ? ';' : ','
}

/** Rows of cells. Lines without any text are left out. */
export function readTable(text: string): string[][] {
  const plain = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const separator = separatorOf(plain)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain[at] ?? ''
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (plain[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === separator) {
      row.push(cell)
      cell = ''
    } else if (character === '\n') {
      rows.push([...row, cell])
      row = []
      cell = ''
    } else cell += character
  }
  rows.push([...row, cell])
  return rows.map((cells) => cells.map(textOf)).filter((cells) => cells.some((one) => one !== ''))
}

/** `="0123456789"` is how a CSV file says that digits are a text. */
function textOf(cell: string): string {
  const text = cell.trim()
  return /^="([^"]*)"$/.exec(text)?.[1] ?? text
}

/**
 * Excel drops the leading zero of an account number and the plus of a phone number, because it reads both as numbers.
 * Both stay texts if the cell is a formula, such as `="0123456789"`.
 */
const readAsNumber = /^(0\d{4,}|\d{12,}|\+\d{7,})$/

/** A line of CSV. A cell that a spreadsheet would run as a formula is made plain text. */
export function writeLine(cells: readonly string[]): string {
  return cells.map(writeCell).join(',')
}

function writeCell(cell: string): string {
  if (readAsNumber.test(cell)) return `"=""${cell}"""`
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * A CSV file. Without the byte order mark at its beginning, Excel reads UTF-8 as an old code page: Ọ becomes other
 * letters.
 */
export function writeTable(lines: readonly (readonly string[])[]): string {
  return `\uFEFF${lines.map(writeLine).join('\n')}`
}
