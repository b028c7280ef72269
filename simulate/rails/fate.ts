// What the far side of a rail will do with one payment, drawn by chance before it is asked for.

import type { Chance } from '#simulate/seed.ts'
import type { Switched } from '#simulate/switches.ts'
import type { Act } from '#tests/support/fakes/provider.ts'

/**
 * What becomes of one submission. `arrives-late`: the caller hears no answer, and it arrives a while later. `late`: it
 * arrives, and the answer takes a while. `never-sent`: it is certain that nothing left.
 */
export const misfortunes = ['answer-lost', 'lost-on-the-way', 'never-sent', 'throws', 'late', 'arrives-late'] as const

export type Misfortune = (typeof misfortunes)[number] | 'answers' | 'hangs'

/** How a misfortune looks on the wire. One that arrives late cannot be played by a machine that answers: it fails instead. */
export const actsOf: Record<Misfortune, Act> = {
  answers: 'answer',
  'answer-lost': 'cut-after',
  'lost-on-the-way': 'cut-before',
  'never-sent': 'too-many',
  throws: 'error-done',
  late: 'half',
  'arrives-late': 'gateway-page',
  hangs: 'never',
}

/**
 * `contradicts`: it succeeds, and the next answer says that it failed. `waits`: until a person completes it by hand, the
 * far side says only that it is under way, and never pays.
 */
export type Ending = 'succeeds' | 'fails' | 'returns' | 'contradicts' | 'waits'

export type Fate = {
  /** Of one submission after the other; those after them are answered. */
  submissions: Misfortune[]
  ends: Ending
  /** How long after its arrival the far side knows the end. */
  knowsAfterMs: number
  /** How often it answers a question with `unknown` all the same. */
  silences: number
  /** The first submission, the first question and the first code never come back. */
  hangs: boolean
  /** Of Paystack and Monnify: what they say that is not so. */
  untruth?: Untruth
}

/**
 * `first`: what answers the first submission, which is done all the same. `hiddenMs`: for so long the provider then says that
 * it does not know it. `fails`: how often Monnify calls it failed before it calls it what it is.
 */
export type Untruth = {
  first?: 'refused' | 'refused-with-a-code' | 'exists' | 'failed'
  hiddenMs: number
  fails: number
}

/** Of a collection. `ignores`: the payer never answers, and after a while the operator knows nothing of it. */
export type CodeFate = Omit<Fate, 'ends'> & {
  ends: 'agrees' | 'refuses' | 'ignores'
  /** How many answers to a code are lost. */
  codesLost: number
}

const endings: Ending[] = ['succeeds', 'succeeds', 'succeeds', 'succeeds', 'fails', 'fails', 'returns', 'contradicts']

export function drawFate(chance: Chance, hanging: boolean): Fate {
  const ends = chance.happens(0.08) ? 'waits' : chance.pick(endings)
  return { ...drawWay(chance, hanging), ends }
}

export function drawCodeFate(chance: Chance, hanging: boolean): CodeFate {
  const ends = chance.pick(['agrees', 'agrees', 'agrees', 'refuses', 'ignores'] as const)
  return { ...drawWay(chance, hanging), ends, codesLost: chance.happens(0.2) ? chance.between(1, 2) : 0 }
}

const minuteMs = 60_000

/** An absence of a quarter of an hour proves that a refusal was true, and only that: so refusals that are not hide for less. */
export function drawUntruth(chance: Chance, isOn: Switched): Untruth | undefined {
  const [refused, hidden, failed] = [chance.happens(0.2), chance.happens(0.25), chance.happens(0.15)]
  if (isOn('untrue-refusals') && refused) {
    const first = chance.pick(['refused', 'refused-with-a-code'] as const)
    return { first, hiddenMs: chance.pick([0, 1, 5, 12]) * minuteMs, fails: 0 }
  }
  if (isOn('late-showing') && hidden) {
    const exists = chance.happens(0.4) ? { first: 'exists' as const } : {}
    return { ...exists, hiddenMs: chance.pick([2, 10, 17, 25, 40]) * minuteMs, fails: 0 }
  }
  return isOn('early-failures') && failed ? { first: 'failed', hiddenMs: 0, fails: chance.between(0, 2) } : undefined
}

function drawWay(chance: Chance, hanging: boolean): Omit<Fate, 'ends'> {
  const unlucky = chance.happens(0.4)
  const submissions: Misfortune[] = unlucky ? [chance.pick(misfortunes)] : []
  if (unlucky && chance.happens(0.3)) submissions.push(chance.pick(misfortunes))
  const hangs = hanging && chance.happens(0.2)
  if (hangs) submissions[0] = 'hangs'
  const silences = chance.happens(0.25) ? chance.between(1, 2) : 0
  return { submissions, knowsAfterMs: chance.pick([0, 0, 200, 1_000, 8_000]), silences, hangs }
}
