// What figures promise, for `ledger verify`: they are what payments and deposits amount to.

import { checkSides } from '#ledger/digests.ts'
import type { Invariant } from '#ledger/invariant.ts'
import { counted, findWrongFigures, toBeCounted, type WrongFigure } from './sql-figures.ts'

export const figureInvariants: Invariant[] = [
  {
    name: 'the figures of each hour are what payments and deposits amount to',
    run: (check) =>
      checkSides(check, {
        found: counted,
        wanted: toBeCounted,
        findCulprits: findWrongFigures,
        tell,
        name: 'figures and payments',
      }),
  },
]

function tell({ hour, kind, outcome, reason }: WrongFigure): { id: string; message: string } {
  const id = [hour.toISOString(), kind, outcome, reason].filter((part) => part !== '').join(' ')
  return { id, message: 'figures of these hours differ; manilla figures rebuild counts them anew' }
}
