// Draws the fate of a payment: how its submissions and questions are answered and how it ends. It is drawn before a caller
// asks for the payment.

import type { Chance } from '#simulate/seed.ts'
import type { Switched } from '#simulate/switches.ts'
import type { Act } from '#tests/support/fakes/provider.ts'

/**
 * What goes wrong with one submission. `arrives-late`: it gets no answer and arrives a while later. `late`: it arrives, and the
 * wait for its answer lasts a while and ends without one. `never-sent`: it certainly did not leave. `throws`: it arrives, and
 * the adapter throws.
 */
export const misfortunes = ['answer-lost', 'lost-on-the-way', 'never-sent', 'throws', 'late', 'arrives-late'] as const

export type Misfortune = (typeof misfortunes)[number] | 'answers' | 'hangs'

/**
 * How the fake providers of `--with real-rails` act out each misfortune. They cannot delay an arrival, so for
 * `arrives-late` they answer with an error page.
 */
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
 * `contradicts`: the far side says that the payment succeeded, and in its next answer that it failed. `waits`: it reports the
 * payment as pending until a person completes it by hand.
 */
export type Ending = 'succeeds' | 'fails' | 'returns' | 'contradicts' | 'waits'

export type Fate = {
  /** The outcome of each submission in turn; the far side answers any later one. */
  submissions: Misfortune[]
  ends: Ending
  /** The far side has a final status this long after the arrival. */
  knowsAfterMs: number
  /** The far side answers this many of the first questions with `unknown`, although it may have the payment. */
  silences: number
  /** True: the calls of the first submission, the first question and the first code never return. */
  hangs: boolean
  /** The untrue answers of a provider in a world with `real-rails`. */
  untruth?: Untruth
}

/**
 * `first`: the answer to the first submission, which the provider carries out nevertheless. `hiddenMs`: for this long
 * the provider says that it does not know the payment. `fails`: how many times Monnify or pawaPay says FAILED before it
 * reports the true status. `refusesRepeats`: the answer to the first submission is lost, and the provider refuses each
 * later one as long as it hides the payment.
 */
export type Untruth = {
  first?: 'refused' | 'refused-with-a-code' | 'exists' | 'failed'
  hiddenMs: number
  fails: number
  refusesRepeats?: true
}

/**
 * The fate of a collection. `ignores`: the payer never answers on the handset, and once the collection has expired, the operator
 * no longer knows it.
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
 * The service believes a refusal if the payment stays absent for a quarter of an hour. So an untrue refusal hides the payment for
 * at most twelve minutes.
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

/**
 * Draws a provider that hides a payout and refuses each repeat of it. The payout could also go over another rail. The
 * service submits a lost payout again after a quarter of an hour. After another quarter, a service without a rule for
 * this case would believe the refusal and pay over the other rail too. So the provider hides the payment for longer
 * than both together.
 */
export function drawRefusedRepeat(chance: Chance, isOn: Switched): Untruth | undefined {
  const isRefused = chance.happens(0.08)
  return isOn('refused-repeats') && isRefused ? { hiddenMs: 60 * minuteMs, fails: 0, refusesRepeats: true } : undefined
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
