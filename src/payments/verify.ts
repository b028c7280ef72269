// What payments promise about money, events and their lists, for `ledger verify`.

import { encodeBase32, formatId } from '#base/ids.ts'
import { checkSides } from '#ledger/digests.ts'
import type { Check, Invariant } from '#ledger/invariant.ts'
import type { Page } from '#ledger/walk.ts'
import { collected, findStrays, inflows, type Stray } from './sql-verify-collections.ts'
import { eventPages, ordinalPages, orphanPages } from './sql-verify-lists.ts'
import { incomingPages, reservedPages, type WrongBalance } from './sql-verify-backlog.ts'
import { unbookedPages, uncausedPages } from './sql-verify-float.ts'
import { sides, type Culprit } from './sql-verify.ts'
import { checkDays } from './verify-limits.ts'
import { toldInvariants } from './verify-told.ts'
import { publicIdOf } from './wire.ts'

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

function checkReserved(check: Check): Promise<void> {
  return checkBalances(check, reservedPages(check), { name: 'reserved', held: 'queued payments hold' })
}

function checkIncoming(check: Check): Promise<void> {
  const held = 'unfinished collections and PENDING deposits would bring'
  return checkBalances(check, incomingPages(check), { name: 'incoming', held })
}

async function checkBalances(
  check: Check,
  pages: AsyncGenerator<Page<WrongBalance>>,
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

function checkMovements(check: Check): Promise<void> {
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

async function checkEvents(check: Check): Promise<void> {
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

async function checkFloat(check: Check): Promise<void> {
  for await (const { rows, parts } of unbookedPages(check)) {
    for (const { tenantId, kind, status, count, ids } of parts) {
      const message = `${status}, but the float book of its rail does not say so`
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkCauses(check: Check): Promise<void> {
  if (!check.isFirstLane) return
  for await (const { rows, parts } of uncausedPages(check.lane, check.rowsPerPage)) {
    for (const { environment, rail, kind, count, subjects } of parts) {
      const message = `the float book of ${rail} (${environment}) has a ${kind} that none of ours caused`
      check.report({ ids: subjects, count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkOrdinals(check: Check): Promise<void> {
  for await (const { rows, parts } of ordinalPages(check)) {
    for (const { tenantId, list: kind, count, ids } of parts) {
      const message = 'number or time does not follow from the payment before'
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
}

function checkCollections(check: Check): Promise<void> {
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
