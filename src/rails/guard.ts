// A circuit breaker for each port of a rail: it opens when the provider's system fails or refuses us. While it is
// open, the port gets no new payments; status queries always pass, because they move no money and show the state of
// the system.

import { type Clock, finishesWithin } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { CollectionOrder, PayoutOrder, MomoOrder, Rail, Submission, Unknown } from './rail.ts'
import { answerMsMax } from './time-limits.ts'

export type BreakerState = 'closed' | 'half-open' | 'open'

/**
 * The result of one call. `refused`: the provider refused a payment with a message that its documentation does not
 * list as final.
 */
export type Experience =
  /** The provider answered, and refused neither us nor the payment with an unlisted message. */
  | { kind: 'word' }
  | { kind: 'fault' | 'unreached' | 'misconfigured'; detail: string }
  | { kind: 'refused'; detail: string; payee: string }

/** Why the breaker is not closed, and since when. */
export type BreakerOpening = { cause: 'failing' | 'misconfigured'; detail: string; sinceMs: number }

export type Breaker = {
  state(): BreakerState
  /** Undefined while the breaker is closed. */
  opening(): BreakerOpening | undefined
  /** Returns true if routes may choose the rail for a new payment: the breaker is closed, or one payment may try. */
  isWell(): boolean
  /** Called before each submission; the submission is made only if the answer is true. */
  admits(submissionMs: number): boolean
  noteSubmission(experience: Experience): void
  /** `submittedAtMs`: when the payment of the status query was submitted. */
  noteQuestion(experience: Experience, submittedAtMs: number): void
  /** The cooldown has ended, and no call that moves no money has succeeded since. */
  wantsProbe(): boolean
  noteProbe(experience: Experience): void
  /** An operator reports that the fault is fixed: closes the breaker and clears its history. */
  reset(): void
}

const windowMs = minuteMs
const callsMin = 20
const faultShare = 0.5
const unreachedInRowMax = 5
/** If this many payees in a row are refused, the payees are not the cause. */
const refusedInRowMax = 5
const restMsFirst = 30_000
const restMsMost = 10 * minuteMs

type NotedCall = { atMs: number; isFault: boolean }

type OpenBreaker = BreakerOpening & {
  untilMs: number
  /** A call that moves no money has succeeded, so one payment at a time may try. */
  mayTry: boolean
  /** Until this time a payment is trying. */
  tryingUntilMs: number
}

/** Counts calls while the breaker is closed. Each method returns why the breaker must open, if it must. */
type Counts = {
  noteMachine(experience: Experience): BreakerOpened | undefined
  noteSubmission(experience: Experience): BreakerOpened | undefined
}

type BreakerOpened = Omit<BreakerOpening, 'sinceMs'>

function createCounts(clock: Clock): Counts {
  let noted: NotedCall[] = []
  let unreachedInRow = 0
  const refusedPayees = new Set<string>()

  function isTooMuch(): boolean {
    if (unreachedInRow >= unreachedInRowMax) return true
    const faults = noted.filter(({ isFault }) => isFault).length
    return noted.length >= callsMin && faults >= noted.length * faultShare
  }

  function noteMachine(experience: Experience): BreakerOpened | undefined {
    const nowMs = clock.now()
    const isFault = isMachines(experience)
    noted = [...noted.filter(({ atMs }) => atMs > nowMs - windowMs), { atMs: nowMs, isFault }]
    unreachedInRow = experience.kind === 'unreached' ? unreachedInRow + 1 : 0
    return isFault && isTooMuch() ? { cause: 'failing', detail: experience.detail } : undefined
  }

  return {
    noteMachine,
    noteSubmission(experience) {
      if (experience.kind === 'misconfigured') return { cause: 'misconfigured', detail: experience.detail }
      if (experience.kind === 'word') refusedPayees.clear()
      if (experience.kind !== 'refused') return noteMachine(experience)
      refusedPayees.add(experience.payee)
      if (refusedPayees.size < refusedInRowMax) return noteMachine(experience)
      const detail = `${refusedInRowMax} payees in a row were refused: ${experience.detail}`
      return { cause: 'misconfigured', detail }
    },
  }
}

