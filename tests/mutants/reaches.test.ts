import { expect, it } from 'vitest'
import { judge, show, type Reaction } from '#scripts/mutants/judge.ts'
import { mutantsOf } from '#scripts/mutants/mutant.ts'
import type { Ask } from '#scripts/mutants/pool.ts'
import { testsFor, testsOn, type Reach } from '#scripts/mutants/reaches.ts'
import { otherTestsMax } from '#scripts/mutants/scope.ts'
import { parseSource } from '#scripts/mutants/syntax.ts'

const block = 'src/a/b.ts:0'
const cpuMsMax = 10_000

/** What is shown to whom, and who was run only to see what it reaches. */
async function showTo(
  tests: { own?: Reach[]; others?: Reach[]; noticing?: string[] },
  reaction: (test: string) => Reaction,
) {
  const { own = [], others = [], noticing } = tests
  const namesOf = (reaches: Reach[]): string[] => reaches.map(({ test }) => test)
  const seen: string[] = []
  const reachOf = async (test: string): Promise<Reach | undefined> => {
    seen.push(test)
    return [...own, ...others].find((reach) => reach.test === test)
  }
  const candidates = { own: namesOf(own), others: namesOf(others), cpuMsMax }
  const verdict = await judge(testsFor([block], candidates, reachOf, noticing), async ({ test }) => reaction(test))
  return { ...verdict, seen }
}

const reach = (test: string, cpuMs = 1, reached = [block]): Reach => ({ test, ms: 1_000, cpuMs, reached })

it('a mutant is shown to the tests that reach it, those of its folder first, then to others', async () => {
  const own = [reach('quick', 3), reach('elsewhere', 1, []), reach('slow', 9)]
  const others = [reach('other', 1), reach('far', 1, [])]
  expect(await showTo({ own, others }, () => 'passes')).toMatchObject({
    kind: 'survived',
    tests: ['quick', 'slow', 'other'],
  })
  expect(await showTo({ own, noticing: ['unknown', 'slow'] }, () => 'passes')).toMatchObject({
    tests: ['slow', 'quick'],
  })
  expect(await showTo({ own: [reach('elsewhere', 1, [])] }, () => 'passes')).toMatchObject({ kind: 'unreached' })
})

it('who notices it is the last one to be asked, and whoever would come later is not even run', async () => {
  const tests = { own: [reach('first', 1), reach('second', 2), reach('third', 3)], others: [reach('other')] }
  const killed = await showTo(tests, (test) => (test === 'second' ? 'fails' : 'passes'))
  expect(killed).toEqual({ kind: 'killed', tests: ['first', 'second'], seen: ['first', 'second'] })
  expect(await showTo(tests, () => 'does not end')).toMatchObject({ kind: 'too-slow', tests: ['first'] })
})

it('a mutant is shown to a few others only, and to no more than fits in its time but one', async () => {
  const others = Array.from({ length: otherTestsMax + 1 }, (_, index) => reach(`other ${index}`))
  expect((await showTo({ others }, () => 'passes')).tests).toHaveLength(otherTestsMax)
  const own = [reach('long', cpuMsMax + 1), reach('longer', cpuMsMax + 2)]
  expect((await showTo({ own, others }, () => 'passes')).tests).toEqual(['long'])
})

it('the tests that import a file are found by their imports, those of its room apart, and the small ones first', () => {
  const own = ['tests/payments/by-hand.test.ts', 'tests/payments/move.test.ts']
  expect(
    testsOn('src/payments/move.ts', [...own, 'tests/http/deposit-get.test.ts', 'tests/base/money.test.ts']),
  ).toEqual({
    own: ['tests/payments/move.test.ts', 'tests/payments/by-hand.test.ts'],
    others: ['tests/http/deposit-get.test.ts'],
  })
})

const [mutant] = mutantsOf(parseSource('sample.ts', 'if (a < b) go()'))
const passed = { passed: true, failure: undefined, cpuMs: 1, reached: [] }

/** A test that takes `ms` on this machine as it is now, and one of the mutant that takes `mutantMs` and then says so. */
async function showOnSlowMachine({ ms, mutantMs, says = [true] }: { ms: number; mutantMs: number; says?: boolean[] }) {
  if (mutant === undefined) throw new Error('there is no mutant of the sample')
  const answers = [...says]
  const ask: Ask = async (job) => {
    if (job.mutant?.text !== mutant.text) return { ...passed, ms }
    if (mutantMs > job.limitMs) return 'too-slow'
    return { ...passed, passed: answers.shift() ?? true, ms: mutantMs }
  }
  return show(mutant, reach('test'), ask)
}

it('a test that does not end is told from one on a machine that is slow just now', async () => {
  expect(await showOnSlowMachine({ ms: 20_000, mutantMs: 21_000 })).toBe('passes')
  expect(await showOnSlowMachine({ ms: 1_000, mutantMs: 21_000 })).toBe('does not end')
})

it('a test that fails late is asked again when the machine is slow just now', async () => {
  expect(await showOnSlowMachine({ ms: 4_000, mutantMs: 7_000, says: [false, true] })).toBe('passes')
  expect(await showOnSlowMachine({ ms: 4_000, mutantMs: 7_000, says: [false, false] })).toBe('fails')
  expect(await showOnSlowMachine({ ms: 4_000, mutantMs: 2_000, says: [false, true] })).toBe('fails')
  expect(await showOnSlowMachine({ ms: 1_000, mutantMs: 7_000, says: [false, true] })).toBe('fails')
})
