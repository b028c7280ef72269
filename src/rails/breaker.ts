// A circuit breaker for each port of a rail: it opens when the provider's system fails or refuses us. While it is open,
// the port gets no new payments; status queries always pass, because they move no money and show the state of the
// system. A mobile-money operator that refused us has a breaker of its own, so that the refusals of one country do not
// stop the others.

import { present } from '#platform/assert.ts'
import type { Clock } from '#platform/clock.ts'
import { finishesWithin } from '#platform/concurrency.ts'
import { minuteMs, secondMs } from '#platform/durations.ts'
import type { CollectionOrder, PayoutOrder, MomoPayoutOrder, Rail, Submission, Unknown } from './rail.ts'
import { answerMsMax } from './time-limits.ts'

export type BreakerState = 'closed' | 'half-open' | 'open'

/**
 * The result of one call. `refused`: the provider refused a payment with a message that its documentation does not
 * list as final.
 */
export type Experience =
  /** The provider answered, and refused neither us nor the payment with an unlisted message. */
  | { kind: 'answered' }
  /** `fault`: no usable answer. `unreached`: nothing was sent. */
  | { kind: 'fault' | 'unreached'; detail: string }
  /** `operator`: set if the fault concerns only this operator of the provider. */
  | { kind: 'misconfigured'; detail: string; operator?: string }
  /** `operator`: the payee's mobile-money operator; absent for a bank account. */
  | { kind: 'refused'; detail: string; payee: string; operator?: string }

export type BreakerOpening = { cause: 'failing' | 'misconfigured'; detail: string; sinceMs: number }