/** A fault of the provider's system, not of our account there. */
function isMachines(
  experience: Experience,
): experience is Extract<Experience, { kind: 'fault' | 'unreached' | 'misconfigured' }> {
  return experience.kind === 'fault' || experience.kind === 'unreached'
}

/**
 * The breaker of one port. A call that moves no money closes it; after refusals one payment must be accepted as well,
 * because a provider that refuses payouts may still report its balance. Pure except for its clock, and in the memory
 * of one process.
 */
export function createBreaker(clock: Clock): Breaker {
  let counts = createCounts(clock)
  let restMs = restMsFirst
  let open: OpenBreaker | undefined
  let closedAtMs = -Infinity

  function openFor(why: BreakerOpened | undefined, nowMs = clock.now()): void {
    if (why === undefined) return
    if (open !== undefined) restMs = Math.min(2 * restMs, restMsMost)
    const sinceMs = open?.cause === why.cause ? open.sinceMs : nowMs
    open = { ...why, sinceMs, untilMs: nowMs + restMs, mayTry: false, tryingUntilMs: 0 }
  }

  function close(): void {
    if (open !== undefined) closedAtMs = clock.now()
    ;[open, restMs, counts] = [undefined, restMsFirst, createCounts(clock)]
  }

  const isResting = (): boolean => open !== undefined && clock.now() < open.untilMs
  const mayTryNow = (): boolean => open?.mayTry === true && !isResting() && clock.now() >= open.tryingUntilMs

  /** After the cooldown, an answer closes the breaker, and any fault starts a longer cooldown. */
  function noteAfterRest(experience: Experience): void {
    if (experience.kind === 'word') return close()
    openFor({ cause: isMachines(experience) ? (open?.cause ?? 'failing') : 'misconfigured', detail: experience.detail })
  }

  return {
    state: () => (open === undefined ? 'closed' : isResting() ? 'open' : 'half-open'),
    opening: () => open && { cause: open.cause, detail: open.detail, sinceMs: open.sinceMs },
    isWell: () => open === undefined || mayTryNow(),
    admits(submissionMs) {
      if (open === undefined) return true
      if (!mayTryNow()) return false
      open.tryingUntilMs = clock.now() + submissionMs
      return true
    },
    noteSubmission(experience) {
      if (isResting()) return // It was in flight when the breaker opened, so it shows nothing new.
      if (open === undefined) openFor(counts.noteSubmission(experience))
      else noteAfterRest(experience)
    },
    noteQuestion(experience, submittedAtMs) {
      if (isResting()) return
      if (experience.kind === 'misconfigured') {
        const isNews = submittedAtMs > closedAtMs
        openFor(isNews ? { cause: 'misconfigured', detail: experience.detail } : undefined)
      } else if (open === undefined) openFor(counts.noteMachine(experience))
      // The outcome of an older payment does not show whether the provider accepts new payments again.
      else if (open.cause === 'failing') noteAfterRest(experience)
    },
    wantsProbe: () => open?.mayTry === false && !isResting(),
    noteProbe(experience) {
      if (open === undefined || open.mayTry) return
      if (experience.kind === 'word' && open.cause === 'misconfigured') open.mayTry = true
      else noteAfterRest(experience)
    },
    reset: close,
  }
}

export const guardedPorts = ['payout', 'momoPayout', 'momoCollection'] as const

export type GuardedPort = (typeof guardedPorts)[number]

export type GuardedRail = {
  rail: Rail
  state(port: GuardedPort): BreakerState
  opening(port: GuardedPort): BreakerOpening | undefined
  isWell(port: GuardedPort): boolean
  /**
   * Tests the ports whose cooldown has ended with one call that moves no money. Resolves when that call has ended;
   * never throws.
   */
  probe(): Promise<void>
  /** Closes all breakers. */
  reset(): void
}

/** Delay before a payment that the breaker blocked is tried again. */
const heldBackMs = 5_000

const heldBack: Unknown = {
  kind: 'unknown',
  detail: 'the rail fails or refuses us just now, and nothing new is handed to it',
  sent: false,
  askAgainAfterMs: heldBackMs,
  why: 'resting',
}

/** Called when the breaker of this port has opened or closed. */
type OnChange = (port: GuardedPort) => void

