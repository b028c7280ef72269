// A table of texts out of a CSV file or of cells copied from a spreadsheet. Everything stays text, so that an account
// number keeps its leading zeros. Pure.

/**
 * Copied cells have tabs between them. In a file it is the separator that the first line has more of, outside quotes.
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
  return rows.map((cells) => cells.map((one) => one.trim())).filter((cells) => cells.some((one) => one !== ''))
}

/** A line of CSV. A cell that a spreadsheet would run as a formula is made plain text. */
export function writeLine(cells: readonly string[]): string {
  const safe = cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell))
  return safe.map((cell) => (/[",\n;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')
}
