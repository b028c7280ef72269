// What must hold in the ledger itself, each as a walk over the rows of one lane in the order of their keys.

import type { InLane } from '#base/db.ts'
import { firstUuid, lastUuid, type Uuid } from '#base/ids.ts'
import type { Check } from './invariant.ts'
import { firstIdAt, isUnmoved, prove, settledUntil } from './pieces.ts'
import { totalsReduction } from './post.ts'
import { readSealedUntil, sealedSums } from './sql-seals.ts'
import {
  accountPages,
  accountsOfTenant,
  entryPages,
  movementSums,
  type AccountPart,
  type AccountTotals,
} from './sql-verify.ts'

export function checkTotals(check: Check): Promise<void> {
  return prove(check, { ofSome: checkTotalsOfSome, ofLarge: checkTotalsOfLarge })
}

async function checkTotalsOfSome(check: Check): Promise<void> {
  const sums = await sealedSumsOf(check)
  await addMovements(check, sums, firstUuid, lastUuid)
  const all: AccountTotals[] = []
  for await (const { accounts } of accountPages(check)) all.push(...accounts)
  compareAll(all, sums, check.report)
}

async function checkTotalsOfLarge(check: Check, tenantId: Uuid): Promise<void> {
  // Each time that a month was sealed meanwhile, what was added up before that is counted once more by its seal.
  while (!(await addUpLarge(check, tenantId)));
}

/**
 * Adds up what is settled, which no snapshot is needed for, until the rest is little enough for one snapshot. Says whether
 * all was read with the same months sealed.
 */
async function addUpLarge(check: Check, tenantId: Uuid): Promise<boolean> {
  const sealed = await readSealedUntil(check.lane)
  const isSealedAs = async (lane: InLane): Promise<boolean> =>
    (await readSealedUntil(lane))?.getTime() === sealed?.getTime()
  const settled = await sealedSumsOf(check)
  let after = sealed === undefined ? firstUuid : firstIdAt(sealed)
  for (;;) {
    const before = await accountsOfTenant(check, tenantId)
    const until = firstIdAt(settledUntil(before, sealed))
    if (until > after) {
      await addMovements(check, settled, after, until)
      after = until
    }
    const seen = await check.atOneMoment(async (lane) => {
      const moment = { ...check, lane }
      const accounts = await accountsOfTenant(moment, tenantId)
      return { accounts, sums: await withRest(moment, settled, after), fits: await isSealedAs(lane) }
    })
    if (seen !== undefined) {
      if (seen.fits) compareAll(seen.accounts, seen.sums, check.report)
      return seen.fits
    }
    // Much is not settled: the tenant only ends what it accepted, or rests. If it rests, any time is the same moment.
    const sums = await withRest(check, settled, after)
    if (!(await isSealedAs(check.lane))) return false
    if (isUnmoved(before, await accountsOfTenant(check, tenantId))) {
      compareAll(before, sums, check.report)
      return true
    }
  }
}

async function withRest(check: Check, settled: Sums, after: Uuid): Promise<Sums> {
  const sums = new Map([...settled].map(([key, sum]) => [key, { ...sum }]))
  await addMovements(check, sums, after, lastUuid)
  return sums
}

type Sum = Omit<AccountTotals, 'touchedAt'>
type Sums = Map<string, Sum>

async function sealedSumsOf(check: Check): Promise<Sums> {
  const sums: Sums = new Map()
  for await (const { rows, parts } of sealedSums(check)) {
    for (const part of parts) addTo(sums, part)
    check.progress(rows)
  }
  return sums
}

async function addMovements(check: Check, sums: Sums, after: Uuid, before: Uuid): Promise<void> {
  for await (const { rows, parts } of movementSums(check, after, before)) {
    for (const part of parts) addTo(sums, part)
    check.progress(rows)
  }
}

function compareAll(accounts: AccountTotals[], sums: Sums, report: Check['report']): void {
  const orphans = new Map(sums)
  for (const account of accounts) {
    compare(account, sums.get(keyOf(account)) ?? { ...account, ...nothing }, report)
    orphans.delete(keyOf(account))
  }
  for (const [, orphan] of [...orphans].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const message = 'movements name an account that does not exist'
    report({ tenantId: orphan.tenantId, ids: [nameOf(orphan)], message })
  }
}

const nothing = { debits: 0n, credits: 0n, movements: 0n }

function addTo(sums: Sums, part: AccountPart): void {
  const sum = sums.get(keyOf(part)) ?? { ...part, ...nothing }
  sum.debits += BigInt(part.debits)
  sum.credits += BigInt(part.credits)
  sum.movements += part.movements
  sums.set(keyOf(part), sum)
}

function compare(account: AccountTotals, sum: Sum, report: Check['report']): void {
  // Both totals may have been reduced by the same (post.ts).
  const reduced = sum.debits - account.debits
  const isReduced = reduced > 0n && reduced % totalsReduction === 0n && sum.credits - account.credits === reduced
  const wrong = (['debits', 'credits', 'movements'] as const).filter(
    (total) => account[total] !== sum[total] && !(isReduced && total !== 'movements'),
  )
  if (wrong.length === 0) return
  const differences = wrong.map((total) => `${total} ${account[total]} instead of ${sum[total]}`).join(', ')
  const name = nameOf(account)
  report({ tenantId: account.tenantId, ids: [name], message: `${name} has ${differences}` })
}

export async function checkBalances(check: Check): Promise<void> {
  for await (const { accounts } of accountPages(check)) {
    // All accounts of a tenant are on one page.
    const sums = new Map<string, { tenantId: Uuid; currency: string; sum: bigint }>()
    for (const { tenantId, currency, credits, debits } of accounts) {
      const key = `${tenantId} ${currency}`
      sums.set(key, { tenantId, currency, sum: (sums.get(key)?.sum ?? 0n) + credits - debits })
    }
    for (const { tenantId, currency, sum } of sums.values()) {
      if (sum !== 0n) check.report({ tenantId, ids: [currency], message: `${currency} sums to ${sum}` })
    }
    check.progress(accounts.length)
  }
}

export async function checkNegatives(check: Check): Promise<void> {
  for await (const { accounts } of accountPages(check)) {
    for (const account of accounts) {
      const balance = account.credits - account.debits
      if (balance >= 0n || (account.name !== 'available' && account.name !== 'reserved')) continue
      const name = nameOf(account)
      check.report({ tenantId: account.tenantId, ids: [name], message: `${name} is ${balance}` })
    }
    check.progress(accounts.length)
  }
}

export async function checkEntries(check: Check): Promise<void> {
  for await (const { rows, parts } of entryPages(check)) {
    for (const { tenantId, list: currency, ids, count } of parts) {
      const message = `${currency} entries whose number or balance does not follow from the entry before`
      check.report({ tenantId, ids, count: Number(count), message })
    }
    check.progress(rows)
  }
}

type AccountName = Pick<AccountTotals, 'tenantId' | 'currency' | 'name'>

function keyOf({ tenantId, currency, name }: AccountName): string {
  return `${tenantId} ${currency} ${name}`
}

function nameOf({ currency, name }: AccountName): string {
  return `${currency} ${name}`
}
