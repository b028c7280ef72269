// What `ledger verify` proves about payments: their money, events, lists and daily limits. Events are either in the table or in
// an archived file.

import { readSeals } from '#events/archive.ts'
import { checkSides } from '#ledger/digests.ts'
import type { InvariantCheck, Invariant, ScanPage } from '#ledger/table-scan.ts'
import { checkArchive } from '#ledger/verify.ts'
import type { InLane } from '#platform/db/db.ts'
import { uuidAfter, encodeBase32, formatId } from '#platform/ids.ts'
import { payoutKinds, startOfDay } from './limits.ts'
import { paymentList } from './list.ts'
import {
  eventPages,
  findEventMonths,
  findLimited,
  type LimitedTenant,
  missingDigests,
  ordinalPages,
  orphanPages,
  sealedDigests,
  strayEvents,
  totalsOfDay,
} from './verify-events-queries.ts'
import {
  collected,
  type Culprit,
  findStrays,
  incomingPages,
  inflows,
  reservedPages,
  sides,
  type Stray,
  unbookedPages,
  uncausedPages,
  type WrongBalance,
} from './verify-queries.ts'
import { publicIdOf } from './wire.ts'

export const toldInvariants: Invariant[] = [
  {
    name: 'archived months of events follow each other, and nothing of theirs is in the table',
    run: (check) => checkArchive(check, { noun: 'events', sealsOf: readSeals, straysOf: strayEvents }),
  },
  { name: 'events that are in files are those that payments have not in the table', run: checkTold },
]

async function checkTold(check: InvariantCheck): Promise<void> {
  if ((await sealedUntil(check.lane)) === undefined) return
  await checkSides(check, {
    found: sealedDigests,
    wanted: missingDigests,
    // The event exists only in the file, so there is no row to name.
    findCulprits: () => Promise.resolve([]),
    tell: (culprit: never) => culprit,
    findMonths: findEventMonths,
    name: 'payments and events',
    sealedUntil,
  })
}

async function sealedUntil(lane: InLane): Promise<Date | undefined> {
  return (await readSeals(lane)).at(-1)?.until
}

// The invariant of payout limits for `ledger verify`: the total of a day equals the sum of its payouts.

async function checkDays(check: InvariantCheck): Promise<void> {
  for (let { from } = check; ;) {
    const page = await findLimited({ ...check, from })
    for (const tenant of page) await checkDay(check, tenant)
    check.progress(page.length)
    const last = page.at(-1)
    if (last === undefined || page.length < check.rowsPerPage) return
    from = uuidAfter(last.id)
  }
}

/** The number at which a day begins never changes, so it may be read before the comparison. */
async function checkDay(check: InvariantCheck, tenant: LimitedTenant): Promise<void> {
  const from = startOfDay(tenant.day)
  const after = []
  for (const kind of payoutKinds) {
    const { low } = await paymentList.rangeOf(check.lane, tenant, { from }, kind)
    after.push({ kind, ordinal: low })
  }
  const totals = await totalsOfDay(check.lane, tenant, after)
  if (totals === undefined || totals.counted === totals.accepted) return
  const unit = tenant.currency === 'NGN' ? '' : ` ${tenant.currency}`
  const message = `its limit counts ${totals.counted}${unit} on ${tenant.day}, its payouts of that day are ${totals.accepted}`
  check.report({ tenantId: tenant.id, ids: [tenant.day], message })
}

// The invariants of payments about money, events and lists, for `ledger verify`.

export const paymentInvariants: Invariant[] = [
  { name: 'reserved is what queued payments hold', run: checkReserved },
  { name: 'each payment has exactly the movements of its status, each once', run: checkMovements },
  { name: 'each payment has exactly the events of its status', run: checkEvents },
  { name: 'payments are numbered densely from 1, and their times follow the numbers', run: checkOrdinals },
  { name: 'each successful collection is exactly one deposit, and the other way round', run: checkCollections },
  { name: 'incoming is what unfinished collections and PENDING deposits would bring', run: checkIncoming },
  { name: 'what payments moved at a rail is in its float book, each once', run: checkFloat },
  { name: 'what a float book has of payments and deposits is so, each as it ended', run: checkCauses },
  { name: 'the total of a limited day is what its payouts amount to', run: checkDays },
  ...toldInvariants,
]

function checkReserved(check: InvariantCheck): Promise<void> {
  return checkBalances(check, reservedPages(check), { name: 'reserved', held: 'queued payments hold' })
}

function checkIncoming(check: InvariantCheck): Promise<void> {
  const held = 'unfinished collections and PENDING deposits would bring'
  return checkBalances(check, incomingPages(check), { name: 'incoming', held })
}

async function checkBalances(
  check: InvariantCheck,
  pages: AsyncGenerator<ScanPage<WrongBalance>>,
  words: { name: string; held: string },
): Promise<void> {
  for await (const { rows, parts } of pages) {
    for (const { tenantId, currency, balance, held } of parts) {
      const what = balance === null ? `has no ${words.name} account` : `${words.name} is ${balance}`
      check.report({ tenantId, ids: [currency], message: `${currency} ${what}, ${words.held} ${held}` })
    }
    check.progress(rows)
  }
}

function checkMovements(check: InvariantCheck): Promise<void> {
  return checkSides(check, { ...sides, tell: tellCulprit, name: 'payments and movements' })
}

function tellCulprit({ id, kind, status }: Culprit): { id: string; message: string } {
  return {
    id: kind === null ? encodeBase32(id) : publicIdOf({ kind, id }),
    message:
      status === null
        ? 'movements of a payment that does not exist'
        : `${status}, but its movements are not those of ${status}`,
  }
}

async function checkEvents(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of eventPages(check)) {
    for (const { tenantId, kind, status, count, ids } of parts) {
      const message = `${status}, but its events are not those of ${status}`
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
  for await (const { rows, parts } of orphanPages(check)) {
    for (const { tenantId, count, ids } of parts) {
      const message = 'events of a payment that does not exist'
      check.report({ tenantId, ids: ids.map((id) => formatId('event', id)), count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkFloat(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of unbookedPages(check)) {
    for (const { tenantId, kind, status, count, ids } of parts) {
      const message = `${status}, but the float book of its rail does not say so`
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkCauses(check: InvariantCheck): Promise<void> {
  if (!check.isFirstLane) return
  for await (const { rows, parts } of uncausedPages(check.lane, check.rowsPerPage)) {
    for (const { environment, rail, kind, count, subjects } of parts) {
      const message = `the float book of ${rail} (${environment}) has a ${kind} that none of ours caused`
      check.report({ ids: subjects, count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkOrdinals(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of ordinalPages(check)) {
    for (const { tenantId, list: kind, count, ids } of parts) {
      const message = 'number or time does not follow from the payment before'
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
}

function checkCollections(check: InvariantCheck): Promise<void> {
  return checkSides(check, {
    found: collected,
    wanted: inflows,
    findCulprits: findStrays,
    tell: tellStray,
    name: 'collections and deposits',
  })
}

function tellStray({ id, depositId }: Stray): { id: string; message: string } {
  if (id === null) return { id: encodeBase32(depositId), message: 'a deposit of no successful collection' }
  return {
    id: publicIdOf({ kind: 'momo_collection', id }),
    message: 'SUCCESS, but not the one deposit that it names',
  }
}
