// The float books of wallets at a provider with a wallet for each country: how far each is from what the provider holds, the
// mismatch that this opens, and how an operator opens and corrects a book. No such provider lists what a wallet held before we looked.

import { recordEntry } from '#audit/record.ts'
import { bookFloat, hasFraction, heldByBook, readFloat, type FloatBalance, type FloatName } from '#ledger/float.ts'
import { sumUnderWay, type WalletBacklog } from '#payments/rail-notice.ts'
import type { Context } from '#platform/context.ts'
import { statement } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney, type Currency, unitOf } from '#platform/money.ts'
import type { Wallet } from '#rails/rail.ts'
import { provedDay, type OpenCheck } from './check.ts'
import { type BreakFact, findOpenOfKind, type RailBreak } from './mismatches.ts'
import type { FloatProof } from './prove.ts'

export type WalletName = FloatName & { currency: Currency; country: string }

/** Adds to the book of a wallet, or takes from it. The audit log keeps why. */
export async function adjustWallet(
  ctx: Context,
  { environment, rail, currency, country }: WalletName,
  { amount, note }: { amount: bigint; note: string },
): Promise<void> {
  const nowMs = ctx.clock.now()
  const subject = newUuid(nowMs)
  const cause = { environment, rail, currency, country, subject, reference: subject, lane: 0, at: new Date(nowMs) }
  await ctx.db.transaction(async (tx) => {
    bookFloat(tx, amount < 0n ? 'withdrawal' : 'top_up', cause, toMoney(amount < 0n ? -amount : amount))
    recordEntry(tx, nowMs, {
      by: ctx.by,
      act: 'rail.book-adjusted',
      subject: rail,
      details: { environment, currency, country, amount: String(amount), note },
    })
  })
}

/** `difference`: what the provider holds more than our book says, and than payouts that are under way explain. */
export type WalletProof = { book: bigint; underWay: bigint; difference: bigint }

/** The proof of each wallet; undefined for one without a book. */
export async function proveWallets(
  { db }: Pick<Context, 'db'>,
  name: FloatName,
  { wallets, lanes }: { wallets: Wallet[]; lanes: number[] },
): Promise<(WalletProof | undefined)[]> {
  const found = await readFloat(db, name)
  const open = await sumUnderWay(db, lanes, name.rail)
  return wallets.map((wallet) => {
    const book = heldByBook(found, wallet)
    if (book === undefined) return undefined
    // The provider takes the amount of a payout from the wallet when it accepts it, and our book when it has succeeded.
    const underWay = sumOf(open, wallet, 'leaving')
    return { book, underWay, difference: wallet.amount - (book - underWay) }
  })
}

function sumOf<Key extends string>(
  sums: ({ currency: string; country?: string | null | undefined } & Record<Key, bigint>)[],
  { currency, country }: Pick<Wallet, 'currency' | 'country'>,
  key: Key,
): bigint {
  return sums
    .filter((one) => one.currency === currency && (country === undefined || one.country === country))
    .reduce((sum, one) => sum + one[key], 0n)
}

// Uses the index float_movement_at, over the last hour.
const freshQuery = statement(
  'reconcile.fresh_volume',
  `select currency, country, sum(amount)::bigint as volume from float_movement
    where environment = $1 and rail = $2 and at >= $3 and kind in ('payout', 'deposit') group by currency, country`,
)

/** A statement may be an hour behind the wallet (documentation, "Statements"), and so may the fees that we booked from it. */
const listedLateMs = hourMs
/** No provider takes more than this part of a payment. */
const feePart = 20n

/**
 * Compares the wallets that a provider holds for each country with their books. An operator has one mismatch for a wallet until
 * it is closed, not one for each night.
 */
export async function walletProof(
  ctx: Context,
  check: OpenCheck,
  { wallets, lanes }: { wallets: Wallet[]; lanes: number[] },
): Promise<FloatProof> {
  const { environment, rail, toAt } = check
  const book = await readFloat(ctx.db, { environment, rail })
  const open = await sumUnderWay(ctx.db, lanes, rail)
  const since = new Date(ctx.clock.now() - listedLateMs)
  const fresh = await ctx.db.query<FreshVolume>(freshQuery, [environment, rail, since])
  const reported = await findOpenOfKind(ctx.db, check, 'float', reportedMax)
  const facts: BreakFact[] = []
  const differing = walletsOf(book, wallets).flatMap((wallet) => {
    const difference = differenceOf(wallet, { book, open, fresh, wallets })
    const name = ` ${wallet.country} ${wallet.currency}`
    if (difference === undefined) return []
    if (reported.some(({ subject }) => subject.endsWith(name))) return [name]
    const subject = provedDay(check).name + name
    const { currency } = wallet
    facts.push({ kind: 'float', subject, reference: subject, ...difference, currency, aboutAt: toAt })
    return [name]
  })
  const isGone = ({ subject }: RailBreak): boolean =>
    walletSubject.test(subject) && !differing.some((name) => subject.endsWith(name))
  return { kind: 'float', facts, isGone }
}

/** A wallet with fractions may have had one when its book was opened, in whole units, and both are rounded. */
const roundingMost = 1n

type WalletFigures = { book: FloatBalance[]; open: WalletBacklog[]; fresh: FreshVolume[]; wallets: Wallet[] }

/** What is under way has left or reached its wallet already, or not yet, so a difference that it can explain is none. */
function differenceOf(
  wallet: CountryWallet,
  { book, open, fresh, wallets }: WalletFigures,
): Pick<BreakFact, 'amount' | 'fact'> | undefined {
  const booked = heldByBook(book, wallet)
  if (booked === undefined) return undefined
  const { currency, country } = wallet
  const held = wallets.find((one) => one.currency === currency && one.country === country)?.amount ?? 0n
  const least = booked - sumOf(open, wallet, 'leaving') - sumOf(fresh, wallet, 'volume') / feePart
  const most = booked + sumOf(open, wallet, 'arriving')
  const amount = held < least ? least - held : held > most ? most - held : 0n
  const tolerated = hasFraction(book, wallet) ? roundingMost : 0n
  if (amount <= tolerated && amount >= -tolerated) return undefined
  const fact = `our book of the wallet ${country} has ${booked} ${unitOf(currency)} and the provider ${held}; nothing that is under way explains ${amount}`
  return { amount, fact }
}

type FreshVolume = { currency: Currency; country: string | null; volume: bigint }

const reportedMax = 500
const walletSubject = / [A-Z]{2} [A-Z]{3}$/

type CountryWallet = { currency: Currency; country: string }

/** Those of the book and those of the provider, each once. */
function walletsOf(book: FloatBalance[], held: Wallet[]): CountryWallet[] {
  const all = new Map<string, CountryWallet>()
  for (const { currency, country } of [...book, ...held])
    if (country !== null && country !== undefined) all.set(`${country} ${currency}`, { currency, country })
  return [...all.values()]
}
