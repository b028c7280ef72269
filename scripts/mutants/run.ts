// `npm run mutants [-- PATH[:LINE]…] [--workers N] [--nice N] [--near] [--list]`: see docs/mutants.md.

import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { ProvidedContext } from 'vitest'
import { readOptions, wholeNumber } from '#scripts/options.ts'
import { setUp } from '#tests/support/global-setup.ts'
import { isAccepted, staleAccepted } from './accepted.ts'
import { apply } from './edit.ts'
import { judge, openReactions, show, type Reactions, type Verdict } from './judge.ts'
import { mutantsOf, mutatedSources, type Mutant } from './mutant.ts'
import { readPage } from './page.ts'
import { nobody, NotAsked, Pool } from './pool.ts'
import { cluesOf } from './reach.ts'
import { allTests, openReaches, testsFor, testsOn } from './reaches.ts'
import { isOpen, report, sampleOf, shown, tableOf, type Finding } from './report.ts'
import { shownCpuSecondsMax } from './scope.ts'
import { canParse, type Source } from './syntax.ts'

const page = 'docs/mutants.md'

type Planted = { mutant: Mutant; source: Source }

const usage = `npm run mutants [-- PATH … OPTION …]: small mistakes, each shown to the tests that reach it; see docs/mutants.md

  PATH[:LINE]   the sources to look at: src/ledger/, say; without one, all
  --workers 2   how many tests run at once
  --nice 19     how much it gives way to others
  --near        show each to its folder's own tests alone
  --tests PATH  show them to these test files alone: a file, or how its path begins; may be given again
  --every 40    plant every so many of them, as a sample
  --cost 10     show each to tests of so many seconds of the processor in all; the next run may go on with more
  --remembered  ask no test; tell what earlier runs found out
  --list        name the mistakes, and run nothing`

type Extent = { near: boolean; testsAt: readonly string[]; cpuMsMax: number }

async function findVerdicts(
  pool: Pick<Pool, 'each'>,
  planted: readonly Planted[],
  { near, testsAt, cpuMsMax }: Extent,
): Promise<Finding[]> {
  const tests = allTests().filter((test) => testsAt.some((at) => test.startsWith(at)))
  const reachOf = openReaches()
  const reactions = openReactions()
  const findings = new Map<Mutant, Finding>()
  /** For each file the tests that noticed a mutant of it, the last one first. */
  const noticing = new Map<string, string[]>()
  const startMs = performance.now()
  let asked = 0

  await pool.each(inTurns(planted), async ({ mutant, source }, ask) => {
    const { own, others } = testsOn(mutant.file, tests)
    const candidates = { own, others: near ? [] : others, cpuMsMax }
    const verdict = isAccepted(mutant)
      ? accepted
      : (recallKill(reactions, mutant, [...own, ...others]) ?? (await judgeAnew().catch(unknown)))
    const finding = { mutant, verdict }
    findings.set(mutant, finding)
    const last = verdict.tests.at(-1)
    if (verdict.kind === 'killed' && last !== undefined)
      noticing.set(mutant.file, [last, ...(noticing.get(mutant.file) ?? []).filter((test) => test !== last)])
    if (isOpen(finding)) console.log(`${mutant.file}\n${shown(finding)}`)

    async function judgeAnew(): Promise<Verdict> {
      const clues = cluesOf(source, mutant)
      const toShow = testsFor(clues, candidates, (test) => reachOf(test, ask), noticing.get(mutant.file))
      const found = await judge(toShow, async (reach) => {
        const known = reactions.recall(mutant, reach.test)
        const reaction = known ?? (await show(mutant, reach, ask))
        if (known === undefined) reactions.keep(mutant, reach.test, reaction)
        return reaction
      })
      asked += 1
      if (asked % 25 === 0) tellProgress(findings.size, planted.length, (performance.now() - startMs) / asked)
      return found
    }
  })
  return planted.flatMap(({ mutant }) => findings.get(mutant) ?? [])
}

