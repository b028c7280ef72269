// The fate of a payment: what the far side of its rail does with it. It is drawn before a caller asks for the payment.

import type { Chance } from '#simulate/seed.ts'
import type { Switched } from '#simulate/switches.ts'
import type { Act } from '#tests/support/fakes/provider.ts'

/**
 * The outcome of one submission. `arrives-late`: the caller hears no answer, and the submission arrives a while later.
 * `late`: it arrives, and its answer takes a while. `never-sent`: it certainly did not leave.
 */
export const misfortunes = ['answer-lost', 'lost-on-the-way', 'never-sent', 'throws', 'late', 'arrives-late'] as const

export type Misfortune = (typeof misfortunes)[number] | 'answers' | 'hangs'

/** How the fake servers play a misfortune. A server that answers cannot play `arrives-late`, so it fails instead. */
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
 * `contradicts`: the far side says that the payment succeeded, and in its next answer that it failed. `waits`: it never
 * pays and says "under way" until a person completes the payment by hand.
 */
export type Ending = 'succeeds' | 'fails' | 'returns' | 'contradicts' | 'waits'

export type Fate = {
  /** The outcome of each submission in turn; the far side answers any later one. */
  submissions: Misfortune[]
  ends: Ending
  /** The far side knows the end this long after the arrival. */
  knowsAfterMs: number
  /** How many questions it answers with `unknown` although it has the payment. */
  silences: number
  /** The calls of the first submission, the first question and the first code never return. */
  hangs: boolean
  /** An untrue answer of Paystack or Monnify. */
  untruth?: Untruth
}

/**
 * `first`: the answer to the first submission, which the provider carries out all the same. `hiddenMs`: for this long
 * the provider then says that it does not know the payment. `fails`: how many times Monnify says FAILED before it says
 * how the payment really ended.
 */
export type Untruth = {
  first?: 'refused' | 'refused-with-a-code' | 'exists' | 'failed'
  hiddenMs: number
  fails: number
}

/**
 * The fate of a collection. `ignores`: the payer never answers, and after a while the operator no longer knows the
 * collection.
 */
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

/**
 * The service believes a refusal after an absence of a quarter of an hour, so an untrue refusal hides the payment for
 * less.
 */
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
