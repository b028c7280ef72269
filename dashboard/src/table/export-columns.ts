// The columns of an export, by the names that the server gives them.

export type ExportColumn = { id: string; head: string }

/** `exportColumns('accountNumber fee')` derives the headings of the columns from their names. */
export function exportColumns(names: string): ExportColumn[] {
  return names.split(' ').map((id) => ({ id, head: headOf(id) }))
}

/** `accountNumber` is headed `Account number`. */
function headOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
