// Which tests a mutant is shown to, in which order. What a test reaches is found out when a mutant first wants to know
// it, and remembered.

import { globSync } from 'node:fs'
import { filesUnder } from './imports.ts'
import { openMemory } from './memory.ts'
import type { Ask } from './pool.ts'
import { otherTestsMax, unshown } from './scope.ts'

/** What a test file reaches, and what it takes. */
export type Reach = { test: string; ms: number; cpuMs: number; reached: readonly string[] }

/** Undefined: the test fails without a mutant, so it says nothing about any. */
export type ReachOf = (test: string) => Promise<Reach | undefined>

/** Most of it for a machine that has other things to do. */
const reachMsMax = 300_000

export function allTests(): string[] {
  return globSync('tests/**/*.test.ts')
    .filter((test) => !unshown.some((folder) => test.startsWith(folder)))
    .toSorted()
}

export type Candidates = { own: string[]; others: string[]; cpuMsMax: number }

/**
 * The tests that import the file: the folder's own, and others. In both, those that stand on least come first: they are the
 * quick ones, and say most about one line.
 */
export function testsOn(file: string, tests: readonly string[]): Omit<Candidates, 'cpuMsMax'> {
  const folder = file.replace('src/', 'tests/').replace(/[^/]+$/, '')
  const onIt = tests.filter((test) => filesUnder(test).has(file))
  const inOrder = onIt.toSorted((left, right) => filesUnder(left).size - filesUnder(right).size)
  return {
    own: inOrder.filter((test) => test.startsWith(folder)),
    others: inOrder.filter((test) => !test.startsWith(folder)),
  }
}

/**
 * Those of `noticing` that import the file, the folder's own, and a few others, all as far as they reach the mutant.
 * Whoever stops early spares those that come later from being run to see what they reach.
 */
export async function* testsFor(
  clues: readonly string[],
  { own, others, cpuMsMax }: Candidates,
  reachOf: ReachOf,
  noticing: readonly string[] = [],
): AsyncGenerator<Reach> {
  const first = noticing.filter((test) => own.includes(test) || others.includes(test))
  const rest = others.filter((test) => !first.includes(test))
  let costMs = 0
  let shownOthers = 0
  for (const test of [...first, ...own.filter((one) => !first.includes(one)), ...rest]) {
    if (shownOthers === otherTestsMax) return
    const reach = await reachOf(test)
    if (reach === undefined || !clues.some((clue) => reach.reached.includes(clue))) continue
    costMs += reach.cpuMs
    if (costMs > cpuMsMax && costMs > reach.cpuMs) return
    if (rest.includes(test)) shownOthers += 1
    yield reach
  }
}

/** Remembers, in this run and for the next ones, what each test reaches. */
export function openReaches(): (test: string, ask: Ask) => Promise<Reach | undefined> {
  const memory = openMemory<Reach>('reaches')
  const known = new Map<string, Promise<Reach | undefined>>()
  return (test, ask) => {
    const found = known.get(test) ?? Promise.resolve(memory.recall('', filesUnder(test)) ?? find(test, ask))
    known.set(test, found)
    return found
  }

  async function find(test: string, ask: Ask): Promise<Reach | undefined> {
    const answer = await ask({ test, limitMs: reachMsMax })
    if (answer === 'too-slow' || !answer.passed) {
      const because = answer === 'too-slow' ? `it took more than ${reachMsMax} ms` : answer.failure
      console.log(`${test} fails without a mutant, so it is shown none: ${because}`)
      return undefined
    }
    const reach = { test, ms: answer.ms, cpuMs: answer.cpuMs, reached: answer.reached }
    memory.keep('', filesUnder(test), reach)
    return reach
  }
}
