// What becomes of each mutant: it is shown to the tests that reach it until one of them fails.

import type { Mutant } from './mutant.ts'
import type { Answer, Ask } from './pool.ts'
import { otherTestsMax, shownMsMax } from './scope.ts'

/** What a test file reaches, and how long it takes. */
export type Reach = { test: string; ms: number; reached: readonly string[] }

export type Verdict = {
  /** What is accepted is shown to no test. */
  kind: 'killed' | 'too-slow' | 'survived' | 'unreached' | 'accepted'
  /** Killed by the last one. */
  tests: string[]
}

/** A test that takes so much longer than without the mutant does not end. */
const limitMs = (usualMs: number): number => 4 * usualMs + 10_000

/** The tests to show a mutant to, in order: the folder's own, the quick ones first, and a few others. */
export function testsFor(mutant: Mutant, blocks: readonly string[], reaches: readonly Reach[]): Reach[] {
  const reaching = reaches.filter(({ reached }) => blocks.some((block) => reached.includes(block)))
  const folder = mutant.file.replace('src/', 'tests/').replace(/[^/]+$/, '')
  const isOwn = ({ test }: Reach): boolean => test.startsWith(folder)
  const own = reaching.filter(isOwn).toSorted((left, right) => left.ms - right.ms)
  const others = reaching.filter((reach) => !isOwn(reach))
  const inOrder = [
    ...own,
    ...others.toSorted((left, right) => left.reached.length - right.reached.length).slice(0, otherTestsMax),
  ]
  let sumMs = 0
  return inOrder.filter(({ ms }, index) => (sumMs += ms) <= shownMsMax || index === 0)
}

/** `lucky` is the test that killed this file's last mutants; it is asked first. */
export async function judge(mutant: Mutant, tests: readonly Reach[], ask: Ask, lucky?: string): Promise<Verdict> {
  if (tests.length === 0) return { kind: 'unreached', tests: [] }
  const inOrder = [...tests.filter(({ test }) => test === lucky), ...tests.filter(({ test }) => test !== lucky)]
  const { file, start, end, text } = mutant
  for (const [index, { test, ms }] of inOrder.entries()) {
    const answer: Answer = await ask({ test, mutant: { file, start, end, text } }, limitMs(ms))
    const shown = inOrder.slice(0, index + 1).map((one) => one.test)
    if (answer === 'too-slow') return { kind: 'too-slow', tests: shown }
    if (!answer.passed) return { kind: 'killed', tests: shown }
  }
  return { kind: 'survived', tests: inOrder.map(({ test }) => test) }
}
