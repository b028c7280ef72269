// Nothing is asked of a provider under the name of a rail before it is known that the key belongs to the account that this
// rail has always had. Another account would answer that it does not know our payments, which would be taken for proof.

import type { Clock } from '#platform/clock.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import { brief } from '#platform/errors.ts'
import type { Unknown } from './rail.ts'

/** What a provider says about the account of a key. `none`: it has nothing yet that names the account. */
export type AccountAnswer = { kind: 'account'; id: string } | { kind: 'none' } | Unknown

/**
 * `confirmed`: the rail has this account. `unnamed`: the provider does not name the account yet, and nothing speaks against it.
 * `other-account`: the account belongs to another rail, or the rail to another account. A person must look.
 */
export type AccountVerdict =
  | { kind: 'confirmed' }
  | { kind: 'unnamed' }
  | { kind: 'other-account'; why: string }
  | Unknown

/** Compares with what is known of the rail. Asks the provider only if that does not settle it. */
export type ConfirmAccount = (ask: () => Promise<AccountAnswer>) => Promise<AccountVerdict>

const unnamedForMs = hourMs
const refusedForMs = minuteMs

type Gated<Question, Answer> = {
  call: (question: Question) => Promise<Answer>
  ask: () => Promise<AccountAnswer>
  confirm: ConfirmAccount | undefined
  clock: Clock
}

/** The same call, held back until the account is confirmed. One question at a time asks for that. */
export function accountGate<Question, Answer>({
  call,
  ask,
  confirm,
  clock,
}: Gated<Question, Answer>): (question: Question) => Promise<Answer | Unknown> {
  if (confirm === undefined) return call
  const verdictOf = (): Promise<AccountVerdict> => confirm(ask).catch((error: unknown) => unconfirmed(brief(error)))
  let known: { refusal: Unknown | undefined; untilMs: number } | undefined
  let asking: Promise<Unknown | undefined> | undefined

  async function look(): Promise<Unknown | undefined> {
    const verdict = await verdictOf()
    switch (verdict.kind) {
      case 'confirmed':
        known = { refusal: undefined, untilMs: Infinity }
        return undefined
      case 'unnamed':
        known = { refusal: undefined, untilMs: clock.now() + unnamedForMs }
        return undefined
      case 'other-account': {
        const refusal: Unknown = { kind: 'unknown', detail: verdict.why, sent: false, why: 'misconfigured' }
        known = { refusal, untilMs: clock.now() + refusedForMs }
        return refusal
      }
      case 'unknown':
        return { ...verdict, sent: false }
    }
  }

  return async (question) => {
    const valid = known !== undefined && clock.now() < known.untilMs ? known : undefined
    const refusal = valid === undefined ? await (asking ??= look().finally(() => (asking = undefined))) : valid.refusal
    return refusal ?? call(question)
  }
}

function unconfirmed(detail: string): Unknown {
  return { kind: 'unknown', detail: `whose account it is could not be confirmed: ${detail}`, sent: false }
}
