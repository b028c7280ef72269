// docs/mutants.md: what the last whole run found.

import { isAccepted, reasonFor } from './accepted.ts'
import type { Verdict } from './judge.ts'
import type { Mutant } from './mutant.ts'

export type Finding = { mutant: Mutant; verdict: Verdict }

const introduction = `# Mutants

A mutant is a small mistake that a program plants in our code: a condition left out, \`<\` in place of \`<=\`, a lock not
taken, a limit that is none. A test should fail with it. Where none does, the tests do not hold what the line promises.

\`\`\`sh
npm run mutants                  # all of it, and this page anew; some hours
npm run mutants -- src/ledger/   # one folder, file or line (src/ledger/post.ts:12): prints, and leaves this page alone
npm run mutants -- --near …      # shows them to the folder's own tests only: for whoever is writing one
npm run mutants -- --list        # what would be planted, without running a test
\`\`\`

Killed: a test failed. Endless: a test that used to end did not, which counts as noticed. Accepted: nothing needs to notice,
for the reason that is given here and kept in \`scripts/mutants/accepted.ts\`, so it is shown to no test. Survived: a guarantee without a test; write
the test, or take out the code. What is mutated, and which tests it is shown to, stands in \`scripts/mutants/scope.ts\`. A
survivor that you do not believe: change the line by hand as shown and run the tests named there.
`

function isNoticed({ verdict }: Finding): boolean {
  return verdict.kind === 'killed' || verdict.kind === 'too-slow'
}

/** Nobody notices, and nobody says why that is right. */
export function isOpen(finding: Finding): boolean {
  return !isNoticed(finding) && !isAccepted(finding.mutant)
}

export function report(findings: readonly Finding[]): string {
  return [introduction, tableOf(findings), '', ...survivors(byFileOf(findings)), ...acceptances(findings)].join('\n')
}

export function tableOf(findings: readonly Finding[]): string {
  const rows = [...byFileOf(findings), ['All', findings] as const].map(([file, found]) => row(file, found))
  const head = ['| File | Mutants | Killed | Endless | Accepted | Survived |', '| --- | --: | --: | --: | --: | --: |']
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
    count((finding) => !isNoticed(finding) && !isOpen(finding)),
    count(isOpen),
  ]
  return `| ${file} | ${cells.join(' | ')} |`
}

function survivors(byFile: readonly [string, Finding[]][]): string[] {
  const sections = byFile.flatMap(([file, found]) => {
    const open = found.filter(isOpen)
    return open.length === 0 ? [] : [`### ${file}`, '', ...open.map(shown), '']
  })
  return sections.length === 0 ? [] : ['## Survived', '', ...sections]
}

export function shown({ mutant, verdict }: Finding): string {
  const reach = verdict.kind === 'unreached' ? 'no test reaches it' : `${verdict.tests.length} test files`
  return `- Line ${mutant.line}, ${reach}\n  \`\`\`diff\n  - ${mutant.before}\n  + ${mutant.after}\n  \`\`\``
}

function acceptances(findings: readonly Finding[]): string[] {
  const known = findings.filter((finding) => !isNoticed(finding) && !isOpen(finding))
  const byReason = Map.groupBy(known, ({ mutant }) => reasonFor(mutant) ?? '')
  const sections = [...byReason].flatMap(([why, found]) => [
    why,
    '',
    ...found.map(
      ({ mutant: { file, line, before, after } }) =>
        `- ${file}:${line}\n  \`\`\`diff\n  - ${before}\n  + ${after}\n  \`\`\``,
    ),
    '',
  ])
  return sections.length === 0 ? [] : ['## Accepted', '', ...sections]
}
