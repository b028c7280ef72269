// Waits for what sends no notice: a process that ends, a file that changes.
import { setTimeout as delay } from 'node:timers/promises'

type PollOptions = { limitMs: number; everyMs?: number; signal?: AbortSignal | undefined }

/** Looks until there is an answer; undefined when the limit passed without one. */
export async function poll<T>(look: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const limit = performance.now() + options.limitMs
  for (;;) {
    options.signal?.throwIfAborted()
    const answer = await look()
    if (answer !== undefined) return answer
    if (performance.now() >= limit) return undefined
    await delay(options.everyMs ?? 20)
  }
}
