// Worlds in which a bug was found, each with the switches that it needs. A run of many seeds begins with those whose
// switches are on, so that a fixed bug stays fixed.

import type { SwitchName } from './switches.ts'

export type KnownSeed = { seed: number; needs: SwitchName[]; found: string }

/**
 * Switches that are on by default now, but did not exist when most of the seeds below were found. They would change the
 * world of such a seed, so they are off for a seed that does not name them.
 */
export const cameLater: readonly SwitchName[] = [
  'corrections',
  'database-clock',
  'rail-names',
  'contradictions',
  'refused-repeats',
]

export const knownSeeds: KnownSeed[] = [
  { seed: 11, needs: ['deadlocks'], found: 'postponing locked payments before accounts: six deadlocks in one world' },
  {
    seed: 14,
    needs: ['deadlocks', 'stalls'],
    found: 'deliveries were recorded and given back by two statements of a transaction: two deadlocks in one world',
  },
  {
    seed: 1,
    needs: ['rail-change'],
    found: 'a payment was paid by its first bank and, after a change of the rail, by the second one too',
  },
  { seed: 3, needs: ['clocks'], found: 'a clock that was an hour ahead kept all collections from ending' },
  { seed: 1, needs: ['hanging-rail'], found: 'a code that never came back kept its instance from stopping' },
  {
    seed: 1,
    needs: ['notice-to-two'],
    found: 'one payment that a provider reported for two accounts was credited to both',
  },
  {
    seed: 286,
    needs: ['clocks'],
    found: 'a process whose clock was behind did not find an account that a tester paid into',
  },
  {
    seed: 86,
    needs: ['stalls'],
    found: 'a payment was sent after its lease had ended, because it had waited to learn whether its rail is stopped',
  },
  { seed: 4, needs: ['citus'], found: 'a COMMIT whose worker died was a 500, and its batch was run again' },
  {
    seed: 2,
    needs: ['real-rails'],
    found: 'an instance without the provider of a refund in its RAILS_FILE recorded the refund as refused',
  },
  { seed: 4, needs: ['pawapay'], found: 'a collection that expired here was paid later, and became no deposit' },
  {
    seed: 2,
    needs: ['real-rails', 'refused-repeats', 'corrections', 'database-clock', 'rail-names', 'contradictions'],
    found: 'a payout whose first submission was unclear went to another rail after its rail refused the second one',
  },
  { seed: 2, needs: ['huge-amounts'], found: 'a balance that JSON cannot show made its reads fail for ever' },
]
