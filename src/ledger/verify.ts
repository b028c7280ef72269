// Verifies the books against the movements while the service runs: page by page (table-scan.ts) and in short
// snapshots (chunks.ts). Modules that store money add their own invariants to the list. The number of findings is
// limited, because books that are wrong everywhere must not fill the memory of the process.

import { present } from '#platform/assert.ts'
import type { Context } from '#platform/context.ts'
import { type InLane, inLane } from '#platform/db/db.ts'
import type { Seal } from '#platform/db/months.ts'
import { type Uuid, firstUuid, lastUuid } from '#platform/ids.ts'
import { readSeals, strayPages, readSealedUntil, sealedSums } from './archive.ts'
import type { Strays } from './archived.ts'
import { firstIdAt, isUnmoved, proveLane, finalUntil, takeSnapshot } from './chunks.ts'
import { findTotals, type TotalRow } from './float.ts'
import {
  type InvariantCheck,
  type Invariant,
  type ScanPage,
  type TableScan,
  createPace,
  type Pace,
} from './table-scan.ts'
import { totalsReduction } from './post.ts'
import {
  floatPages,
  accountPages,
  accountsOfTenant,
  entryPages,
  movementSums,
  type AccountPart,
  type AccountTotals,
  lanesWithRows,
} from './verify-queries.ts'

/** `count` is the number of all rows if `ids` does not list them all. */
export type Violation = { tenantId?: Uuid; ids: string[]; count?: number; message: string }

export type Breach = {
  invariant: string
  tenantId?: string
  /** The first 100 wrong rows: movements by id, accounts by currency and name. */
  ids: string[]
  message: string
}

const idsMax = 100
const findingsMax = 1_000

type GatheredViolation = { tenantId?: Uuid; ids: string[]; count: number; message: string }

export function createFindings() {
  const gathered = new Map<string, GatheredViolation>()
  let omitted = 0
  return {
    add({ tenantId, ids, count = ids.length, message }: Violation): void {
      const key = `${tenantId} ${message}`
      const known = gathered.get(key)
      if (known === undefined && gathered.size >= findingsMax) {
        omitted += 1
        return
      }
      const listed = [...(known?.ids ?? []), ...ids].slice(0, idsMax)
      const whose = tenantId === undefined ? {} : { tenantId }
      gathered.set(key, { ...whose, ids: listed, count: (known?.count ?? 0) + count, message })
    },
    breachesOf(invariant: string): Breach[] {
      const breaches: Breach[] = [...gathered.values()].map(({ count, message, ...rest }) => {
        const more = count > rest.ids.length ? ` (${count} in all, the first ${rest.ids.length} are listed)` : ''
        return { invariant, ...rest, message: message + more }
      })
      if (omitted > 0)
        breaches.push({ invariant, ids: [], message: `and ${omitted} findings more, which are not listed` })
      return breaches
    },
  }
}

// Float totals belong to no tenant, so they are checked with the first lane only.

export const floatInvariants: Invariant[] = [
  { name: 'the totals of a float book are the sums of its movements', run: checkFloatTotals },
]

async function checkFloatTotals(check: InvariantCheck): Promise<void> {
  if (!check.isFirstLane) return
  const rails = Map.groupBy(await findTotals(check.lane), ({ environment, rail }) => `${environment} ${rail}`)
  for (const totals of rails.values()) await checkRail(check, totals)
}

async function checkRail(check: InvariantCheck, totals: TotalRow[]): Promise<void> {
  const wallets = new Set(totals.map(walletName))
  for (const ofTime of Map.groupBy(totals, ({ untilAt }) => untilAt.getTime()).values()) {
    const first = present(ofTime[0], 'a group has a row')
    const sums = new Map<string, TotalRow>()
    for await (const { rows, sums: found } of floatPages(check.lane, first, check.rowsPerPage)) {
      for (const part of found) {
        const key = `${walletName({ ...first, ...part })} ${part.account}`
        sums.set(key, { ...first, ...part, amount: (sums.get(key)?.amount ?? 0n) + BigInt(part.amount) })
      }
      check.progress(rows)
    }
    for (const total of ofTime)
      reportTotal(check, total, total.amount, sums.get(`${walletName(total)} ${total.account}`)?.amount ?? 0n)
    for (const [, sum] of [...sums].toSorted(([left], [right]) => (left < right ? -1 : 1)))
      if (!wallets.has(walletName(sum)) && sum.amount !== 0n) reportTotal(check, sum, 'missing', sum.amount)
  }
}

