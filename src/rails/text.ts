// What people read: names of holders of accounts, and what stands on a statement.

const plainMax = 100

/** It stands on the payee's statement, where other letters become others. */
export function plainNarration(narration: string | null): string {
  return plain(narration ?? '') || 'Transfer'
}

/** The name of a customer, for a provider that does not say which letters it takes. */
export function plainName(name: string): string {
  return plain(name) || 'Customer'
}

function plain(text: string): string {
  const ascii = text.normalize('NFKD').replaceAll(/[^\x20-\x7e]/g, '')
  return ascii.replaceAll(/ +/g, ' ').trim().slice(0, plainMax).trim()
}

/** As all rails write names. */
export function shownName(name: string): string {
  return name.replaceAll(/\s+/g, ' ').trim().toUpperCase()
}

/** Initials tell nobody apart, so they are no words here. */
export function shareWord(left: string, right: string): boolean {
  const known = new Set(wordsOf(left))
  return wordsOf(right).some((word) => known.has(word))
}

function wordsOf(name: string): string[] {
  return (
    name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toUpperCase()
      .match(/[\p{L}\p{N}]{2,}/gu) ?? []
  )
}
