// `npm run mutants [-- PATH…] [--workers N] [--list]`: see docs/mutants.md.

import { globSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { ProvidedContext } from 'vitest'
import { readOptions, wholeNumber } from '#scripts/options.ts'
import { setUp } from '#tests/support/global-setup.ts'
import { isAccepted, staleAccepted } from './accepted.ts'
import { apply } from './edit.ts'
import { judge, testsFor, type Reach, type Verdict } from './judge.ts'
import { openMemory, type Memory } from './memory.ts'
import { mutantsOf, mutatedSources, type Mutant } from './mutant.ts'
import { Pool } from './pool.ts'
import { blocksOf } from './reach.ts'
import { isNoticed, isOpen, report, shown, type Finding } from './report.ts'
import { testsOfPrograms } from './scope.ts'
import { canParse, type Source } from './syntax.ts'

type Planted = { mutant: Mutant; source: Source }

const usage = `npm run mutants [-- PATH … OPTION …]: small mistakes, each shown to the tests that reach it; see docs/mutants.md

  PATH          the sources to look at: src/ledger/, say; without one, all
  --workers 2   how many tests run at once
  --list        name the mistakes, and run nothing`

/** Most of it for a machine that has other things to do. */
const reachMsMax = 300_000

async function findReaches(pool: Pool, memory: Memory<Reach>): Promise<Reach[]> {
  const tests = globSync('tests/**/*.test.ts').filter(
    (test) => !testsOfPrograms.some((folder) => test.startsWith(folder)),
  )
  const reaches: Reach[] = []
  await pool.each(tests.toSorted(), async (test, ask) => {
    const known = memory.recall('', [test])
    if (known !== undefined) return void reaches.push(known)
    const answer = await ask({ test }, reachMsMax)
    if (answer === 'too-slow' || !answer.passed) {
      const because = answer === 'too-slow' ? `it took more than ${reachMsMax} ms` : answer.failure
      console.log(`${test} fails without a mutant, so it is shown none: ${because}`)
      return
    }
    const reach = { test, ms: answer.ms, reached: answer.reached }
    memory.keep('', [test], reach)
    reaches.push(reach)
  })
  return reaches
}

async function findVerdicts(pool: Pool, reaches: readonly Reach[], planted: readonly Planted[]): Promise<Finding[]> {
  const memory = openMemory<Verdict>('verdicts')
  const findings = new Map<Mutant, Finding>()
  const lucky = new Map<string, string>()
  const startMs = performance.now()
  let asked = 0

  await pool.each(planted, async ({ mutant, source }, ask) => {
    const tests = testsFor(mutant, blocksOf(source, mutant), reaches)
    const accepted: Verdict | undefined = isAccepted(mutant) ? { kind: 'accepted', tests: [] } : undefined
    const verdict = accepted ?? recallVerdict(memory, mutant, tests) ?? (await judgeAnew())
    const finding = { mutant, verdict }
    findings.set(mutant, finding)
    if (isOpen(finding)) console.log(`${mutant.file}\n${shown(finding)}`)

    async function judgeAnew(): Promise<Verdict> {
      const found = await judge(mutant, tests, ask, lucky.get(mutant.file))
      const killer = found.tests.at(-1)
      if (found.kind === 'killed' && killer !== undefined) lucky.set(mutant.file, killer)
      keepVerdict(memory, mutant, found, tests)
      asked += 1
      if (asked % 25 === 0) tellProgress(findings.size, planted.length, (performance.now() - startMs) / asked)
      return found
    }
  })
  return planted.flatMap(({ mutant }) => findings.get(mutant) ?? [])
}

function recallVerdict(memory: Memory<Verdict>, mutant: Mutant, tests: readonly Reach[]): Verdict | undefined {
  for (const { test } of tests) {
    const killed = memory.recall(nameOf(mutant), [test])
    if (killed !== undefined) return killed
  }
  return memory.recall(`${nameOf(mutant)} not`, namesOf(tests))
}

function keepVerdict(memory: Memory<Verdict>, mutant: Mutant, verdict: Verdict, tests: readonly Reach[]): void {
  const isKilled = verdict.kind === 'killed' || verdict.kind === 'too-slow'
  if (isKilled) memory.keep(nameOf(mutant), verdict.tests.slice(-1), verdict)
  else memory.keep(`${nameOf(mutant)} not`, namesOf(tests), verdict)
}

/** In one order: it may be another one the next time. */
const namesOf = (tests: readonly Reach[]): string[] => tests.map(({ test }) => test).toSorted()

const nameOf = ({ file, start, end, text }: Mutant): string => `${file} ${start} ${end} ${text}`

function tellProgress(done: number, all: number, msEach: number): void {
  const minutes = Math.ceil(((all - done) * msEach) / 60_000)
  console.log(`${done} of ${all}, about ${minutes} min left`)
}

function tellSummary(findings: readonly Finding[], stale: readonly string[]): void {
  const open = findings.filter(isOpen).length
  const noticed = findings.filter(isNoticed).length
  console.log(
    `${findings.length} mutants: ${noticed} noticed, ${findings.length - noticed - open} accepted, ${open} survived`,
  )
  for (const entry of stale) console.log(`accepted.ts names a mutant that does not exist: ${entry}`)
  if (open > 0 || stale.length > 0) process.exitCode = 1
}

async function run(): Promise<void> {
  const { values, positionals } = readOptions(usage, {
    allowPositionals: true,
    options: { workers: { type: 'string', default: '2' }, list: { type: 'boolean', default: false } },
  })
  const workers = wholeNumber('workers', values.workers)
  const isWhole = positionals.length === 0
  const all = mutatedSources().flatMap((source) => mutantsOf(source).map((mutant) => ({ source, mutant })))
  const planted = all
    .filter(({ source }) => isWhole || positionals.some((path) => source.file.startsWith(path)))
    .filter(({ source, mutant }) => canParse(source.file, apply(source.text, mutant)))
  if (values.list) {
    for (const { mutant } of planted)
      console.log(`${mutant.file}:${mutant.line}\n- ${mutant.before}\n+ ${mutant.after}`)
    return
  }
  setPriority(19)
  const given: Partial<ProvidedContext> = {}
  const tearDown = await setUp((name, value) => (given[name] = value))
  const pool = new Pool(given as ProvidedContext, workers)
  process.once('SIGINT', () => pool.stop())
  try {
    const reaches = await findReaches(pool, openMemory('reaches'))
    const findings = await findVerdicts(pool, reaches, planted)
    if (isWhole) writeFileSync('docs/mutants.md', report(findings))
    tellSummary(findings, staleAccepted(all.map(({ mutant }) => mutant)))
  } catch (error) {
    if (!pool.isStopped) throw error
    console.log('Stopped. The next run goes on from here.')
    process.exitCode = 1
  } finally {
    pool.stop()
    await tearDown()
  }
}

await run()
