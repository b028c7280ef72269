// What stands in the place of personal data, and which fields of an event are personal. docs/privacy.md says the same of
// every column.

/** Where a name or a number has to be. The CHECK of an erased customer says it too. */
export const erased = 'erased'

/** Fields that must say something: they say `erased`. Those that nobody filled in stay empty. */
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
/** Fields that may be absent: they become null. A deposit's narration is a text in any case. */
const optional = new Set(['email', 'metadata'])

/** The data of an event without what is personal; what it says of amounts, references, states and times stays. */
export function withoutPersonalData(data: string): string {
  return JSON.stringify(JSON.parse(data), (name, value: unknown) => {
    if (optional.has(name)) return null
    const says = value !== null && value !== ''
    return says && (named.has(name) || name === 'narration') ? erased : value
  })
}
