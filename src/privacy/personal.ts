// The replacement for personal data, and which event fields are personal. docs/privacy.md says the same for every
// column.

/** Replaces required names and numbers. The CHECK constraint of an erased customer uses it too. */
export const erased = 'erased'

/** Required fields, which become `erased`. Empty ones stay empty. */
const named = new Set([
  'accountName',
  'accountNumber',
  'customerName',
  'firstName',
  'lastName',
  'phoneNumber',
  'recipientAccountName',
  'senderAccountName',
  'senderAccountNumber',
])
/** Optional fields, which become null. A deposit's narration is always text. */
const optional = new Set(['email', 'metadata'])

/** Returns event data without personal data; amounts, references, states and times stay. */
export function withoutPersonalData(data: string): string {
  return JSON.stringify(JSON.parse(data), (name, value: unknown) => {
    if (optional.has(name)) return null
    const says = value !== null && value !== ''
    return says && (named.has(name) || name === 'narration') ? erased : value
  })
}
