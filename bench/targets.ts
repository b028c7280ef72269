// Decides whether a run reached the targets of its scenario. If it missed one, or if a request failed, `npm run bench`
// exits with 1. No run is compared with an earlier one, because the machine may have been busier (README.md).

import { ratio, type Figures } from './figures.ts'
import type { Measured } from './measure.ts'
import type { Target } from './scenario.ts'

type Verdict = { reached: boolean; sentence: string }

/**
 * Returns a sentence for each failure, and for each target at each number of connections that the target applies to.
 */
export function verdicts(targets: Target[], measured: Measured[]): Verdict[] {
  return measured.flatMap(({ connections, figures }) => {
    const failed = Object.entries(figures)
      .filter(([, { failures }]) => failures > 0)
      .map(([name, { failures, firstFailure }]) => ({
        reached: false,
        sentence: `${name}: ${failures} failures, the first: ${firstFailure}`,
      }))
    const judged = targets
      .filter(({ at }) => at === undefined || at === connections)
      .map((target) => judge(target, figures))
    return [...failed, ...judged].map(({ reached, sentence }) => ({
      reached,
      sentence: `${connections} connections: ${sentence}`,
    }))
  })
}

/** Returns the target in a sentence, and whether it was reached. */
function judge(target: Target, figures: Record<string, Figures>): { reached: boolean; sentence: string } {
  const figure = figures[target.figure]
  const { is, wanted, reached } = compare(target, figure, figures)
  return { reached, sentence: `${target.figure} ${is}, target ${wanted}` }
}

function compare(target: Target, figure: Figures | undefined, figures: Record<string, Figures>) {
  if ('of' in target) {
    const is = ratio(figure, figures[target.of])
    return {
      is: `${is.toFixed(2)} × ${target.of}`,
      wanted: `at least ${target.atLeast}`,
      reached: is >= target.atLeast,
    }
  }
  if ('p99MsMost' in target) {
    const is = figure?.p99Ms ?? Infinity
    return { is: `p99 ${is} ms`, wanted: `at most ${target.p99MsMost} ms`, reached: is <= target.p99MsMost }
  }
  if ('megabytesMost' in target) {
    const is = Math.round(figure?.rssMegabytes ?? Infinity)
    return { is: `${is} MB`, wanted: `at most ${target.megabytesMost} MB`, reached: is <= target.megabytesMost }
  }
  const is = figure === undefined ? Infinity : figure.waiting / figure.requestsPerSecond
  const most = target.secondsWaitingMost
  return { is: `${is.toFixed(1)} s of work left`, wanted: `at most ${most} s`, reached: is <= most }
}
