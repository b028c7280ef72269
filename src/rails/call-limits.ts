// Rate limits for a provider's endpoints: a token bucket for each. Calls stand in lines, one for each tenant, and the
// line that was served the longest ago is next. So a tenant that pays ten thousand salaries delays another's payment by
// about one call. Buckets use the monotonic clock, so that a clock that is set back blocks no endpoint.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'

export type Rate = { calls: number; perMs: number }

export type Limiter<Endpoint extends string> = {
  /**
   * Returns the milliseconds until the call fits: 0 if it may go ahead. If they are at most `patienceMs`, the call is
   * counted, and the caller makes it after that time.
   */
  take(endpoint: Endpoint, patienceMs?: number): number
  /**
   * Waits for the line's turn and resolves with 0. If that takes too long, resolves with the milliseconds after which
   * the call may come back: at the first turn of the line that no other call waits for or was given.
   */
  takeTurn(endpoint: Endpoint, line: string): Promise<number>
  /** The provider reported too many calls: blocks the endpoint for this long. */
  hold(endpoint: Endpoint, ms: number): void
}

/** `share`: this process's current share of the limits. */
export function createLimiter<Endpoint extends string>(
  rates: Record<Endpoint, Rate>,
  clock: Pick<Clock, 'monotonicMs'>,
  share: () => number = () => 1,
): Limiter<Endpoint> {
  const buckets = new Map<Endpoint, Bucket>()
  const bucketOf = (endpoint: Endpoint): Bucket => {
    const bucket = buckets.get(endpoint) ?? new Bucket(rates[endpoint], clock, share)
    buckets.set(endpoint, bucket)
    return bucket
  }
  return {
    take: (endpoint, patienceMs = 0) => bucketOf(endpoint).take(patienceMs),
    takeTurn: (endpoint, line) => bucketOf(endpoint).takeTurn(line),
    hold: (endpoint, ms) => bucketOf(endpoint).hold(ms),
  }
}

/**
 * Shares of a provider's limit for all processes together: a steady rate, and a burst after a pause. Their sum is the
 * most that any period can contain. The remaining fifth is for processes that the others do not know yet
 * (processes.ts), for commands, and for other users of the account.
 */
const steadyPart = 0.6
const atOncePart = 0.2

/** A call that would have to wait longer does not begin to wait. The limit is short beside the lease of a payment. */
const turnWaitMsMax = 1_000
/**
 * A call waits at most this long. It may wait longer than expected, because calls of lines that were served longer ago
 * go first.
 */
const turnWaitMsLimit = 3_000
/**
 * A future turn is given out at most this long ahead, because a line's share of the rate changes with the lines and
 * processes that call. A call that gets no turn comes back at some time in the second half of this period.
 */
const turnsAheadMsMax = 2 * minuteMs

type WaitingCall = { resolve: (ms: number) => void; untilMs: number }

class Bucket {
  readonly #rate: Rate
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #share: () => number
  #left: number
  #atMs: number
  #heldUntilMs = 0
  readonly #waiting = new Map<string, WaitingCall[]>()
  /** When each line was last served, the longest ago first. */
  readonly #servedAtMs = new Map<string, number>()
  /** For each line, the time until which its turns are taken by calls that will come back. */
  readonly #turnsUntilMs = new Map<string, number>()
  #spread = 0
  #timer: NodeJS.Timeout | undefined

  constructor(rate: Rate, clock: Pick<Clock, 'monotonicMs'>, share: () => number) {
    this.#rate = rate
    this.#clock = clock
    this.#share = share
    this.#left = this.#most
    this.#atMs = clock.monotonicMs()
  }

  take(patienceMs: number): number {
    this.#fill()
    const waitMs = this.#waitMsFor(1)
    if (waitMs <= patienceMs) this.#left -= 1
    return waitMs
  }

