// Combines many hints of changes into one refresh.

export type Gathered = { hint: () => void; stop: () => void }

/**
 * Calls `act` when `ms` have passed since the first of many hints, and never while an earlier call still runs. A
 * refresh cancels the reads of the previous refresh, so on a slow network no read would end while hints keep coming.
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
