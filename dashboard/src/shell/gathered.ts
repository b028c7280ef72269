// Combines many hints of changes into one refresh.

export type Gathered = { hint: () => void; stop: () => void }

/**
 * Calls `act`, a refresh, when `ms` have passed since the first of many hints. It never calls `act` while an earlier
 * call still runs: a refresh cancels the reads of the one before, so on a slow network hints that keep coming would let
 * no read end.
 */
export function gathered(ms: number, act: () => Promise<void>): Gathered {
  let timer: ReturnType<typeof setTimeout> | undefined
  let [isActing, isDue, isStopped] = [false, false, false]
  function hint(): void {
    if (isStopped) return
    if (isActing) isDue = true
    else timer ??= setTimeout(() => void run(), ms)
  }
  async function run(): Promise<void> {
    timer = undefined
    isActing = true
    await act()
    isActing = false
    if (isDue) hint()
    isDue = false
  }
  return {
    hint,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
