// The Nigerian uniform bank account number: nine digits and a check digit over the institution's code and the nine.
// Only for making numbers and for guessing. An account number is never refused because of its check digit: wallets
// use phone numbers, and several banks don't keep the rule.

const weights = [3, 7, 3]

/** The code as the check digit counts it, six digits: `058` → `000058`, `50211` → `950211`; six digits stay. */
export function institutionCodeOf(bankCode: string): string | undefined {
  if (/^\d{3}$/.test(bankCode)) return `000${bankCode}`
  if (/^\d{5}$/.test(bankCode)) return `9${bankCode}`
  return /^\d{6}$/.test(bankCode) ? bankCode : undefined
}

export function nubanCheckDigit(institutionCode: string, serial: string): number {
  const digits = Array.from(institutionCode + serial, (digit) => Number.parseInt(digit, 10))
  const sum = digits.reduce((total, digit, index) => total + digit * (weights[index % weights.length] ?? 0), 0)
  return (10 - (sum % 10)) % 10
}

export function isNuban(institutionCode: string, accountNumber: string): boolean {
  if (!/^\d{10}$/.test(accountNumber)) return false
  return nubanCheckDigit(institutionCode, accountNumber.slice(0, 9)) === Number.parseInt(accountNumber.slice(9), 10)
}
