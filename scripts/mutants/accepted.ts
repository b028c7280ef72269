// Mutants that no test needs to notice, each with the reason: what it changes cannot be told from outside, or is kept by
// something else. A mutant is known by its line as it is and as it would be, so that an entry stands for as long as the
// line does; one that matches no mutant is an error.

import { acceptedLedger } from './accepted-ledger.ts'
import { acceptedMoneyIn } from './accepted-money-in.ts'
import { acceptedPaymentsSql } from './accepted-payments-sql.ts'
import { acceptedPayments } from './accepted-payments.ts'
import { acceptedPaymentsWords } from './accepted-payments-words.ts'
import { acceptedSending } from './accepted-sending.ts'
import type { Mutant } from './mutant.ts'

export type Accepted = { why: string; mutants: [before: string, after: string][] }

export const accepted: Accepted[] = [
  ...acceptedLedger,
  ...acceptedPayments,
  ...acceptedPaymentsWords,
  ...acceptedPaymentsSql,
  ...acceptedMoneyIn,
  ...acceptedSending,
  {
    why: 'It tells the type checker what cannot be otherwise: the other half of the condition says the same.',
    mutants: [
      ['if (line === undefined || item === undefined) return undefined', 'if ((line === undefined)) return undefined'],
      ['if (line === undefined || item === undefined) return undefined', 'if ((item === undefined)) return undefined'],
      [
        'if (opened.size >= openMax && oldest !== undefined) opened.delete(oldest)',
        'if ((opened.size >= openMax)) opened.delete(oldest)',
      ],
      [
        'const rotating = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil.getTime() > nowMs',
        'const rotating = (oldSecret !== null) && oldSecretUntil.getTime() > nowMs',
      ],
      [
        'const rotating = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil.getTime() > nowMs',
        'const rotating = (oldSecretUntil !== null) && oldSecretUntil.getTime() > nowMs',
      ],
      ['return known !== null && known > at ? known : at', 'return (known > at) ? known : at'],
      [
        "const again = 'askAgainAfterMs' in state ? state.askAgainAfterMs : undefined",
        'const again = true ? state.askAgainAfterMs : undefined',
      ],
      [
        "if (payment.kind !== 'momo_collection' || payment.otpAcceptedAt !== null) return later(payment, nowMs, 'pending')",
        "if ((payment.otpAcceptedAt !== null)) return later(payment, nowMs, 'pending')",
      ],
      [
        "const move = payment.kind === 'momo_collection' ? codeMoveOf(payment, result, moment) : undefined",
        'const move = true ? codeMoveOf(payment, result, moment) : undefined',
      ],
      [
        "const otpExpiresAt = approval.kind === 'otp' ? new Date(nowMs + approval.validMs) : null",
        'const otpExpiresAt = true ? new Date(nowMs + approval.validMs) : null',
      ],
      [
        'if (depositId === null || completedAt === null) return { sourceId: id, moved: [] }',
        'if ((depositId === null)) return { sourceId: id, moved: [] }',
      ],
      [
        "return { step: leaves === 'float' && next.kind === 'wait' ? park(means, payment, next, nowMs) : next, leaves }",
        "return { step: (leaves === 'float') ? park(means, payment, next, nowMs) : next, leaves }",
      ],
      [
        "const cost = 'cost' in state && state.cost !== undefined ? { cost: state.cost } : {}",
        'const cost = (state.cost !== undefined) ? { cost: state.cost } : {}',
      ],
      [
        'metadata: metadata === null ? null : (JSON.parse(metadata) as Record<string, string>),',
        'metadata: false ? null : (JSON.parse(metadata) as Record<string, string>),',
      ],
    ],
  },
  {
    why: 'Of two equal ones it is of no matter which one is taken.',
    mutants: [
      ['return part < most ? part : most', 'return part <= most ? part : most'],
      ['return known !== null && known > at ? known : at', 'return known !== null && known >= at ? known : at'],
    ],
  },
  {
    why: 'Whether two sides come to the same is told from the difference, whichever is taken from which.',
    mutants: [
      ['sum.count += sign * part.count', 'sum.count -= sign * part.count'],
      ['sum.digest += sign * BigInt(part.digest)', 'sum.digest -= sign * BigInt(part.digest)'],
    ],
  },
  {
    why: 'It is never read: trusted subscriptions have no share of their own, and only a promise that is there has a time.',
    mutants: [
      [
        'readonly #underWayBy: Record<Trust, number> = { trusted: 0, unknown: 0, doubtful: 0 }',
        'readonly #underWayBy: Record<Trust, number> = { trusted: 1, unknown: 0, doubtful: 0 }',
      ],
      ['promisedAtMs: 0,', 'promisedAtMs: 1,'],
    ],
  },
  {
    why: 'Any time long ago does: it is known by being this very object, or has been over for half a century.',
    mutants: [
      ['export const noLease = new Date(0)', 'export const noLease = new Date(1)'],
      [
        'return otpTries > otpWrong && nowMs < (otpExpiresAt?.getTime() ?? 0) + undecidedMsMax',
        'return otpTries > otpWrong && nowMs < (otpExpiresAt?.getTime() ?? 1) + undecidedMsMax',
      ],
    ],
  },
  {
    why: 'It keeps memory small: nothing else comes of it.',
    mutants: [
      ['if (queue.count === 0) queues.delete(key)', 'if (false) queues.delete(key)'],
      ['if (queue.count === 0) queues.delete(key)', 'if (queue.count === 0) {}'],
    ],
  },
  {
    why: 'Money that could not be accepted has FAILED, so that the only other word about it is of success.',
    mutants: [
      [
        "return word === 'SUCCESSFUL' && returnReason !== null ? 'nothing new' : 'contradiction'",
        "return (returnReason !== null) ? 'nothing new' : 'contradiction'",
      ],
    ],
  },
]

export function reasonFor({ before, after }: Mutant, list: readonly Accepted[] = accepted): string | undefined {
  return list.find(({ mutants }) => mutants.some((one) => one[0] === before && one[1] === after))?.why
}

export function isAccepted(mutant: Mutant): boolean {
  return reasonFor(mutant) !== undefined
}

/** Entries whose line has changed or gone: whoever changed it says anew why nothing needs to notice, or takes them out. */
export function staleAccepted(mutants: readonly Mutant[], list: readonly Accepted[] = accepted): string[] {
  const known = new Set(mutants.map(({ before, after }) => `${before} → ${after}`))
  return list
    .flatMap((entry) => entry.mutants.map(([before, after]) => `${before} → ${after}`))
    .filter((one) => !known.has(one))
}
