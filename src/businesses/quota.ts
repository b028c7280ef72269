// How much a caller may ask: a fixed window, aligned to the Unix minute. Tenants have one counter, client addresses
// without a key another. A request is counted in memory. Where there are other processes, each tells the others whenever it
// has counted a hundredth of the limit by itself, and learns what they told: so the limit is that of all of them together, and
// no request waits for it.

import { minuteMs } from '#base/durations.ts'

export type Quota = { limit: number; remaining: number; resetAtSeconds: number; exceeded: boolean }

export type QuotaCounter = {
  /** Counts one request. */
  take(bucket: string, nowMs: number): Quota
  /** Counts more for a request that was taken already: all of it, or nothing when less is left. */
  takeMore(bucket: string, more: number, nowMs: number): Quota
  /** The quota as it stands, without counting a request. */
  peek(bucket: string, nowMs: number): Quota
}

/** So many more were counted in this window. Resolves with what all processes have told of it. */
export type TellOthers = (told: { bucket: string; window: number; more: number }) => Promise<number>

export type QuotaOptions = {
  /** Requests per window and bucket. */
  limit: number
  /** Past this many buckets, new ones of the window share one. Needed where a caller can make up buckets at will. */
  bucketsMax?: number
  /** Absent: this process is alone, or counts for itself. */
  tellOthers?: TellOthers | undefined
}

export const windowMs = minuteMs
const sharedBucket = 'shared'
/** What a process may count unheard: ten of them stay within a tenth of the limit. */
const untoldShare = 0.01

type Count = {
  /** Counted by this process since the window began, and how much of that it has told. */
  own: number
  told: number
  /** What all processes had told when this one told last, its own included. */
  all: number
  isTelling: boolean
}

export function createQuotaCounter({ limit, bucketsMax = Infinity, tellOthers }: QuotaOptions): QuotaCounter {
  const untoldMax = Math.max(1, Math.floor(limit * untoldShare))
  let counts = new Map<string, Count>()
  let window = 0

  function turn(nowMs: number): void {
    const current = Math.floor(nowMs / windowMs)
    if (current === window) return
    window = current
    counts = new Map()
  }

  function nameOf(bucket: string): string {
    return counts.size < bucketsMax || counts.has(bucket) ? bucket : sharedBucket
  }

  function countOf(name: string): Count {
    const known = counts.get(name)
    if (known !== undefined) return known
    const count = { own: 0, told: 0, all: 0, isTelling: false }
    counts.set(name, count)
    return count
  }

  function state(used: number): Quota {
    const resetAtSeconds = ((window + 1) * windowMs) / 1000
    return { limit, remaining: Math.max(0, limit - used), resetAtSeconds, exceeded: used > limit }
  }

  /** What is over the limit is refused, and nobody's use. */
  function add(bucket: string, count: Count, more: number): Quota {
    count.own += more
    const quota = state(usedOf(count))
    const isDue = !quota.exceeded && !count.isTelling && count.own - count.told >= untoldMax
    if (isDue && tellOthers !== undefined) void tell({ bucket, window }, count, tellOthers)
    return quota
  }

  return {
    take(bucket, nowMs) {
      turn(nowMs)
      const name = nameOf(bucket)
      return add(name, countOf(name), 1)
    },
    takeMore(bucket, more, nowMs) {
      turn(nowMs)
      const name = nameOf(bucket)
      const count = countOf(name)
      if (usedOf(count) + more > limit) return { ...state(usedOf(count)), exceeded: true }
      return add(name, count, more)
    },
    peek(bucket, nowMs) {
      turn(nowMs)
      const count = counts.get(nameOf(bucket))
      return state(count === undefined ? 0 : usedOf(count))
    },
  }
}

function usedOf({ own, told, all }: Count): number {
  return all + own - told
}

async function tell(of: { bucket: string; window: number }, count: Count, tellOthers: TellOthers): Promise<void> {
  const more = count.own - count.told
  count.isTelling = true
  try {
    count.all = await tellOthers({ ...of, more })
    count.told += more
  } catch {
    // Each process counts for itself while the others cannot be told; whoever tells them has said so.
  }
  count.isTelling = false
}
