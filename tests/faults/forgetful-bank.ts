// A bank whose answers get lost, as a rail. It pays once for each railReference that reaches it, and would pay again
// for another one; nothing else prevents a second payment here. Tests count the payments of an account directly,
// without the service.

import type { Clock } from '#platform/clock.ts'
import type { BankPayout, NotFound, PayoutOrder, PayoutState, Rail } from '#rails/rail.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'

/** The fate of a first submission; the service must learn the rest with status queries. */
export const misfortunes = {
  'taken, answer lost': { account: '1000000001', ends: 'SUCCESS' },
  'taken, the rail throws': { account: '1000000002', ends: 'SUCCESS' },
  'taken and refused later, answer lost': { account: '1000000003', ends: 'FAILED' },
  'lost on the way': { account: '1000000004', ends: 'SUCCESS' },
  'never sent': { account: '1000000005', ends: 'SUCCESS' },
} as const

export type Misfortune = keyof typeof misfortunes

type Record = { order: PayoutOrder; takenAtMs: number }

export type ForgetfulBank = Rail & {
  payout: BankPayout
  /** Payments to an account: this test exists to count them. */
  payments(accountNumber: string): number
  submissions(accountNumber: string): number
  /** Called after the bank has taken an order and before it answers. */
  onTaken: (order: PayoutOrder) => Promise<PayoutState | undefined>
}

/** The bank says nothing about an order for this long after it took it. */
const silentMs = 60_000
const requestTimeoutMs = 8_000
const lost = { kind: 'unknown', detail: 'no answer in time' } as const

export function createForgetfulBank(clock: Clock, name = 'forgetful'): ForgetfulBank {
  const records = new Map<string, Record>()
  const payout = createScriptedPayout(clock, requestTimeoutMs)
  const submissions = (account: string): number =>
    payout.asked.filter(({ call, order }) => call === 'submit' && order.accountNumber === account).length

  function take(order: PayoutOrder): void {
    if (!records.has(order.railReference)) records.set(order.railReference, { order, takenAtMs: clock.now() })
  }

  async function submit(order: PayoutOrder): Promise<PayoutState> {
    const first = submissions(order.accountNumber) === 1
    if (first && order.accountNumber === misfortunes['never sent'].account) return { ...lost, sent: false }
    if (first && order.accountNumber === misfortunes['lost on the way'].account) return lost
    take(order)
    if (order.accountNumber === misfortunes['taken, the rail throws'].account) throw new Error('socket hang up')
    return (await bank.onTaken(order)) ?? lost
  }

  function status(order: PayoutOrder): PayoutState | NotFound {
    const record = records.get(order.railReference)
    if (record === undefined) return { kind: 'not-found' }
    return clock.now() - record.takenAtMs < silentMs ? lost : outcomeOf(record)
  }

  payout.onSubmit = submit
  payout.onStatus = status
  const bank: ForgetfulBank = {
    name,
    payout,
    payments: (account) => [...records.values()].filter(({ order }) => order.accountNumber === account).length,
    submissions,
    onTaken: () => Promise.resolve(undefined),
  }
  return bank
}

function outcomeOf({ order }: Record): PayoutState {
  const refused = order.accountNumber === misfortunes['taken and refused later, answer lost'].account
  return refused ? { kind: 'failed', reason: 'DO_NOT_HONOR' } : { kind: 'succeeded', sessionId: '9'.repeat(30) }
}
