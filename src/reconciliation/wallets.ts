// The float books of a provider that has a wallet for each country: compares each with the provider's balance, and lets
// our staff open and correct a book, because no such provider lists what a wallet held before reconciliation began.

import { recordEntry } from '#audit/record.ts'
import { bookFloat, hasFraction, heldByBook, readFloat, type FloatBalance, type FloatName } from '#ledger/float.ts'
import { sumUnderWay, type WalletBacklog } from '#payments/rail-notice.ts'
import type { Context } from '#platform/context.ts'
import { statement } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney, type Currency, unitOf } from '#platform/money.ts'
import type { Wallet } from '#rails/rail.ts'
import { provedDay, type OpenCheck } from './schedule.ts'
import { type BreakFact, findOpenOfKind, type RailBreak } from './mismatches.ts'
import type { FloatProof } from './day-proof.ts'

export type WalletName = FloatName & { currency: Currency; country: string }

/** Adds to the book of a wallet or deducts from it, and writes the note to the audit log. */
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

/** `difference`: the provider's balance minus the book from which the payouts under way are already deducted. */
export type WalletComparison = { book: bigint; underWay: bigint; difference: bigint }

/** Compares each wallet with its book; undefined for one without a book. */
export async function compareWallets(
  { db }: Pick<Context, 'db'>,
  name: FloatName,
  { wallets, lanes }: { wallets: Wallet[]; lanes: number[] },
): Promise<(WalletComparison | undefined)[]> {
  const found = await readFloat(db, name)
  const open = await sumUnderWay(db, lanes, name.rail)
  return wallets.map((wallet) => {
    const book = heldByBook(found, wallet)
    if (book === undefined) return undefined
    // The provider deducts a payout from the wallet when it accepts the payout; our book, when the payout succeeded.
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

/** pawaPay's statements may be an hour behind the wallet (its documentation, "Statements"), and so may our bookings of fees. */
const listedLateMs = hourMs
/** No provider's fee exceeds a twentieth of the payment. */
const feePart = 20n

/**
 * Compares the wallets that a provider holds for each country with their books. A wallet that differs gets no second
 * mismatch while one is open, however many nights pass.
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

/** Tolerated if the provider counts fractions, because the opening, our book and the provider's balance are rounded. */
const roundingMost = 1n

type WalletFigures = { book: FloatBalance[]; open: WalletBacklog[]; fresh: FreshVolume[]; wallets: Wallet[] }

/** Payments under way may or may not have changed the wallet yet. A balance between both cases is no difference. */
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

function walletsOf(book: FloatBalance[], held: Wallet[]): CountryWallet[] {
  const all = new Map<string, CountryWallet>()
  for (const { currency, country } of [...book, ...held])
    if (country !== null && country !== undefined) all.set(`${country} ${currency}`, { currency, country })
  return [...all.values()]
}
