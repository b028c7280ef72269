// The far side of a rail, played: it says what a test tells it to say, and remembers what it was asked. No bank, no time,
// no network; upstream-rail.ts has those.

import type { Clock } from '#platform/clock.ts'
import type { BankPayout, NotFound, PayoutOrder, PayoutState } from '#rails/rail.ts'
import type { DynamicAccountOrder, NewAccount, StaticAccountOrder, VirtualAccounts } from '#rails/ports.ts'

export type ScriptedPayout = BankPayout & {
  /** What was asked, and how many seconds after the rail was made. */
  asked: { call: 'submit' | 'status'; seconds: number; order: PayoutOrder }[]
  /** As if it had just been made. */
  forget(): void
  /** What the next calls answer; a test replaces them. */
  onSubmit: (order: PayoutOrder) => PayoutState | Promise<PayoutState>
  onStatus: (order: PayoutOrder) => PayoutState | NotFound | Promise<PayoutState | NotFound>
}

export const unknown = { kind: 'unknown', detail: 'no answer' } as const
export const succeeded = { kind: 'succeeded', sessionId: '9'.repeat(30) } as const

/** Silent until a test says otherwise: nobody knows anything. */
export function createScriptedPayout(clock: Clock, submitLeaseMs = 1_000): ScriptedPayout {
  let startMs = clock.now()
  const rail: ScriptedPayout = {
    asked: [],
    onSubmit: () => unknown,
    onStatus: () => unknown,
    forget() {
      startMs = clock.now()
      rail.asked = []
      rail.onSubmit = () => unknown
      rail.onStatus = () => unknown
    },
    submitLeaseMs,
    async submit(order) {
      rail.asked.push({ call: 'submit', seconds: (clock.now() - startMs) / 1_000, order })
      return rail.onSubmit(order)
    },
    async status(order) {
      rail.asked.push({ call: 'status', seconds: (clock.now() - startMs) / 1_000, order })
      return rail.onStatus(order)
    },
  }
  return rail
}

/** `submit 0`, `status 5`: calls and seconds. */
export function timesOf(rail: ScriptedPayout): string[] {
  return rail.asked.map(({ call, seconds }) => `${call} ${seconds}`)
}

type AccountOrder = StaticAccountOrder | DynamicAccountOrder

export type ScriptedAccounts = VirtualAccounts & {
  /** The number for an order that it has not heard before; a new one each time unless a test says otherwise. */
  numberFor: (order: AccountOrder) => string
  /** What it answers in place of a number: the order did not arrive. */
  refusal: Exclude<NewAccount, { kind: 'created' }> | undefined
  /** When set, the rail answers nobody before it resolves. */
  gate: Promise<void> | undefined
  /** When set, it answers nobody and closes nothing for anybody. */
  down: boolean
  /** Called when a question is there, before it is answered. What it throws comes back in place of the answer. */
  onCall: (call: 'create' | 'close') => void | Promise<void>
  asked: AccountOrder[]
  /** What it knows an order by; none unless a test says otherwise. */
  handleFor: (order: AccountOrder) => string | null
  /** Numbers that were given back. */
  closed: string[]
  /** The handles of what was closed, in the same order. */
  closedBy: (string | null)[]
  /** Numbers that it has given and that were not given back. */
  live: Set<string>
}

let given = 0

/** A number that no account of this database has had. */
export function freshNumber(): string {
  given += 1
  return String(2_000_000_000 + given)
}

/** Opens every account that is asked for; asked again for the same, it gives the same number. */
export function createScriptedAccounts(): ScriptedAccounts {
  const numbers = new Map<string, string>()
  const unavailable = { kind: 'unavailable', detail: 'no answer' } as const
  const answer = async (order: AccountOrder): Promise<NewAccount> => {
    port.asked.push(order)
    if (port.down) return unavailable
    if (port.refusal !== undefined) return port.refusal
    const key = `${order.railReference} ${order.attempt}`
    const accountNumber = numbers.get(key) ?? port.numberFor(order)
    numbers.set(key, accountNumber)
    if (!port.closed.includes(accountNumber)) port.live.add(accountNumber)
    await port.gate
    await port.onCall('create')
    const { slug: bankSlug, name: bankName } = order.bank ?? { slug: port.defaultBankSlug, name: 'Wema Bank' }
    return {
      kind: 'created',
      accountNumber,
      accountName: order.accountName,
      bankName,
      bankSlug,
      handle: port.handleFor(order),
    }
  }
  const port: ScriptedAccounts = {
    numberFor: freshNumber,
    handleFor: () => null,
    refusal: undefined,
    gate: undefined,
    down: false,
    onCall: () => undefined,
    asked: [],
    closed: [],
    closedBy: [],
    live: new Set(),
    defaultBankSlug: 'wema-bank',
    createStatic: answer,
    createDynamic: answer,
    async close({ accountNumber, handle }) {
      if (port.down) return unavailable
      port.closed.push(accountNumber)
      port.closedBy.push(handle)
      port.live.delete(accountNumber)
      await port.onCall('close')
      return { kind: 'closed' }
    },
  }
  return port
}
