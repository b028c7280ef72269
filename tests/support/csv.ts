// A strict reader of CSV (RFC 4180). A file that it cannot read is wrong.

export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let [row, at]: [string[], number] = [[], text.startsWith('\ufeff') ? 1 : 0]
  while (at < text.length) {
    const isQuoted = text[at] === '"'
    const field = isQuoted ? /"((?:[^"]|"")*)"/y : /([^",\r\n]*)/y
    field.lastIndex = at
    const found = field.exec(text)
    if (found === null) throw new Error(`an unclosed quote at ${at}`)
    row.push(isQuoted ? (found[1] ?? '').replaceAll('""', '"') : (found[1] ?? ''))
    at = field.lastIndex
    if (text.startsWith('\r\n', at)) {
      rows.push(row)
      ;[row, at] = [[], at + 2]
    } else if (text[at] === ',') at += 1
    else throw new Error(`neither a comma nor the end of a line at ${at}`)
  }
  if (row.length > 0) throw new Error('the last line has no end')
  return rows
}
