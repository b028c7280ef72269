// Mutants of the sending which no test needs to notice (accepted.ts).

import type { Accepted } from './accepted.ts'

export const acceptedSending: Accepted[] = []
