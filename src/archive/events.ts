// Events, as they are archived: when nobody can be told of them any more, and when what is personal in them is forgotten,
// because a file forgets nothing.

import type { InLane } from '#base/db.ts'
import { OperatorError } from '#base/error.ts'
import { insertSeal, monthlyEvents, readDigests, readSealed, type SealedDigest } from '#events/archive.ts'
import { createDigests } from './digests.ts'
import type { Month } from './month.ts'
import type { Noun, Reading, Tally } from './noun.ts'
import { hasDeliveries, hasUnforgotten } from './sql.ts'

export const events: Noun = {
  ...monthlyEvents,
  name: 'events',
  notYet,
  createTally: createEventTally,
  createReading: readingOf,
}

async function notYet(lane: InLane, { name, until }: Month): Promise<string | undefined> {
  const where = `events of ${name} in lane ${lane.lane} stay`
  if (await hasDeliveries(lane, until))
    return `${where}: their deliveries are in the log, which a worker empties after WEBHOOK_LOG_DAYS`
  if (await hasUnforgotten(lane, until))
    return `${where}: what is personal in them is not forgotten yet, which a worker does after RETAIN_EVENT_DATA_DAYS`
  return undefined
}

export function createEventTally({ name, since, until }: Month): Tally {
  const counts = new Map<string, bigint>()
  let rows = 0n
  let lastKey = ''
  return {
    add(line) {
      // In the order of `eventColumns`.
      const cells = JSON.parse(line) as string[]
      const [tenantId = '', id = '', , event = ''] = cells
      const createdAt = cells.at(-1) ?? ''
      const at = new Date(`${createdAt}Z`)
      // A space is before the point of a second, so texts are in the order of times.
      const key = `${tenantId} ${createdAt} ${id}`
      if (!(key > lastKey) || !(at >= since && at < until))
        throw new OperatorError(`An event of ${name} is twice or out of its order or month: ${id}.`)
      lastKey = key
      rows += 1n
      const counted = `${tenantId} ${event}`
      counts.set(counted, (counts.get(counted) ?? 0n) + 1n)
    },
    rows: () => rows,
    summary: () =>
      [...counts]
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, count]) => [...key.split(' '), `${count}`]),
  }
}

function readingOf(lane: InLane, month: Month): Reading {
  const tally = createEventTally(month)
  const digests = createDigests<SealedDigest>(({ tenantId }) => tenantId)
  return {
    tally,
    compare: async (lines) => digests.add(await readDigests(lane, lines)),
    fault: () => Promise.resolve(undefined),
    seal: (tx, head) => insertSeal(tx, { ...head, digests: digests.all() }),
    isSealed: async (until) => textOf(await readSealed(lane, until)) === textOf(digests.all()),
  }
}

function textOf(digests: SealedDigest[]): string {
  return digests
    .map(({ tenantId, count, digest }) => `${tenantId} ${count} ${digest}`)
    .toSorted()
    .join('\n')
}