function walletName({ environment, rail, currency, country }: Omit<TotalRow, 'amount'>): string {
  return [environment, rail, currency, ...(country === '' ? [] : [country])].join(' ')
}

function reportTotal(check: InvariantCheck, total: TotalRow, stored: bigint | 'missing', sum: bigint): void {
  if (stored === sum) return
  const { account, untilAt } = total
  const message = `the total of ${account} until ${untilAt.toISOString()} is ${stored}, its movements come to ${sum}`
  check.report({ ids: [walletName(total)], message })
}

// Archived months follow each other without a gap, and the table has no rows of months that were removed from it.
// `manilla archive verify` checks that the files themselves are unchanged.

export const archiveInvariants: Invariant[] = [
  {
    name: 'archived months follow each other, and nothing of theirs is in the table',
    run: (check) => checkArchive(check, { noun: 'movements', sealsOf: readSeals, straysOf: strayPages }),
  },
]

type ArchivedSource = {
  noun: string
  sealsOf: (lane: InLane) => Promise<Seal[]>
  straysOf: (walk: TableScan, first: Uuid) => AsyncGenerator<ScanPage<Strays>>
}

export async function checkArchive(check: InvariantCheck, { noun, sealsOf, straysOf }: ArchivedSource): Promise<void> {
  const { lane, report, progress } = check
  const seals = await sealsOf(lane)
  for (const [at, seal] of seals.entries()) {
    if (follows(seal, seals[at - 1])) continue
    const message = `lane ${lane.lane}: an archived month of ${noun} does not follow from the one before it`
    report({ ids: [seal.since.toISOString().slice(0, 7)], message })
  }
  progress(seals.length)
  if (seals.every(({ removedAt }) => removedAt === null)) return
  for await (const { rows, parts } of straysOf(check, firstUuid)) {
    for (const { tenantId, count, ids } of parts) {
      const message = `${noun} of a month whose rows were all taken out`
      report({ tenantId, ids, count: Number(count), message })
    }
    progress(rows)
  }
}

function follows({ since, previous }: Seal, before: Seal | undefined): boolean {
  if (before === undefined) return previous === null
  return since.getTime() === before.until.getTime() && previous?.equals(before.digest) === true
}

export function checkTotals(check: InvariantCheck): Promise<void> {
  return proveLane(check, { ofSome: checkTotalsOfSome, ofLarge: checkTotalsOfLarge })
}

async function checkTotalsOfSome(check: InvariantCheck): Promise<void> {
  const sums = await sealedSumsOf(check)
  await addMovements(check, sums, firstUuid, lastUuid)
  const all: AccountTotals[] = []
  for await (const { accounts } of accountPages(check)) all.push(...accounts)
  compareAll(all, sums, check.report)
}

async function checkTotalsOfLarge(check: InvariantCheck, tenantId: Uuid): Promise<void> {
  // Repeats if a month was sealed meanwhile, because the sums of the seal include movements that were already added up.
  while (!(await addUpLarge(check, tenantId)));
}

/**
 * Adds up the movements that can no longer change, which needs no snapshot, until the rest fits into a snapshot.
 * Returns true if no month was sealed meanwhile.
 */
async function addUpLarge(check: InvariantCheck, tenantId: Uuid): Promise<boolean> {
  const sealed = await readSealedUntil(check.lane)
  const isSealedAs = async (lane: InLane): Promise<boolean> =>
    (await readSealedUntil(lane))?.getTime() === sealed?.getTime()
  const final = await sealedSumsOf(check)
  let after = sealed === undefined ? firstUuid : firstIdAt(sealed)
  for (;;) {
    const before = await accountsOfTenant(check, tenantId)
    const until = firstIdAt(finalUntil(before, sealed))
    if (until > after) {
      await addMovements(check, final, after, until)
      after = until
    }
    const seen = await check.atOneMoment(async (lane) => {
      const moment = { ...check, lane }
      const accounts = await accountsOfTenant(moment, tenantId)
      return { accounts, sums: await withRest(moment, final, after), fits: await isSealedAs(lane) }
    })
    if (seen !== undefined) {
      if (seen.fits) compareAll(seen.accounts, seen.sums, check.report)
      return seen.fits
    }
    // The rest does not fit into one snapshot, so it is read without one. Each change of `available` moves `finalUntil`
    // forward, so much is left only while `available` stays as it is: the tenant finishes accepted payments, or is
    // idle. If it is idle, statements at any time see the same rows.
    const sums = await withRest(check, final, after)
    if (!(await isSealedAs(check.lane))) return false
    if (isUnmoved(before, await accountsOfTenant(check, tenantId))) {
      compareAll(before, sums, check.report)
      return true
    }
  }
}

