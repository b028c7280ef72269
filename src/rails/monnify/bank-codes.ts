// What Monnify calls a bank: mostly as the Central Bank does. bank-codes.json has what differs; null there are banks whose
// code is another bank's, too, so that a payment could reach a stranger.

import type { RailBank } from '#rails/rail.ts'
import exceptions from './bank-codes.json' with { type: 'json' }

const bySlug: ReadonlyMap<string, string | null> = new Map(Object.entries(exceptions))

/** Null: this rail does not pay to it. */
export function bankCodeOf({ slug, cbnCode }: RailBank): string | null {
  const exception = bySlug.get(slug)
  return exception === undefined ? cbnCode : exception
}