/** One of each file after the other: those of one file wait for the same tests to be measured. */
function inTurns(planted: readonly Planted[]): Planted[] {
  const files = [...Map.groupBy(planted, ({ mutant }) => mutant.file).values()]
  const turns = Math.max(...files.map((file) => file.length))
  return Array.from({ length: turns }, (_, turn) => files.flatMap((file) => file[turn] ?? [])).flat()
}

const accepted: Verdict = { kind: 'accepted', tests: [] }

function unknown(error: unknown): Verdict {
  if (error instanceof NotAsked) return { kind: 'not asked', tests: [] }
  throw error
}

function recallKill(reactions: Reactions, mutant: Mutant, tests: readonly string[]): Verdict | undefined {
  for (const test of tests) {
    const reaction = reactions.recall(mutant, test)
    if (reaction === 'fails') return { kind: 'killed', tests: [test] }
    if (reaction === 'does not end') return { kind: 'too-slow', tests: [test] }
  }
  return undefined
}

function tellProgress(done: number, all: number, msEach: number): void {
  const minutes = Math.ceil(((all - done) * msEach) / 60_000)
  console.log(`${done} of ${all}, about ${minutes} min left`)
}

function tellSummary(findings: readonly Finding[], stale: readonly string[]): void {
  console.log(tableOf(findings))
  for (const entry of stale) console.log(`accepted.ts names a mutant that does not exist: ${entry}`)
  if (findings.some(isOpen) || stale.length > 0) process.exitCode = 1
}

function unasked({ mutant }: Planted): Finding {
  return { mutant, verdict: isAccepted(mutant) ? accepted : { kind: 'not asked', tests: [] } }
}

function isAt({ file, line }: Mutant, place: string): boolean {
  return place.includes(':') ? place === `${file}:${line}` : file.startsWith(place)
}

async function run(): Promise<void> {
  const { values, positionals } = readOptions(usage, {
    allowPositionals: true,
    options: {
      workers: { type: 'string', default: '2' },
      nice: { type: 'string', default: '19' },
      near: { type: 'boolean', default: false },
      tests: { type: 'string', multiple: true, default: ['tests/'] },
      every: { type: 'string', default: '1' },
      cost: { type: 'string', default: String(shownCpuSecondsMax) },
      remembered: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  })
  const workers = wholeNumber('workers', values.workers)
  const isForThePage =
    !values.near && values.tests.includes('tests/') && !positionals.some((place) => place.includes(':'))
  const sources = mutatedSources()
  const all = sources
    .flatMap((source) => mutantsOf(source).map((mutant) => ({ source, mutant })))
    .filter(({ source, mutant }) => canParse(source.file, apply(source.text, mutant)))
  const every = wholeNumber('every', values.every)
  const planted = all
    .filter(({ mutant }) => positionals.length === 0 || positionals.some((place) => isAt(mutant, place)))
    .filter((_, index) => index % every === 0)
  if (values.list) {
    for (const { mutant } of planted)
      console.log(`${mutant.file}:${mutant.line}\n- ${mutant.before}\n+ ${mutant.after}`)
    return
  }
  const extent = { near: values.near, testsAt: values.tests, cpuMsMax: wholeNumber('cost', values.cost) * 1_000 }
  const tell = (findings: readonly Finding[]): void => {
    if (isForThePage) {
      const others = all.filter((one) => !planted.includes(one)).map(unasked)
      const before = readPage(readFileSync(page, 'utf8'))
      const sample = every > 1 && positionals.length === 0 ? sampleOf(findings, every) : before.sample
      writeFileSync(page, report([...findings, ...others], sources, { ...before, sample }))
    }
    tellSummary(findings, staleAccepted(all.map(({ mutant }) => mutant)))
  }
  if (values.remembered) tell(await findVerdicts(nobody, planted, extent))
  else
    await inPool({ workers, nice: Number(values.nice) }, async (pool) =>
      tell(await findVerdicts(pool, planted, extent)),
    )
}

async function inPool({ workers, nice }: { workers: number; nice: number }, work: (pool: Pool) => Promise<void>) {
  setPriority(nice)
  const given: Partial<ProvidedContext> = {}
  const tearDown = await setUp((name, value) => (given[name] = value))
  const pool = new Pool(given as ProvidedContext, workers)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => pool.stop())
  try {
    await work(pool)
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