/** Puts a rail behind its breakers, so that its payments wait instead of failing one by one. */
export function guardRail(rail: Rail, clock: Clock, onChange: OnChange = () => undefined): GuardedRail {
  const breakers: Record<GuardedPort, Breaker> = {
    payout: createBreaker(clock),
    momoPayout: createBreaker(clock),
    momoCollection: createBreaker(clock),
  }
  let probing = false

  /** Reports every change, so that callers of a breaker need not. */
  function noting(port: GuardedPort, note: (breaker: Breaker) => void): void {
    const before = breakers[port].opening()
    note(breakers[port])
    const after = breakers[port].opening()
    if (before?.cause !== after?.cause || before?.sinceMs !== after?.sinceMs) onChange(port)
  }

  const guarded: Rail = { ...rail }
  if (rail.payout !== undefined) guarded.payout = { ...rail.payout, ...behind('payout', rail.payout) }
  if (rail.momoPayout !== undefined)
    guarded.momoPayout = { ...rail.momoPayout, ...behind('momoPayout', rail.momoPayout) }
  if (rail.momoCollection !== undefined)
    guarded.momoCollection = { ...rail.momoCollection, ...behind('momoCollection', rail.momoCollection) }

  function behind<Order extends PayoutOrder | MomoOrder | CollectionOrder, State extends { kind: string }>(
    name: GuardedPort,
    port: Submission<Order, State>,
  ): Pick<Submission<Order, State | Unknown>, 'submit' | 'status'> {
    return {
      async submit(order) {
        if (!breakers[name].admits(port.submitLeaseMs)) return heldBack
        const state = await port.submit(order)
        const experience = experienceOf(state, order)
        if (experience !== undefined) noting(name, (breaker) => breaker.noteSubmission(experience))
        return state
      },
      async status(order) {
        const state = await port.status(order)
        const experience = experienceOf(state, order)
        if (experience !== undefined) noting(name, (breaker) => breaker.noteQuestion(experience, order.submittedAtMs))
        return state
      },
    }
  }

  return {
    rail: guarded,
    state: (port) => breakers[port].state(),
    opening: (port) => breakers[port].opening(),
    isWell: (port) => breakers[port].isWell(),
    async probe() {
      const ports = guardedPorts.filter((port) => breakers[port].wantsProbe())
      if (ports.length === 0 || probing) return
      probing = true
      const experience = await experienceOfFloat(rail)
      probing = false
      for (const port of ports) noting(port, (breaker) => breaker.noteProbe(experience))
    },
    reset: () => guardedPorts.forEach((port) => noting(port, (breaker) => breaker.reset())),
  }
}

/** A rail that reports no balance lets payments try. */
async function experienceOfFloat({ float }: Rail): Promise<Experience> {
  if (float === undefined) return { kind: 'word' }
  const asking = float.balance().catch(() => undefined)
  const answer = (await finishesWithin(answerMsMax, asking)) ? await asking : undefined
  if (answer?.kind === 'known') return { kind: 'word' }
  const detail = answer?.detail ?? 'balance: no answer'
  return { kind: answer?.why === 'misconfigured' ? 'misconfigured' : 'fault', detail }
}

/** Undefined if the answer shows nothing about the provider. */
function experienceOf(
  state: { kind: string },
  order: PayoutOrder | MomoOrder | CollectionOrder,
): Experience | undefined {
  if (state.kind !== 'unknown') return { kind: 'word' }
  const { sent, why, askAgainAfterMs, detail } = state as Unknown
  if (why === 'misconfigured') return { kind: 'misconfigured', detail }
  if (why === 'refused') return { kind: 'refused', detail, payee: payeeOf(order) }
  if (why === 'float' || why === 'mismatch') return { kind: 'word' }
  // The provider's rate limit, or our own.
  if (askAgainAfterMs !== undefined) return undefined
  return { kind: sent === false ? 'unreached' : 'fault', detail }
}

function payeeOf(order: PayoutOrder | MomoOrder | CollectionOrder): string {
  return 'bank' in order ? `${order.bank.slug} ${order.accountNumber}` : `${order.operator.slug} ${order.phoneNumber}`
}
