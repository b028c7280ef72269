// The gate before a provider whose key does not show which account it belongs to, which is Paystack. A call passes
// only if the key belongs to the account that the rail has always had, or if Paystack does not name the account yet.
// Another account would answer that it does not know our payments, and the service would take that for proof that they
// were never sent.

import type { Clock } from '#platform/clock.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import { briefMessage } from '#platform/errors.ts'
import type { Unknown } from './rail.ts'

export type AccountAnswer = { kind: 'account'; id: string } | { kind: 'none' } | Unknown

/**
 * `confirmed`: the rail has this account. `unnamed`: the provider does not name the account yet, and nothing
 * contradicts it. `other-account`: the account belongs to another rail, or the rail to another account, so an
 * operator must act.
 */
export type AccountVerdict =
  | { kind: 'confirmed' }
  | { kind: 'unnamed' }
  | { kind: 'other-account'; why: string }
  | Unknown

/**
 * Compares the provider's account with the stored account of the rail. Calls `ask` only if the stored data does not
 * decide.
 */
export type ConfirmAccount = (ask: () => Promise<AccountAnswer>) => Promise<AccountVerdict>

/**
 * After this time an unnamed account is asked for again, because its first customer or balance change may have named
 * it.
 */
const unnamedForMs = hourMs
const refusedForMs = minuteMs

type GatedCall<Question, Answer> = {
  call: (question: Question) => Promise<Answer>
  ask: () => Promise<AccountAnswer>
  confirm: ConfirmAccount | undefined
  clock: Clock
}

/** Concurrent calls share one confirmation. */
export function accountGate<Question, Answer>({
  call,
  ask,
  confirm,
  clock,
}: GatedCall<Question, Answer>): (question: Question) => Promise<Answer | Unknown> {
  if (confirm === undefined) return call
  const verdictOf = (): Promise<AccountVerdict> =>
    confirm(ask).catch((error: unknown) => unconfirmed(briefMessage(error)))
  let known: { refusal: Unknown | undefined; untilMs: number } | undefined
  let asking: Promise<Unknown | undefined> | undefined

  async function confirmOnce(): Promise<Unknown | undefined> {
    const verdict = await verdictOf()
    switch (verdict.kind) {
      case 'confirmed':
        known = { refusal: undefined, untilMs: Infinity }
        return undefined
      case 'unnamed':
        known = { refusal: undefined, untilMs: clock.monotonicMs() + unnamedForMs }
        return undefined
      case 'other-account': {
        const refusal: Unknown = { kind: 'unknown', detail: verdict.why, sent: false, why: 'misconfigured' }
        known = { refusal, untilMs: clock.monotonicMs() + refusedForMs }
        return refusal
      }
      case 'unknown':
        return { ...verdict, sent: false }
    }
  }

  return async (question) => {
    const valid = known !== undefined && clock.monotonicMs() < known.untilMs ? known : undefined
    const refusal =
      valid === undefined ? await (asking ??= confirmOnce().finally(() => (asking = undefined))) : valid.refusal
    return refusal ?? call(question)
  }
}

function unconfirmed(detail: string): Unknown {
  return { kind: 'unknown', detail: `whose account it is could not be confirmed: ${detail}`, sent: false }
}
