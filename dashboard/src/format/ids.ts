// Formats ids, numbers and lists of words, and makes references.

/** `trf_…5rhk`: an id by its kind and its end. A reference is never shortened. */
export function shortenId(id: string): string {
  const parts = /^([a-z]+_)([0-9a-z]{10,})$/.exec(id)
  return parts === null ? id : `${parts[1] ?? ''}…${id.slice(-4)}`
}

/** `012 345 6789`. */
export function groupAccountNumber(number: string): string {
  return /^\d{10}$/.test(number) ? `${number.slice(0, 3)} ${number.slice(3, 6)} ${number.slice(6)}` : number
}

/** `owner`, `owner and admin`, `owner, admin and viewer`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`
}

/** A dash for a missing or empty text. */
export function orDash(text: string | null): string {
  return text === null || text === '' ? '–' : text
}

/** `168,262`. */
export function formatCount(number: number): string {
  return number.toLocaleString('en-NG')
}

export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`
}

const referenceCharacters = 'abcdefghjkmnpqrstvwxyz23456789'
const referenceLength = 12

/**
 * A reference for a payment that a person makes, such as `payout-k7m2…`. It is made once, when the form opens, so a second
 * click makes no second payment.
 */
export function freshReference(kind: 'payout' | 'collection'): string {
  const bytes = crypto.getRandomValues(new Uint8Array(referenceLength))
  const end = Array.from(bytes, (byte) => referenceCharacters[byte % referenceCharacters.length]).join('')
  return `${kind}-${end}`
}