async function withRest(check: InvariantCheck, final: Sums, after: Uuid): Promise<Sums> {
  const sums = new Map([...final].map(([key, sum]) => [key, { ...sum }]))
  await addMovements(check, sums, after, lastUuid)
  return sums
}

type AccountSum = Omit<AccountTotals, 'touchedAt'>
type Sums = Map<string, AccountSum>

async function sealedSumsOf(check: InvariantCheck): Promise<Sums> {
  const sums: Sums = new Map()
  for await (const { rows, parts } of sealedSums(check)) {
    for (const part of parts) addTo(sums, part)
    check.progress(rows)
  }
  return sums
}

async function addMovements(check: InvariantCheck, sums: Sums, after: Uuid, before: Uuid): Promise<void> {
  for await (const { rows, parts } of movementSums(check, after, before)) {
    for (const part of parts) addTo(sums, part)
    check.progress(rows)
  }
}

function compareAll(accounts: AccountTotals[], sums: Sums, report: InvariantCheck['report']): void {
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

function compare(account: AccountTotals, sum: AccountSum, report: InvariantCheck['report']): void {
  // A difference is no error if both totals were reduced by the same multiple of `totalsReduction` (post.ts).
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

async function checkBalances(check: InvariantCheck): Promise<void> {
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

async function checkNegatives(check: InvariantCheck): Promise<void> {
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

async function checkEntries(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of entryPages(check)) {
    for (const { tenantId, list: currency, ids, count } of parts) {
      const message = `${currency} entries whose number or balance does not follow from the entry before`
      check.report({ tenantId, ids, count: Number(count), message })
    }
    check.progress(rows)
  }
}

type CheckedAccount = Pick<AccountTotals, 'tenantId' | 'currency' | 'name'>

function keyOf({ tenantId, currency, name }: CheckedAccount): string {
  return `${tenantId} ${currency} ${name}`
}

function nameOf({ currency, name }: CheckedAccount): string {
  return `${currency} ${name}`
}

export const ledgerInvariants: Invariant[] = [
  { name: 'the totals of an account are the sums of its movements', run: checkTotals },
  { name: 'the balances of a tenant and currency sum to zero', run: checkBalances },
  { name: 'available and reserved are never negative', run: checkNegatives },
  { name: 'entries are dense from 1, and each balance follows from the one before', run: checkEntries },
]

export type VerifyOptions = {
  invariants?: Invariant[]
  onProgress?: (done: { checked: number; what: string }) => void
  rowsPerPage?: number
  rowsPerSnapshot?: number
  snapshotMs?: number
  /** Each pause is this many times the working time; 0 if nothing else uses the database. */
  restsPerWork?: number
}

export async function verifyLedger({ db }: Context, options: VerifyOptions = {}): Promise<Breach[]> {
  const { invariants = ledgerInvariants, rowsPerPage = 20_000, rowsPerSnapshot = 200_000, snapshotMs: ms } = options
  const pace = createPace(options.restsPerWork ?? 0)
  const breaches: Breach[] = []
  for (const { name, run } of invariants) {
    const findings = createFindings()
    let [checked, isFirstLane] = [0, true]
    const progress = (rows: number): void => {
      checked += rows
      options.onProgress?.({ checked, what: name })
    }
    for await (const number of lanesWithRows(db)) {
      const lane = paced(inLane(db, number), pace)
      const walk = { lane, rowsPerPage, rowsPerSnapshot, from: firstUuid, upTo: lastUuid }
      const atOneMoment = takeSnapshot(db, number, { pace, ms })
      await run({ ...walk, isFirstLane, atOneMoment, report: findings.add, progress })
      isFirstLane = false
    }
    breaches.push(...findings.breachesOf(name))
  }
  return breaches
}

function paced({ lane, query }: InLane, pace: Pace): InLane {
  return { lane, query: (what, values) => pace(() => query(what, values)) }
}
