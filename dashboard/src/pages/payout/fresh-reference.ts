// A reference for a payout that a person makes: made once, when the form opens, so a second click makes no second
// payment.

const characters = 'abcdefghjkmnpqrstvwxyz23456789'
const length = 12

export function freshReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return `payout-${Array.from(bytes, (byte) => characters[byte % characters.length]).join('')}`
}