  takeTurn(line: string): Promise<number> {
    this.#fill()
    const mine = this.#waiting.get(line) ?? []
    const waitMs = this.#waitMsFor(this.#callsBefore(line, mine.length) + 1)
    if (waitMs > turnWaitMsMax) return Promise.resolve(this.#laterTurnMs(line, waitMs))
    return new Promise((resolve) => {
      mine.push({ resolve, untilMs: this.#atMs + turnWaitMsLimit })
      this.#waiting.set(line, mine)
      this.#serve()
    })
  }

  hold(ms: number): void {
    this.#fill()
    this.#heldUntilMs = this.#atMs + ms
    this.#sendBack(() => true)
  }

  /** At least one call, because a process with a smaller burst would never make any. */
  get #most(): number {
    return Math.max(1, this.#rate.calls * atOncePart * this.#share())
  }

  get #msPerCall(): number {
    return this.#rate.perMs / (this.#rate.calls * steadyPart * this.#share())
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs()
    this.#left = Math.min(this.#most, this.#left + (nowMs - this.#atMs) / this.#msPerCall)
    this.#atMs = nowMs
  }

  #waitMsFor(tokens: number): number {
    return Math.ceil(Math.max(0, this.#heldUntilMs - this.#atMs, (tokens - this.#left) * this.#msPerCall))
  }

  /** How many calls go before the next one of a line that has `mine` waiting calls. */
  #callsBefore(line: string, mine: number): number {
    const servedMs = this.#servedAtMs.get(line) ?? 0
    let before = mine
    for (const [other, { length }] of this.#waiting) {
      const isEarlier = (this.#servedAtMs.get(other) ?? 0) <= servedMs
      if (other !== line) before += Math.min(length, mine + (isEarlier ? 1 : 0))
    }
    return before
  }

  #serve(): void {
    clearTimeout(this.#timer)
    this.#fill()
    this.#sendBack(({ untilMs }) => untilMs < this.#atMs)
    for (let line = this.#nextLine(); line !== undefined; line = this.#nextLine()) {
      const waitMs = this.#waitMsFor(1)
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#serve(), waitMs)
        return
      }
      this.#left -= 1
      this.#servedAtMs.delete(line)
      this.#servedAtMs.set(line, this.#atMs)
      this.#waiting.get(line)?.shift()?.resolve(0)
      if (this.#waiting.get(line)?.length === 0) this.#waiting.delete(line)
    }
  }

  #nextLine(): string | undefined {
    for (const [line, servedMs] of this.#servedAtMs) {
      if (servedMs > this.#atMs - turnsAheadMsMax) break
      this.#servedAtMs.delete(line)
    }
    for (const line of this.#waiting.keys()) if (!this.#servedAtMs.has(line)) return line
    for (const line of this.#servedAtMs.keys()) if (this.#waiting.has(line)) return line
    return undefined
  }

  #sendBack(isSentBack: (call: WaitingCall) => boolean): void {
    for (const [line, calls] of this.#waiting) {
      const kept = calls.filter((call) => !isSentBack(call))
      if (kept.length > 0) this.#waiting.set(line, kept)
      else this.#waiting.delete(line)
      for (const call of calls) if (isSentBack(call)) call.resolve(this.#laterTurnMs(line, this.#waitMsFor(1)))
    }
  }

  /** In how many milliseconds a call may come back: at the line's next turn, and in `waitMs` at the earliest. */
  #laterTurnMs(line: string, waitMs: number): number {
    const turns = this.#turnsUntilMs
    for (const [other, untilMs] of turns) if (untilMs <= this.#atMs) turns.delete(other)
    const turnMs = Math.max(this.#atMs + waitMs, turns.get(line) ?? 0)
    if (turnMs - this.#atMs > Math.max(waitMs, turnsAheadMsMax)) return this.#someTimeMs()
    turns.set(line, turnMs)
    turns.set(line, turnMs + this.#msPerCall * turns.size)
    return Math.max(1, Math.ceil(turnMs - this.#atMs))
  }

  /** Multiples of the golden ratio spread any number of calls evenly. */
  #someTimeMs(): number {
    this.#spread = (this.#spread + 0.618) % 1
    return Math.ceil((turnsAheadMsMax * (1 + this.#spread)) / 2)
  }
}
