// The float books of wallets at a provider with a wallet for each country: how far each is from what the provider holds, and
// how an operator opens and corrects it. No such provider lists what a wallet held before we looked.

import { recordEntry } from '#audit/record.ts'
import { bookFloat, heldByBook, readFloat, type FloatName } from '#ledger/float.ts'
import { sumUnderWay } from '#payments/rail-notice.ts'
import type { Context } from '#platform/context.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney, type Currency } from '#platform/money.ts'
import type { Wallet } from '#rails/rail.ts'

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
    const { currency, country } = wallet
    // The provider takes the amount of a payout from the wallet when it accepts it, and our book when it has succeeded.
    const underWay = open
      .filter((one) => one.currency === currency && (country === undefined || one.country === country))
      .reduce((sum, { amount }) => sum + amount, 0n)
    return { book, underWay, difference: wallet.amount - (book - underWay) }
  })
}
