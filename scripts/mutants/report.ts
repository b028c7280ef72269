// docs/mutants.md: what the last whole run found.

import { isAccepted, reasonFor } from './accepted.ts'
import type { Verdict } from './judge.ts'
import type { Mutant } from './mutant.ts'

export type Finding = { mutant: Mutant; verdict: Verdict }

const introduction = `# Mutants

A mutant is a small mistake that a program plants in our code: a condition left out, \`<\` in place of \`<=\`, a lock not
taken, a limit that is none, in TypeScript and in SQL. A test should fail with it. Where none does, the tests do not hold
what the line promises.

\`\`\`sh
npm run mutants                  # all of it, and this page anew; some hours
npm run mutants -- src/ledger/   # one folder, file or line (src/ledger/post.ts:12): prints, and leaves this page alone
npm run mutants -- --cost 3      # shows each to fewer tests first; the next run goes on with those that nobody noticed
npm run mutants -- --near …      # shows them to the folder's own tests only: for whoever is writing one
npm run mutants -- --tests tests/ledger/post src/ledger/post.ts   # … or to these alone
npm run mutants -- --remembered  # writes this page from what earlier runs found out, and runs no test
npm run mutants -- --list        # what would be planted
\`\`\`

A mutant is shown to the tests that import its file, one file of tests after the other: first to those that noticed
others of its file, then to those of its own folder, those that stand on least first, then to a few others. It is not shown
to a test for which it makes no difference: each test file is run once with a source that tells which blocks it enters,
what its conditions are and whether two sides that it compares are ever equal. The test files of one worker share a
process, in which what is ours is loaded anew for each, the mutant with it: so one costs as much as its test does, from a
fiftieth of a second to a few.

Each answer is remembered in \`.mutants/\`, so that a run that was broken off goes on where it was. A test's word about a
mutant holds as long as the mutated file, the test and what helps it in its folder are the same; whatever else changes is
let pass, else each change would ask everything anew. A test that does not end, or fails late, is measured once without the
mutant, and asked again if it is slower now: a slow machine is no mistake. How much is shown to one mutant is counted in
time of the processor, for the same reason.

Killed: a test failed. Endless: a test that used to end did not, which counts as noticed. Accepted: nothing needs to
notice, for the reason that is given below and kept in \`scripts/mutants/accepted.ts\`, so it is shown to no test.
Survived: a guarantee without a test; write the test, or take out the code. Not asked: no run has come to it since its file
or its tests changed. What is mutated, and how much is shown to one, stands in \`scripts/mutants/scope.ts\`. A survivor
that you do not believe: change the line by hand as shown and run the tests of its folder.
`

/** Nobody notices, and nobody says why that is right. */
export function isOpen({ mutant, verdict }: Finding): boolean {
  return (verdict.kind === 'survived' || verdict.kind === 'unreached') && !isAccepted(mutant)
}

export function report(findings: readonly Finding[]): string {
  return [introduction, tableOf(findings), '', ...survivors(byFileOf(findings)), ...acceptances(findings)].join('\n')
}

export function tableOf(findings: readonly Finding[]): string {
  const rows = [...byFileOf(findings), ['All', findings] as const].map(([file, found]) => row(file, found))
  const head = [
    '| File | Mutants | Killed | Endless | Accepted | Survived | Not asked |',
    '| --- | --: | --: | --: | --: | --: | --: |',
  ]
  return [...head, ...rows].join('\n')
}

function byFileOf(findings: readonly Finding[]): [string, Finding[]][] {
  return [...Map.groupBy(findings, ({ mutant }) => mutant.file)]
}

function row(file: string, found: readonly Finding[]): string {
  const count = (is: (finding: Finding) => boolean): number => found.filter(is).length
  const cells = [
    found.length,
    count(({ verdict }) => verdict.kind === 'killed'),
    count(({ verdict }) => verdict.kind === 'too-slow'),
    count(({ verdict }) => verdict.kind === 'accepted'),
    count(isOpen),
    count(({ verdict }) => verdict.kind === 'not asked'),
  ]
  return `| ${file} | ${cells.join(' | ')} |`
}

function survivors(byFile: readonly [string, Finding[]][]): string[] {
  const sections = byFile.flatMap(([file, found]) => {
    const open = found.filter(isOpen)
    return open.length === 0 ? [] : [`### ${file}`, '', '```diff', ...open.flatMap(linesOf), '```', '']
  })
  return sections.length === 0 ? [] : ['## Survived', '', ...sections]
}

export function shown({ mutant, verdict }: Finding): string {
  const reach =
    verdict.kind === 'unreached' ? 'it makes no difference in any test' : `${verdict.tests.length} test files`
  return `- Line ${mutant.line}, ${reach}\n  \`\`\`diff\n  - ${mutant.before}\n  + ${mutant.after}\n  \`\`\``
}

function linesOf({ mutant: { line, before, after } }: Finding): string[] {
  return [`@@ line ${line}`, `- ${before}`, `+ ${after}`]
}

function acceptances(findings: readonly Finding[]): string[] {
  const known = findings.filter(({ verdict }) => verdict.kind === 'accepted')
  const byReason = Map.groupBy(known, ({ mutant }) => reasonFor(mutant) ?? '')
  const sections = [...byReason].flatMap(([why, found]) => [
    why,
    '',
    '```diff',
    ...found.flatMap(fileAndLinesOf),
    '```',
    '',
  ])
  return sections.length === 0 ? [] : ['## Accepted', '', ...sections]
}

function fileAndLinesOf({ mutant: { file, line, before, after } }: Finding): string[] {
  return [`@@ ${file}:${line}`, `- ${before}`, `+ ${after}`]
}
