// Runs work of the same key one after the other, and that of different keys side by side.

/** Undefined when too many wait under this key already. */
export type QueueByKey = <T>(key: string, work: () => Promise<T>) => Promise<T> | undefined

export function createQueueByKey(waitingMax: number): QueueByKey {
  const queues = new Map<string, { last: Promise<unknown>; count: number }>()

  return (key, work) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), count: 0 }
    if (queue.count >= waitingMax) return undefined
    queues.set(key, queue)
    queue.count += 1
    const turn = queue.last.then(work).finally(() => {
      queue.count -= 1
      if (queue.count === 0) queues.delete(key)
    })
    queue.last = turn.catch(() => undefined)
    return turn
  }
}
