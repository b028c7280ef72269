import { expect, it } from 'vitest'
import type { Verdict } from '#scripts/mutants/judge.ts'
import { mutantsOf } from '#scripts/mutants/mutant.ts'
import { report, tableOf, type Finding } from '#scripts/mutants/report.ts'
import { parseSource } from '#scripts/mutants/syntax.ts'

const [mutant] = mutantsOf(parseSource('src/a.ts', 'if (a < b) go()'))

const found = (...kinds: Verdict['kind'][]): Finding[] =>
  kinds.flatMap((kind) => (mutant === undefined ? [] : [{ mutant, verdict: { kind, tests: ['one'] } }]))

it('each mutant is counted once, by what became of it; what no test was asked about is no survivor', () => {
  const findings = found('killed', 'killed', 'too-slow', 'accepted', 'survived', 'unreached', 'not asked')
  expect(tableOf(findings).split('\n').at(-1)).toBe('| All | 7 | 2 | 1 | 1 | 2 | 1 |')
})

it('the page shows the survivors, each with its line as it is and as it would be', () => {
  expect(report(found('survived'))).toContain(
    '### src/a.ts\n\n```diff\n@@ line 1\n- if (a < b) go()\n+ if (true) go()\n',
  )
  expect(report(found('killed', 'not asked'))).not.toContain('## Survived')
})
