// Filters that no index serves, so the server reads the list row by row.

import { reasonsOfBanks, reasonsOfWallets } from '#api/failure-reasons.ts'
import { sayReason } from '#format/statuses.ts'
import type { Filter } from '#table/filters.ts'
import type { Choice } from '#ui/field.tsx'

export function deepFilters(payees: 'banks' | 'wallets', choices: readonly Choice[]): Filter[] {
  const [who, reasons] =
    payees === 'banks'
      ? [{ name: 'bankSlug', label: 'Bank' }, reasonsOfBanks]
      : [{ name: 'operator', label: 'Operator' }, reasonsOfWallets]
  const words = Object.keys(reasons).map((value) => ({ value, label: sayReason(value) }))
  const number = payees === 'banks' ? 'account number' : 'phone number'
  return [
    { kind: 'ended', isDeep: true },
    { kind: 'text', name: 'payee', label: 'Name', placeholder: `Name or ${number}`, isDeep: true },
    { kind: 'amounts', isDeep: true },
    { kind: 'choice', ...who, choices, isDeep: true },
    { kind: 'choice', name: 'failureReason', label: 'Why it failed', choices: words, isDeep: true },
    { kind: 'text', name: 'metadata', label: 'Metadata', placeholder: 'A text of its metadata', isDeep: true },
  ]
}
