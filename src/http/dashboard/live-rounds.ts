// When to look for what is new: a round through all who listen now and then, and a look between two rounds as soon as this
// process itself has written something. There is never a second look under way, and a flood of commits is looked at no more
// often than the gap allows.

export type Rounds = {
  /** Something may be new. */
  wake(): void
  stop(): void
}

export type RoundsOptions = {
  /** `isRound`: it is time for everybody; otherwise for those alone for whose sake it was woken. It never rejects. */
  look: (isRound: boolean) => Promise<void>
  /** Whether anybody listens; if not, it rests until it is woken. */
  isWanted: () => boolean
  /** From the end of one round to the next one. */
  roundMs: number
  /** From the end of one look to the next one, however often it is woken. */
  gapMs: number
}

export function createRounds({ look, isWanted, roundMs, gapMs }: RoundsOptions): Rounds {
  let [isLooking, isWoken, isStopped] = [false, false, false]
  let [nextRoundMs, nextLookMs] = [0, 0]
  let timer: NodeJS.Timeout | undefined

  function waitUntil(timeMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void turn(), Math.max(0, timeMs - performance.now()))
    timer.unref()
  }

  async function turn(): Promise<void> {
    const isRound = performance.now() >= nextRoundMs
    isLooking = true
    isWoken = false
    await look(isRound)
    isLooking = false
    const nowMs = performance.now()
    nextLookMs = nowMs + gapMs
    if (isRound) nextRoundMs = nowMs + roundMs
    if (!isStopped && isWanted()) waitUntil(isWoken ? Math.min(nextLookMs, nextRoundMs) : nextRoundMs)
  }

  return {
    wake() {
      if (isStopped || !isWanted()) return
      isWoken = true
      if (!isLooking) waitUntil(nextLookMs)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
