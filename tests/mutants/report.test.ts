import { expect, it } from 'vitest'
import type { Verdict } from '#scripts/mutants/judge.ts'
import { mutantsOf } from '#scripts/mutants/mutant.ts'
import { readPage } from '#scripts/mutants/page.ts'
import { report, sampleOf, tableOf, type Finding } from '#scripts/mutants/report.ts'
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

it('of a file about which the page knows more than a run found out, it says what it said before', () => {
  const before = report(found('killed', 'survived'), [asIs], noPage)
  expect(report(found('not asked', 'not asked'), [asIs], readPage(before))).toBe(before)
  expect(report(found('killed', 'not asked'), [asIs], readPage(before))).toBe(before)
  expect(report(found('killed', 'killed'), [asIs], readPage(before))).toMatch(
    /^\| src\/a\.ts \| 2 \| 2 \| 0 \| 0 \| 0 \| 0 \| \w{8} \|$/m,
  )
  const little = report(found('not asked', 'not asked'), [asIs], noPage)
  expect(report(found('killed', 'not asked'), [asIs], readPage(little))).toContain('| All | 2 | 1 | 0 | 0 | 0 | 1 |')
})

it('what was known of a file that has changed since, the page forgets', () => {
  const before = report(found('killed', 'survived'), [asIs], noPage)
  const after = report(found('not asked', 'not asked'), [{ ...asIs, text: 'if (a > b) go()' }], readPage(before))
  expect(after).toContain('| All | 2 | 0 | 0 | 0 | 0 | 2 |')
  expect(after).not.toContain('## Survived')
})

it('a sample stays on the page until the next one, with those of it that nobody noticed', () => {
  const sample = sampleOf(found('killed', 'too-slow', 'survived'), 40)
  const page = report(found('survived'), [asIs], { ...noPage, sample })
  expect(page).toContain('Every 40th of all mutants, 3: 2 noticed, 0 accepted, 1 survived.')
  expect(page).toContain('@@ src/a.ts:1\n- if (a < b) go()')
  expect(report(found('survived'), [asIs], readPage(page))).toBe(page)
  expect(readPage(page).survivors.get('src/a.ts')).toContain('### src/a.ts')
  const alone = report(found('killed'), [asIs], { ...noPage, sample })
  expect(report(found('killed'), [asIs], readPage(alone))).toBe(alone)
})
