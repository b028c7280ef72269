import { expect, it } from 'vitest'
import { reasonFor, staleAccepted, type Accepted } from '#scripts/mutants/accepted.ts'
import { mutantsOf, mutatedSources } from '#scripts/mutants/mutant.ts'
import { parseSource } from '#scripts/mutants/syntax.ts'

const sample = (line: string) => mutantsOf(parseSource('sample.ts', `\n${line}\n`))
const list: Accepted[] = [{ why: 'Both are the same.', mutants: [['if (a < b) go()', 'if (a <= b) go()']] }]

it('a mutant is known by its line, wherever that moves', () => {
  const reasons = sample('  if (a < b) go()').map((mutant) => reasonFor(mutant, list))
  expect(reasons.filter((reason) => reason !== undefined)).toEqual(['Both are the same.'])
})

it('an entry whose line has changed is an error', () => {
  expect(staleAccepted(sample('if (a < b) go()'), list)).toEqual([])
  expect(staleAccepted(sample('if (a < c) go()'), list)).toEqual(['if (a < b) go() → if (a <= b) go()'])
})

it('every mutant that is accepted exists', () => {
  expect(staleAccepted(mutatedSources().flatMap(mutantsOf))).toEqual([])
})
