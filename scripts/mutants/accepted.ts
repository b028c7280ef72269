// Mutants that no test needs to notice, each with the reason: what it changes cannot be told from outside, or is kept by
// something else. A mutant is known by its line as it is and as it would be, so that an entry stands for as long as the
// line does; one that matches no mutant is an error.

import type { Mutant } from './mutant.ts'

export type Accepted = { why: string; mutants: [before: string, after: string][] }

export const accepted: Accepted[] = []

export function reasonFor({ before, after }: Mutant, list: readonly Accepted[] = accepted): string | undefined {
  return list.find(({ mutants }) => mutants.some((one) => one[0] === before && one[1] === after))?.why
}

export function isAccepted(mutant: Mutant): boolean {
  return reasonFor(mutant) !== undefined
}

/** Entries whose line has changed or gone: whoever changed it says anew why nothing needs to notice, or takes them out. */
export function staleAccepted(mutants: readonly Mutant[], list: readonly Accepted[] = accepted): string[] {
  const known = new Set(mutants.map(({ before, after }) => `${before} → ${after}`))
  return list
    .flatMap((entry) => entry.mutants.map(([before, after]) => `${before} → ${after}`))
    .filter((one) => !known.has(one))
}
