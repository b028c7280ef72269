// Archives the events of a month after their deliveries have left the log and their personal data is erased, because a
// file would keep that data forever.

import { insertSeal, monthlyEvents, readDigests, readSealed, type SealedDigest } from '#events/archive.ts'
import { statement, type InLane } from '#platform/db/db.ts'
import { OperatorError } from '#platform/errors.ts'
import type { ArchiveReading, ArchiveSource, ArchiveTotals, Month } from './source.ts'
import { createDigests } from './sum-digests.ts'

const deliveries = statement(
  'archive.has_deliveries',
  `select 1 from tenant t
    cross join lateral (
      select created_at from webhook_delivery where lane = $1 and tenant_id = t.id and ordinal > 0 order by ordinal limit 1) as first
    where t.lane = $1 and first.created_at < $2 limit 1`,
)

async function hasDeliveries(lane: InLane, until: Date): Promise<boolean> {
  return (await lane.query(deliveries, [lane.lane, until])).length > 0
}

// Finds events that the retention worker (privacy/retain.ts) has not reached yet: reads the first one after its
// progress.
const unforgotten = statement(
  'archive.has_unforgotten',
  `select 1 from tenant t
     left join lateral (
       select at, id from retention_progress where lane = $1 and tenant_id = t.id and list = 'events' limit 1) as p on true
    cross join lateral (
      select created_at from event
       where lane = $1 and tenant_id = t.id and created_at >= coalesce(p.at, '-infinity')
         and (created_at, id) > (coalesce(p.at, '-infinity'), coalesce(p.id, '00000000-0000-0000-0000-000000000000'))
       order by created_at, id limit 1) as next
    where t.lane = $1 and next.created_at < $2 limit 1`,
)

async function hasUnforgotten(lane: InLane, until: Date): Promise<boolean> {
  return (await lane.query(unforgotten, [lane.lane, until])).length > 0
}

export const events: ArchiveSource = {
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

function createEventTally({ name, since, until }: Month): ArchiveTotals {
  const counts = new Map<string, bigint>()
  let rows = 0n
  let lastKey = ''
  return {
    add(line) {
      // The cells have the order of `eventColumns`.
      const cells = JSON.parse(line) as string[]
      const [tenantId = '', id = '', , event = ''] = cells
      const createdAt = cells.at(-1) ?? ''
      const at = new Date(`${createdAt}Z`)
      // A time without a fraction is followed by a space, which sorts before the decimal point. So the order of these
      // texts is the order of the times.
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

function readingOf(lane: InLane, month: Month): ArchiveReading {
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
