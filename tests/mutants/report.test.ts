import { expect, it } from 'vitest'
import type { Verdict } from '#scripts/mutants/judge.ts'
import { mutantsOf } from '#scripts/mutants/mutant.ts'
import { readPage } from '#scripts/mutants/page.ts'
import { report, tableOf, type Finding } from '#scripts/mutants/report.ts'
import { parseSource } from '#scripts/mutants/syntax.ts'

const [mutant] = mutantsOf(parseSource('src/a.ts', 'if (a < b) go()'))

const found = (...kinds: Verdict['kind'][]): Finding[] =>
  kinds.flatMap((kind) => (mutant === undefined ? [] : [{ mutant, verdict: { kind, tests: ['one'] } }]))

it('each mutant is counted once, by what became of it; what no test was asked about is no survivor', () => {
  const findings = found('killed', 'killed', 'too-slow', 'accepted', 'survived', 'unreached', 'not asked')
  expect(tableOf(findings).split('\n').at(-1)).toBe('| All | 7 | 2 | 1 | 1 | 2 | 1 |')
})

const asIs = { file: 'src/a.ts', text: 'if (a < b) go()' }
const noPage = readPage('')

it('the page shows the survivors, each with its line as it is and as it would be', () => {
  expect(report(found('survived'), [asIs], noPage)).toContain(
    '### src/a.ts\n\n```diff\n@@ line 1\n- if (a < b) go()\n+ if (true) go()\n',
  )
  expect(report(found('killed', 'not asked'), [asIs], noPage)).not.toContain('## Survived')
})

it('of a file that a run did not ask about whole, the page says what it said before', () => {
  const before = report(found('killed', 'survived'), [asIs], noPage)
  expect(report(found('not asked', 'not asked'), [asIs], readPage(before))).toBe(before)
  expect(report(found('killed', 'not asked'), [asIs], readPage(before))).toBe(before)
  expect(report(found('killed', 'killed'), [asIs], readPage(before))).toMatch(
    /^\| src\/a\.ts \| 2 \| 2 \| 0 \| 0 \| 0 \| 0 \| \w{8} \|$/m,
  )
})

it('what was known of a file that has changed since, the page forgets', () => {
  const before = report(found('killed', 'survived'), [asIs], noPage)
  const after = report(found('not asked', 'not asked'), [{ ...asIs, text: 'if (a > b) go()' }], readPage(before))
  expect(after).toContain('| All | 2 | 0 | 0 | 0 | 0 | 2 |')
  expect(after).not.toContain('## Survived')
})
