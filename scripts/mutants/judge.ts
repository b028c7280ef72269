// What becomes of each mutant: it is shown to the tests that reach it until one of them fails.

import path from 'node:path'
import { filesUnder } from './imports.ts'
import { openMemory, type Memory } from './memory.ts'
import type { Mutant } from './mutant.ts'
import type { Ask } from './pool.ts'
import type { Reach } from './reaches.ts'
import type { Answer } from './test-runner.ts'

export type Verdict = {
  kind: 'killed' | 'too-slow' | 'survived' | 'unreached' | 'accepted' | 'not asked'
  /** Killed by the last one. */
  tests: string[]
}

/** What one test says to a mutant. */
export type Reaction = 'fails' | 'does not end' | 'passes'

/** What it took when it was measured, unless that was on a machine with other things to do: no test waits for long. */
const usualMsOf = ({ ms, cpuMs }: Reach): number => Math.min(ms, 5_000 + 10 * cpuMs)

/** A test that takes so much longer than without the mutant does not end. */
const limitMsOf = (usualMs: number): number => 3 * usualMs + 5_000

/** What fails within this has not waited in vain for anything. */
const promptMsOf = (usualMs: number): number => 2 * usualMs + 1_000

/** Most of it for a machine that has other things to do. */
const referenceMsMax = 300_000

export async function judge(
  tests: AsyncIterable<Reach>,
  reactionTo: (test: Reach) => Promise<Reaction>,
): Promise<Verdict> {
  const shown: string[] = []
  for await (const reach of tests) {
    shown.push(reach.test)
    const reaction = await reactionTo(reach)
    if (reaction === 'does not end') return { kind: 'too-slow', tests: shown }
    if (reaction === 'fails') return { kind: 'killed', tests: shown }
  }
  return { kind: shown.length === 0 ? 'unreached' : 'survived', tests: shown }
}

/**
 * A test that did not end, or failed after a long time, may have met a machine with other things to do: it is measured
 * without the mutant, and asked again if that was so.
 */
export async function show({ file, start, end, text }: Mutant, reach: Reach, ask: Ask): Promise<Reaction> {
  const { test } = reach
  const ms = usualMsOf(reach)
  const job = { test, limitMs: limitMsOf(ms), mutant: { file, start, end, text } }
  const first = await ask(job)
  if (first !== 'too-slow' && (first.passed || first.ms <= promptMsOf(ms))) return reactionOf(first)
  const reference = await ask({ test, limitMs: referenceMsMax, mutant: { file, start: 0, end: 0, text: '' } })
  if (reference === 'too-slow') throw new Error(`${test} takes more than ${referenceMsMax} ms without a mutant`)
  if (reference.passed && reference.ms <= ms) return reactionOf(first)
  return reactionOf(await ask({ ...job, limitMs: limitMsOf(Math.max(ms, reference.ms)) }))
}

function reactionOf(answer: Answer): Reaction {
  if (answer === 'too-slow') return 'does not end'
  return answer.passed ? 'passes' : 'fails'
}

export type Reactions = {
  recall(mutant: Mutant, test: string): Reaction | undefined
  keep(mutant: Mutant, test: string, reaction: Reaction): void
}

/**
 * A reaction holds for as long as the mutated file, the test and what stands beside it for its help are the same. What else
 * the test runs may change: else each change anywhere would ask everything anew. Without the folder of the memory a run does.
 */
export function openReactions(memory: Memory<Reaction> = openMemory('reactions')): Reactions {
  const filesOf = ({ file }: Mutant, test: string): string[] => [
    file,
    ...[...filesUnder(test)].filter((one) => path.dirname(one) === path.dirname(test)),
  ]
  return {
    recall: (mutant, test) => memory.recall(nameOf(mutant), filesOf(mutant, test)),
    keep: (mutant, test, reaction) => memory.keep(nameOf(mutant), filesOf(mutant, test), reaction),
  }
}

const nameOf = ({ file, start, end, text }: Mutant): string => `${file} ${start} ${end} ${text}`
