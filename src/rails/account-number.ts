// The number of an account at a Nigerian bank, as the database holds it.

export function isAccountNumber(text: string): boolean {
  return /^\d{10}$/.test(text)
}
