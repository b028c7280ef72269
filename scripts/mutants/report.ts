// docs/mutants.md: what is known of each file that is mutated.

import { isAccepted, reasonFor } from './accepted.ts'
import type { Verdict } from './judge.ts'
import type { Mutant } from './mutant.ts'
import { sourceMark, type Page, type Row } from './page.ts'

export type Finding = { mutant: Mutant; verdict: Verdict }

const introduction = `# Mutants

A mutant is a small mistake that a program plants in our code: a condition left out, \`<\` in place of \`<=\`, a lock not
taken, a limit that is none, in TypeScript and in SQL. A test should fail with it. Where none does, the tests do not hold
what the line promises.

\`\`\`sh
npm run mutants                  # all of it, some hours; this page is written anew
npm run mutants -- src/ledger/   # one folder or file, and what this page says of it; or a line (src/ledger/post.ts:12)
npm run mutants -- --every 40    # a sample of all, and what this page says of it
npm run mutants -- --cost 3      # shows each to fewer tests first; the next run goes on with those that nobody noticed
npm run mutants -- --near …      # shows them to the folder's own tests only: for whoever is writing one
npm run mutants -- --tests tests/ledger/post src/ledger/post.ts   # … or to these alone
npm run mutants -- --remembered  # writes what earlier runs here found out, and runs no test
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
notice, for the reason that is given below and kept in \`scripts/mutants/accepted*.ts\`, so it is shown to no test.
Survived: a guarantee without a test; write the test, or take out the code. Not asked: no run has come to it, or to
all the tests that it is to be shown to, since its file or they changed. Source is a mark of the file as it was when it was asked about. What is mutated, and how much is shown to one, stands in \`scripts/mutants/scope.ts\`. A survivor
that you do not believe: change the line by hand as shown and run the tests of its folder.
`

/** Nobody notices, and nobody says why that is right. */
export function isOpen({ mutant, verdict }: Finding): boolean {
  return (verdict.kind === 'survived' || verdict.kind === 'unreached') && !isAccepted(mutant)
}

/** What the page says after this run: of a file about which more was known before, that. */
export function report(findings: readonly Finding[], sources: readonly Named[], before: Page): string {
  const found = Map.groupBy(findings, ({ mutant }) => mutant.file)
  const files = sources
    .filter(({ file }) => found.has(file))
    .map(({ file, text }) => recordOf({ file, mark: sourceMark(text) }, found.get(file) ?? [], before))
  const counts = files.map(({ row }) => row.counts)
  const all = head.slice(1).map((_, column) => sum(counts.map((row) => row[column] ?? 0)))
  const survived = files.flatMap(({ survivors }) => survivors ?? [])
  return [
    introduction,
    ...tableHead([...head, 'Source']),
    ...files.map(({ row }) => rowOf([row.file, ...row.counts, row.source])),
    rowOf(['All', ...all, '']),
    '',
    ...(before.sample === undefined ? [] : [before.sample]),
    ...(survived.length === 0 ? [] : ['## Survived', '', ...survived]),
    ...acceptances(findings),
  ].join('\n')
}

/** Of every so many of all: what the whole is like, long before all of it was asked about. */
export function sampleOf(findings: readonly Finding[], every: number): string {
  const [all, killed = 0, endless = 0, accepted, survived] = countsOf(findings)
  const open = findings.filter(isOpen)
  return [
    '## Sample',
    '',
    `Every ${every}th of all mutants, ${all}: ${killed + endless} noticed, ${accepted} accepted, ${survived} survived.`,
    '',
    ...(open.length === 0 ? [] : ['```diff', ...open.flatMap(fileAndLinesOf), '```', '']),
  ].join('\n')
}

type Named = { file: string; text: string }

type Recorded = { row: Row; survivors: string | undefined }

function recordOf({ file, mark }: { file: string; mark: string }, found: readonly Finding[], before: Page): Recorded {
  const known = before.rows.get(file)
  const counts = countsOf(found)
  // What is remembered here may be less than what the page knows.
  if (known?.source === mark && notAsked(known.counts) < notAsked(counts))
    return { row: known, survivors: before.survivors.get(file) }
  return { row: { file, counts, source: mark }, survivors: survivorsOf(file, found) }
}

const head = ['File', 'Mutants', 'Killed', 'Endless', 'Accepted', 'Survived', 'Not asked']

export function tableOf(findings: readonly Finding[]): string {
  const rows = [...Map.groupBy(findings, ({ mutant }) => mutant.file), ['All', findings] as const]
  return [...tableHead(head), ...rows.map(([file, found]) => rowOf([file, ...countsOf(found)]))].join('\n')
}

function tableHead([first, ...columns]: readonly string[]): string[] {
  return [rowOf([first ?? '', ...columns]), rowOf(['---', ...columns.map(() => '--:')])]
}

function rowOf(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`
}

function countsOf(found: readonly Finding[]): number[] {
  const count = (is: (finding: Finding) => boolean): number => found.filter(is).length
  return [
    found.length,
    count(({ verdict }) => verdict.kind === 'killed'),
    count(({ verdict }) => verdict.kind === 'too-slow'),
    count(({ verdict }) => verdict.kind === 'accepted'),
    count(isOpen),
    count(({ verdict }) => verdict.kind === 'not asked'),
  ]
}

/** The last column. */
function notAsked(counts: readonly number[]): number {
  return counts.at(-1) ?? 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** Undefined: there are none. */
function survivorsOf(file: string, found: readonly Finding[]): string | undefined {
  const open = found.filter(isOpen)
  return open.length === 0 ? undefined : [`### ${file}`, '', '```diff', ...open.flatMap(linesOf), '```', ''].join('\n')
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
