// The wallets that pawaPay holds for us in a world, one for each country. Payments, fees, top-ups and withdrawals change their
// balance. Each fee, top-up and withdrawal is in the statement at once; pawapay.ts adds the payments.

import { toMoney, type Currency } from '#platform/money.ts'
import { countryOf } from '#rails/pawapay/account.ts'
import { amountIn, amountText } from '#rails/pawapay/answers.ts'
import type { WorldTime } from '#simulate/clocks.ts'
import { fakeOperators } from '#tests/support/fakes/pawapay-words.ts'
import type { FakePawapay, FakePayment } from '#tests/support/fakes/pawapay.ts'
import type { Place } from './pawapay.ts'

/** `code`: the country as pawaPay writes it. */
export type CountryWallet = { code: string; country: string; currency: Currency }

export type CountryWallets = {
  all: readonly CountryWallet[]
  held(wallet: CountryWallet): bigint
  /** A person adds money to a wallet, or takes it out. */
  move(wallet: CountryWallet, amount: bigint): void
  /** Charges the fees of payments that have completed since the last call. */
  takeFees(): void
}

/** More than all payouts of a world together, in the minor unit. */
export const heldAtFirst = 1_000_000_000_000n

export const codeOf = (provider: string): string => fakeOperators[provider]?.country ?? ''

export function createWallets(fake: FakePawapay, time: WorldTime, places: readonly Place[]): CountryWallets {
  const all = [...new Map(places.map(({ provider, currency }) => [codeOf(provider), currency]))].map(
    ([code, currency]) => ({ code, country: countryOf(code), currency }),
  )
  const changes = new Map<string, bigint>()
  const charged = new Set<string>()

  function change({ code, currency }: CountryWallet, amount: bigint, row: { type: string; id: string }): void {
    changes.set(code, (changes.get(code) ?? 0n) + amount)
    const text = amountText(toMoney(amount < 0n ? -amount : amount), currency)
    fake.statements.rows.push({ ...row, country: code, currency, amount: text, atMs: time.now() })
  }

  /** pawaPay debits the wallet when it accepts a payout, and credits the amount back if the payout fails. */
  function movedBy(payment: FakePayment): bigint {
    const state = fake.stateOf(payment.id)
    if (payment.kind === 'deposit') return state === 'COMPLETED' ? amountOf(payment) : 0n
    return state === 'FAILED' ? 0n : -amountOf(payment)
  }

  const paymentsOf = ({ code }: CountryWallet): FakePayment[] =>
    fake.payments().filter(({ provider }) => codeOf(provider) === code)

  const held = (wallet: CountryWallet): bigint =>
    paymentsOf(wallet).reduce((sum, payment) => sum + movedBy(payment), heldAtFirst + (changes.get(wallet.code) ?? 0n))

  const shown = all.map((wallet) => ({
    country: wallet.code,
    currency: wallet.currency,
    provider: '',
    get balance() {
      return amountText(toMoney(held(wallet)), wallet.currency)
    },
  }))
  fake.balances.splice(0, fake.balances.length, ...shown)

  return {
    all,
    held,
    move: (wallet, amount) =>
      change(wallet, amount, { type: amount < 0n ? 'WITHDRAWAL' : 'WALLET_TOP_UP', id: `MOVED-${time.now()}` }),
    takeFees() {
      for (const wallet of all)
        for (const payment of paymentsOf(wallet)) {
          const { id, kind } = payment
          if (charged.has(id) || fake.stateOf(id) !== 'COMPLETED') continue
          charged.add(id)
          change(wallet, -(amountOf(payment) / 100n), { type: `${kind.toUpperCase()}_FEE`, id })
        }
    },
  }
}

export function amountOf({ amount, currency }: FakePayment): bigint {
  const found = amountIn(amount, currency as Currency)
  if (found === undefined) throw new Error(`pawaPay took ${amount} ${currency}`)
  return found
}
