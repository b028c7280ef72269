// Paystack's accounts for one payment, by its documents: "Create Charge" with `bank_transfer` and "Check pending
// charge". Paystack identifies a charge by our reference. The documents do not say whether Paystack shows the account
// of a waiting charge again, so a test chooses.

import { z } from 'zod'
import type { Clock } from '#platform/clock.ts'
import type { Act, Answer, Asked, Handler } from './provider.ts'

const chargeBody = z.strictObject({
  email: z.email(),
  amount: z.int().positive(),
  reference: z.string().regex(/^[A-Za-z0-9.=-]+$/),
  bank_transfer: z.strictObject({ account_expires_at: z.iso.datetime() }),
})

type Charge = { reference: string; number: string; amount: number; expiresAtMs: number }

export type PaystackCharges = {
  /** The next charges are handled by these steps, one by one. `refused`: a refusal without the work. */
  script(...acts: (Act | 'refused')[]): void
  /** Shows a waiting charge with its account. */
  showsAccounts: boolean
  /** The account numbers of the next charges; later charges get numbers of their own. */
  numbers: string[]
  made(): Charge[]
  /** Undefined: the call is not about charges. */
  handle(asked: Asked): ReturnType<Handler> | undefined
}

const minuteMs = 60_000

export function createPaystackCharges(clock: Clock): PaystackCharges {
  const charges = new Map<string, Charge>()
  const steps: (Act | 'refused')[] = []

  function create({ body }: Asked): Answer {
    const { reference, amount, bank_transfer: transfer } = chargeBody.parse(body)
    const known = charges.get(reference)
    if (known !== undefined && known.amount !== amount) throw new Error('a reference came with another amount')
    if (known !== undefined) return refusal(400, 'Duplicate Transaction Reference', 'duplicate_reference')
    const lifeMs = Date.parse(transfer.account_expires_at) - clock.now()
    const clampedMs = Math.min(Math.max(lifeMs, 15 * minuteMs), 8 * 60 * minuteMs)
    const number = book.numbers.shift() ?? String(7_500_000_000 + charges.size)
    const charge = { reference, number, amount, expiresAtMs: clock.now() + clampedMs }
    charges.set(reference, charge)
    return shown(charge)
  }

  function show(reference: string): Answer {
    const known = charges.get(reference)
    if (known === undefined) return refusal(404, 'Transaction reference not found', 'transaction_not_found')
    return book.showsAccounts
      ? shown(known)
      : {
          status: 200,
          body: { status: true, message: 'Reference check successful', data: { reference, status: 'pending' } },
        }
  }

  const book: PaystackCharges = {
    script: (...acts) => void steps.push(...acts),
    showsAccounts: true,
    numbers: [],
    made: () => [...charges.values()],
    handle(asked) {
      const { method, path } = asked
      const [, reference] = /^\/charge\/([^/]+)$/.exec(path) ?? []
      if (method === 'GET' && reference !== undefined)
        return { act: 'answer', work: () => show(decodeURIComponent(reference)) }
      if (method !== 'POST' || path !== '/charge') return undefined
      const step = steps.shift() ?? 'answer'
      if (step === 'refused') return { act: 'answer', work: () => refusal(400, 'Invalid amount', 'invalid_params') }
      return { act: step, work: () => create(asked) }
    },
  }
  return book
}

function shown({ reference, number, expiresAtMs }: Charge): Answer {
  const data = {
    reference,
    status: 'pending_bank_transfer',
    display_text: 'Please make a transfer to the account specified',
    account_name: 'PAYSTACK CHECKOUT',
    account_number: number,
    bank: { slug: 'titan-paystack', name: 'Paystack-Titan', id: 629 },
    account_expires_at: new Date(expiresAtMs).toISOString(),
  }
  return { status: 200, body: { status: true, message: 'Charge attempted', data } }
}

function refusal(status: number, message: string, code: string): Answer {
  return { status, body: { status: false, message, code, type: 'validation_error', meta: { nextStep: 'Try again' } } }
}