export type Breaker = {
  state(): BreakerState
  opening(): BreakerOpening | undefined
  /** Returns true if routes may choose the rail: the breaker is closed, or it allows one trial payment. */
  isWell(): boolean
  /** Called before each submission; the submission is made only if the answer is true. */
  admits(submissionMs: number): boolean
  noteSubmission(experience: Experience): void
  /** `submittedAtMs`: a payment that was submitted before the breaker last closed may show an old refusal. */
  noteStatusQuery(experience: Experience, submittedAtMs: number): void
  /** Returns true if the cooldown has ended, and since then no call that moves no money has succeeded. */
  wantsProbe(): boolean
  noteProbe(experience: Experience): void
  /** Closes the breaker and clears its history, because our staff report that the fault is fixed. */
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

/** The calls that ended within a second, noted together: a busy rail has thousands in the window. */
type CallsOfSecond = { fromMs: number; calls: number; faults: number }

/** Times other than `sinceMs` are monotonic, because a database clock that is set back would keep the breaker open. */
type OpenBreaker = BreakerOpening & {
  untilMs: number
  /** A call that moves no money has succeeded, so one payment at a time may try. */
  mayTry: boolean
  /** A trial payment runs until this time at the latest. */
  tryingUntilMs: number
}

/** Counts calls while the breaker is closed. Each method returns why the breaker must open, if it must. */
type CallCounts = {
  noteCall(experience: Experience): OpeningReason | undefined
  noteSubmission(experience: Experience): OpeningReason | undefined
}

type OpeningReason = Omit<BreakerOpening, 'sinceMs'>

function createCallCounts(clock: Clock): CallCounts {
  const seconds: CallsOfSecond[] = []
  let unreachedInRow = 0
  const refusedPayees = new Map<string, string | undefined>()

  function mustOpen(): boolean {
    if (unreachedInRow >= unreachedInRowMax) return true
    let [calls, faults] = [0, 0]
    for (const second of seconds) {
      calls += second.calls
      faults += second.faults
    }
    return calls >= callsMin && faults >= calls * faultShare
  }

  function noteCall(experience: Experience): OpeningReason | undefined {
    const nowMs = clock.monotonicMs()
    const isFault = isSystemFault(experience)
    while (seconds[0] !== undefined && seconds[0].fromMs <= nowMs - windowMs) seconds.shift()
    let second = seconds.at(-1)
    if (second === undefined || nowMs - second.fromMs >= secondMs) {
      second = { fromMs: nowMs, calls: 0, faults: 0 }
      seconds.push(second)
    }
    second.calls += 1
    if (isFault) second.faults += 1
    unreachedInRow = experience.kind === 'unreached' ? unreachedInRow + 1 : 0
    return isFault && mustOpen() ? { cause: 'failing', detail: experience.detail } : undefined
  }

  return {
    noteCall,
    noteSubmission(experience) {
      if (experience.kind === 'misconfigured') return { cause: 'misconfigured', detail: experience.detail }
      if (experience.kind === 'answered') refusedPayees.clear()
      if (experience.kind !== 'refused') return noteCall(experience)
      refusedPayees.set(experience.payee, experience.operator)
      // If all payees are of one operator, only the operator's own breaker opens.
      const operators = new Set(refusedPayees.values())
      const isOfOne = operators.size === 1 && !operators.has(undefined)
      if (refusedPayees.size < refusedInRowMax || isOfOne) return noteCall(experience)
      const detail = `${refusedInRowMax} payees in a row were refused: ${experience.detail}`
      return { cause: 'misconfigured', detail }
    },
  }
}

function isSystemFault(experience: Experience): experience is Extract<Experience, { kind: 'fault' | 'unreached' }> {
  return experience.kind === 'fault' || experience.kind === 'unreached'
}

/**
 * The breaker of one port. A successful call that moves no money closes it; after refusals one payment must be accepted
 * as well, because a provider that refuses payouts may still report its balance. The breaker makes no calls itself, and
 * lives in the memory of one process.
 */
export function createBreaker(clock: Clock): Breaker {
  let counts = createCallCounts(clock)
  let restMs = restMsFirst
  let open: OpenBreaker | undefined
  let closedAtMs = -Infinity

  function openFor(why: OpeningReason | undefined): void {
    if (why === undefined) return
    if (open !== undefined) restMs = Math.min(2 * restMs, restMsMost)
    const sinceMs = open?.cause === why.cause ? open.sinceMs : clock.now()
    open = { ...why, sinceMs, untilMs: clock.monotonicMs() + restMs, mayTry: false, tryingUntilMs: 0 }
  }

  function close(): void {
    if (open !== undefined) closedAtMs = clock.now()
    ;[open, restMs, counts] = [undefined, restMsFirst, createCallCounts(clock)]
  }

  const isResting = (): boolean => open !== undefined && clock.monotonicMs() < open.untilMs
  const mayTryNow = (): boolean => open?.mayTry === true && !isResting() && clock.monotonicMs() >= open.tryingUntilMs

  /** After the cooldown, an answer closes the breaker, and any fault starts a longer cooldown. */
  function noteAfterRest(experience: Experience): void {
    if (experience.kind === 'answered') return close()
    const cause = isSystemFault(experience) ? (open?.cause ?? 'failing') : 'misconfigured'
    openFor({ cause, detail: experience.detail })
  }

  return {
    state: () => (open === undefined ? 'closed' : isResting() ? 'open' : 'half-open'),
    opening: () => open && { cause: open.cause, detail: open.detail, sinceMs: open.sinceMs },
    isWell: () => open === undefined || mayTryNow(),
    admits(submissionMs) {
      if (open === undefined) return true
      if (!mayTryNow()) return false
      open.tryingUntilMs = clock.monotonicMs() + submissionMs
      return true
    },
    noteSubmission(experience) {
      if (isResting()) return // It was in flight when the breaker opened, so it shows nothing new.
      if (open === undefined) openFor(counts.noteSubmission(experience))
      else noteAfterRest(experience)
    },
    noteStatusQuery(experience, submittedAtMs) {
      if (isResting()) return
      if (experience.kind === 'misconfigured') {
        if (submittedAtMs > closedAtMs) openFor({ cause: 'misconfigured', detail: experience.detail })
      } else if (open === undefined) openFor(counts.noteCall(experience))
      // The outcome of an older payment does not show whether the provider accepts new payments again.
      else if (open.cause === 'failing') noteAfterRest(experience)
    },
    wantsProbe: () => open?.mayTry === false && !isResting(),
    noteProbe(experience) {
      if (open === undefined || open.mayTry) return
      if (experience.kind === 'answered' && open.cause === 'misconfigured') open.mayTry = true
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
  isWell(port: GuardedPort, operator: string | undefined): boolean
  /** The operators' breakers that are open or half-open. */
  ofOperators(): OperatorBreaker[]
  /**
   * Makes one call that moves no money, and so tests all ports whose cooldown has ended. Resolves when the call has
   * ended; never throws.
   */
  probe(): Promise<void>
  reset(): void
}

type OperatorBreaker = { port: GuardedPort; operator: string; state: BreakerState; opening: BreakerOpening }

const heldBackMs = 5_000

const heldBack: Unknown = {
  kind: 'unknown',
  detail: 'the rail is failing or refuses us, so nothing new is submitted to it',
  sent: false,
  askAgainAfterMs: heldBackMs,
  why: 'resting',
}

type OnChange = (port: GuardedPort, operator?: string) => void

/** Puts a rail behind its breakers, so that its payments wait instead of meeting the same fault one by one. */
export function guardRail(rail: Rail, clock: Clock, onChange: OnChange = () => undefined): GuardedRail {
  const breakers = createRailBreakers(clock, onChange)
  let probing = false
  const guarded: Rail = { ...rail }
  if (rail.payout !== undefined) guarded.payout = { ...rail.payout, ...behind('payout', rail.payout) }
  if (rail.momoPayout !== undefined)
    guarded.momoPayout = { ...rail.momoPayout, ...behind('momoPayout', rail.momoPayout) }
  if (rail.momoCollection !== undefined)
    guarded.momoCollection = { ...rail.momoCollection, ...behind('momoCollection', rail.momoCollection) }

  function behind<Order extends GuardedOrder, State extends { kind: string }>(
    name: GuardedPort,
    port: Submission<Order, State>,
  ): Pick<Submission<Order, State | Unknown>, 'submit' | 'status'> {
    return {
      async submit(order) {
        if (!breakers.admits(name, order, port.submitLeaseMs)) return heldBack
        const state = await port.submit(order)
        breakers.noteAnswer(name, order, state, (breaker, experience) => breaker.noteSubmission(experience))
        return state
      },
      async status(order) {
        const state = await port.status(order)
        const { submittedAtMs } = order
        breakers.noteAnswer(name, order, state, (breaker, experience) =>
          breaker.noteStatusQuery(experience, submittedAtMs),
        )
        return state
      },
    }
  }

  return {
    rail: guarded,
    state: (port) => breakers.whole(port).state(),
    opening: (port) => breakers.whole(port).opening(),
    isWell: (port, operator) => breakers.whole(port).isWell() && breakers.of(port, operator)?.isWell() !== false,
    ofOperators: () =>
      breakers.all().flatMap(({ port, operator, breaker }) => {
        const opening = breaker.opening()
        return opening === undefined || operator === undefined
          ? []
          : [{ port, operator, state: breaker.state(), opening }]
      }),
    async probe() {
      const wanting = breakers.all().filter(({ breaker }) => breaker.wantsProbe())
      if (wanting.length === 0 || probing) return
      probing = true
      const experience = await experienceOfFloat(rail)
      probing = false
      for (const one of wanting) breakers.note(one, (breaker) => breaker.noteProbe(experience))
    },
    reset: () => breakers.all().forEach((one) => breakers.note(one, (breaker) => breaker.reset())),
  }
}

type PlacedBreaker = { port: GuardedPort; operator: string | undefined; breaker: Breaker }

/** The breakers of a rail: one for each port, and one for each operator that has refused a payment at the port. */
function createRailBreakers(clock: Clock, onChange: OnChange) {
  const ofPorts = guardedPorts.map((port) => ({ port, operator: undefined, breaker: createBreaker(clock) }))
  const ofOperators = new Map<string, PlacedBreaker>()
  const placed = (port: GuardedPort): PlacedBreaker =>
    present(
      ofPorts.find((one) => one.port === port),
      `port ${port} has a breaker`,
    )
  const whole = (port: GuardedPort): Breaker => placed(port).breaker
  const of = (port: GuardedPort, operator: string | undefined): Breaker | undefined =>
    ofOperators.get(`${port} ${operator}`)?.breaker

  function note({ port, operator, breaker }: PlacedBreaker, work: (breaker: Breaker) => void): void {
    const before = breaker.opening()
    work(breaker)
    const after = breaker.opening()
    if (before?.cause !== after?.cause || before?.sinceMs !== after?.sinceMs) onChange(port, operator)
  }

  /** The breaker of the operator that the answer is about. The first refusal creates it; before, there is none. */
  function concernedBy(port: GuardedPort, order: GuardedOrder, experience: Experience): PlacedBreaker | undefined {
    const isRefusal = experience.kind === 'refused' || experience.kind === 'misconfigured'
    const operator = isRefusal ? experience.operator : experience.kind === 'answered' ? operatorOf(order) : undefined
    if (operator === undefined) return undefined
    const key = `${port} ${operator}`
    if (isRefusal && !ofOperators.has(key)) ofOperators.set(key, { port, operator, breaker: createBreaker(clock) })
    return ofOperators.get(key)
  }

  return {
    whole,
    of,
    note,
    all: (): PlacedBreaker[] => [...ofPorts, ...ofOperators.values()],
    admits(port: GuardedPort, order: GuardedOrder, submissionMs: number): boolean {
      const operator = of(port, operatorOf(order))
      if (operator?.isWell() === false || !whole(port).admits(submissionMs)) return false
      return operator?.admits(submissionMs) ?? true
    },
    noteAnswer(
      port: GuardedPort,
      order: GuardedOrder,
      state: { kind: string },
      work: (breaker: Breaker, experience: Experience) => void,
    ): void {
      const experience = experienceOf(state, order)
      if (experience === undefined) return
      const concerned = concernedBy(port, order, experience)
      note(placed(port), (breaker) => work(breaker, ofWholePort(experience)))
      if (concerned !== undefined) note(concerned, (breaker) => work(breaker, ofOneOperator(experience)))
    },
  }
}

/** For the breaker of the whole port, the refusal of one operator is an answer: the provider serves the others. */
function ofWholePort(experience: Experience): Experience {
  return experience.kind === 'misconfigured' && experience.operator !== undefined ? { kind: 'answered' } : experience
}

/** Removes the operator: the counts ignore refusals of a single operator, but the operator's own breaker must not. */
function ofOneOperator(experience: Experience): Experience {
  if (experience.kind !== 'refused') return experience
  const { kind, detail, payee } = experience
  return { kind, detail, payee }
}

type GuardedOrder = PayoutOrder | MomoPayoutOrder | CollectionOrder

function operatorOf(order: GuardedOrder): string | undefined {
  return 'operator' in order ? order.operator.slug : undefined
}

/** A rail that cannot report a balance counts as answered, so that its breaker allows a trial payment. */
async function experienceOfFloat({ float }: Rail): Promise<Experience> {
  if (float === undefined) return { kind: 'answered' }
  const asking = float.balance().catch(() => undefined)
  const answer = (await finishesWithin(answerMsMax, asking)) ? await asking : undefined
  if (answer?.kind === 'known') return { kind: 'answered' }
  const detail = answer?.detail ?? 'balance: no answer'
  return { kind: answer?.why === 'misconfigured' ? 'misconfigured' : 'fault', detail }
}

/** Undefined if the answer shows neither a fault of the provider nor that it works. */
function experienceOf(state: { kind: string }, order: GuardedOrder): Experience | undefined {
  if (state.kind !== 'unknown') return { kind: 'answered' }
  const { sent, why, askAgainAfterMs, detail, concerns, answered } = state as Unknown
  const operator = operatorOf(order)
  const ofOperator = operator === undefined ? {} : { operator }
  if (why === 'misconfigured') return { kind: why, detail, ...(concerns === 'operator' ? ofOperator : {}) }
  if (why === 'refused') return { kind: why, detail, payee: payeeOf(order), ...ofOperator }
  if (why === 'float' || why === 'mismatch' || answered === true) return { kind: 'answered' }
  // The provider's rate limit, or our own, refused the call.
  if (askAgainAfterMs !== undefined) return undefined
  return { kind: sent === false ? 'unreached' : 'fault', detail }
}

function payeeOf(order: GuardedOrder): string {
  if ('bank' in order) return `${order.bank.slug} ${order.accountNumber}`
  const { operator, phoneNumber } = order
  return phoneNumber === null
    ? `${operator.slug} ${order.accountNumber} ${order.accountReference ?? ''}`
    : `${operator.slug} ${phoneNumber}`
}
