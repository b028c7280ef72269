// Common names of banks, in addition to the official ones.

import aliases from '#api/bank-aliases.json' with { type: 'json' }
import type { Bank } from '#api/schema.ts'

/** The texts that find this bank: "gtb", "uba", its code or the beginning of its short name. */
export function namesOfBank({ slug, code }: Bank): string[] {
  return [...((aliases as Record<string, string[]>)[slug] ?? []), slug.replaceAll('-', ' '), code]
}

/** Commercial banks receive nearly all payouts, so they come before some 170 microfinance banks. */
export function byUse(left: Bank, right: Bank): number {
  return rankOf(left) - rankOf(right) || left.name.localeCompare(right.name)
}

function rankOf({ type, slug }: Bank): number {
  if (type === 'commercial') return 0
  return slug in aliases ? 1 : 2
}
