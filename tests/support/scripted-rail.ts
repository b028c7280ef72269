// A rail without a network: it answers as a test tells it, and records the service's calls. upstream-rail.ts has a real
// server, time and a network.

import type { Clock } from '#platform/clock.ts'
import type { BankPayout, NotFound, PayoutOrder, PayoutState } from '#rails/rail.ts'
import type { DynamicAccountOrder, NewAccount, StaticAccountOrder, VirtualAccounts } from '#rails/ports.ts'

export type ScriptedPayout = BankPayout & {
  /** The calls so far, each with the seconds since the rail was made. */
  asked: { call: 'submit' | 'status'; seconds: number; order: PayoutOrder }[]
  /** Resets the rail as if it had just been made. */
  forget(): void
  /** The answers to the next calls; a test replaces them. */
  onSubmit: (order: PayoutOrder) => PayoutState | Promise<PayoutState>
  onStatus: (order: PayoutOrder) => PayoutState | NotFound | Promise<PayoutState | NotFound>
}

export const unknown = { kind: 'unknown', detail: 'no answer' } as const
export const succeeded = { kind: 'succeeded', sessionId: '9'.repeat(30) } as const

/** Answers `unknown` to every call until a test replaces that. */
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

/** Calls and their seconds: `submit 0`, `status 5`. */
export function timesOf(rail: ScriptedPayout): string[] {
  return rail.asked.map(({ call, seconds }) => `${call} ${seconds}`)
}

type AccountOrder = StaticAccountOrder | DynamicAccountOrder

export type ScriptedAccounts = VirtualAccounts & {
  /** The number for a new order; a new one each time unless a test replaces this. */
  numberFor: (order: AccountOrder) => string
  /** The answer in place of a number: the order did not arrive. */
  refusal: Exclude<NewAccount, { kind: 'created' }> | undefined
  /** When set, the rail answers no call before this resolves. */
  gate: Promise<void> | undefined
  /** While true, the rail answers no call and closes no account. */
  down: boolean
  /** Called when a question has come, before it is answered. An error that it throws becomes the answer. */
  onCall: (call: 'create' | 'close') => void | Promise<void>
  asked: AccountOrder[]
  /** The handle under which the rail knows an order; none unless a test replaces this. */
  handleFor: (order: AccountOrder) => string | null
  /** Numbers that the service gave back. */
  closed: string[]
  /** The handles of the closed accounts, in the same order. */
  closedBy: (string | null)[]
  /** Numbers that the rail gave out and the service did not give back. */
  live: Set<string>
}

let given = 0

/** A number that no account of this database has had. */
export function freshNumber(): string {
  given += 1
  return String(2_000_000_000 + given)
}

/** Opens every account; a repeated order gets the same number. */
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
