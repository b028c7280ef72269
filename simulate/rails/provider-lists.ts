// The lists of Paystack and Monnify: transfers, money that came in, refunds, and each change of what they hold for us, with the
// balance after it. A list shows new rows only at the next update, and a return one update after its payment.

import { nairaOf } from '#rails/formats.ts'
import { toMoney } from '#platform/money.ts'
import type { WorldTime } from '#simulate/clocks.ts'
import type { FakeMonnify } from '#tests/support/fakes/monnify.ts'
import type { FakePaystack } from '#tests/support/fakes/paystack.ts'
import type { Ending } from './fate.ts'
import type { ProviderName } from './providers.ts'

/** Money that a payer paid into an account of ours at a provider. */
export type PaidIn = {
  provider: ProviderName
  /** The provider's id, under which the service takes the money once. */
  id: string
  /** The reference under which the service asks the provider about the money. */
  reference: string
  amount: number
  /** Undefined if the provider names no account: the reference belongs to an account for one payment. */
  accountNumber: string | undefined
  paidAtMs: number
}

export type ProviderLists = {
  /** Adds money to the list; it shows after the next update. */
  add(money: PaidIn): void
  bringUpToDate(): void
  /** The amount that each provider holds for us, by its lists. */
  held: Record<ProviderName, bigint>
}

type Word = 'success' | 'failed' | 'pending' | 'reversed'
type Transfer = { provider: ProviderName; reference: string; accountNumber: string; amount: bigint; shownAtMs: number }
type Cause = 'payout' | 'money' | 'refund'

/** Adds rows to the lists of one provider, in its own format. */
type ListWriter = {
  transfer(id: string, transfer: Transfer, word: Word, atMs: number): { isLate: boolean }
  money(money: PaidIn): void
  change(cause: Cause, row: string, amount: bigint, after: bigint): void
}

/** More than all payouts of a world together. In the minor unit. */
const heldAtFirst = 5_000_000_000_000_000n
const payoutFees = { paystack: 1_000n, monnify: 2_000n }
const moneyFee = 2_500
const manyRows = 100

type Parts = {
  paystack: FakePaystack
  monnify: FakeMonnify
  time: WorldTime
  endingOf: (account: string) => Ending
  /** The rows have the names and ends that the provider's website shows, which differ from its API description. */
  areOdd: boolean
}

export function createProviderLists({ paystack, monnify, time, endingOf, areOdd }: Parts): ProviderLists {
  const writers: Record<ProviderName, ListWriter> = {
    paystack: paystackWriter(paystack),
    monnify: monnifyWriter(monnify, time, areOdd),
  }
  const held = { paystack: heldAtFirst, monnify: heldAtFirst }
  const shown = new Map<string, { id: string; word: Word; atMs: number; row: { isLate: boolean } }>()
  const sentBack = new Set<string>()
  let waiting: PaidIn[] = []
  Object.assign(paystack.lists, { pageRows: manyRows, held: heldAtFirst, endsInText: areOdd })
  Object.assign(monnify.lists, { pageRows: manyRows, held: inNaira(heldAtFirst) })

  function change(provider: ProviderName, cause: Cause, row: string, amount: bigint): void {
    held[provider] += amount
    writers[provider].change(cause, row, amount, held[provider])
  }

  function showTransfer(transfer: Transfer): void {
    const { provider, reference, amount } = transfer
    const before = shown.get(reference)
    const word = wordFor(endingOf(transfer.accountNumber), before?.word)
    if (before?.word === word) return
    const id = before?.id ?? idOf(provider, shown.size)
    const atMs = before?.atMs ?? time.now()
    // The list shows the same row in its new state, as a change that comes late.
    if (before !== undefined) before.row.isLate = true
    shown.set(reference, { id, word, atMs, row: writers[provider].transfer(id, transfer, word, atMs) })
    const cost = amount + payoutFees[provider]
    if (before === undefined && word !== 'failed') change(provider, 'payout', id, -cost)
    if (before !== undefined && word === 'failed') change(provider, 'payout', id, cost)
    if (word === 'reversed') change(provider, 'payout', id, amount)
  }

  return {
    held,
    add: (money) => void waiting.push(money),
    bringUpToDate() {
      for (const transfer of transfersOf(paystack, monnify))
        if (transfer.shownAtMs <= time.now()) showTransfer(transfer)
      for (const money of waiting) {
        writers[money.provider].money(money)
        change(money.provider, 'money', money.id, BigInt(money.amount - moneyFee))
      }
      waiting = []
      for (const { provider, transaction, amount } of refundsOf(paystack, monnify)) {
        if (sentBack.has(transaction)) continue
        sentBack.add(transaction)
        change(provider, 'refund', transaction, -amount)
      }
    },
  }
}

function wordFor(ending: Ending, before: Word | undefined): Word {
  switch (ending) {
    case 'succeeds':
    case 'contradicts':
      return 'success'
    case 'fails':
      return 'failed'
    case 'waits':
      return 'pending'
    case 'returns':
      return before === undefined ? 'success' : 'reversed'
  }
}

function transfersOf(paystack: FakePaystack, monnify: FakeMonnify): Transfer[] {
  return [
    ...paystack
      .transfers()
      .map(({ amount, ...rest }) => ({ ...rest, provider: 'paystack' as const, amount: BigInt(amount) })),
    ...monnify
      .transfers()
      .map(({ naira, ...rest }) => ({ ...rest, provider: 'monnify' as const, amount: koboIn(naira) })),
  ]
}

export type SentBack = { provider: ProviderName; transaction: string; amount: bigint }

export function refundsOf(paystack: FakePaystack, monnify: FakeMonnify): SentBack[] {
  return [
    ...paystack.refunds
      .made()
      .map(({ transaction, amount }) => ({ provider: 'paystack' as const, transaction, amount: BigInt(amount) })),
    ...monnify.refunds
      .made()
      .map(({ transaction, naira }) => ({ provider: 'monnify' as const, transaction, amount: koboIn(naira) })),
  ]
}

const koboIn = (naira: string): bigint => BigInt(naira.replace('.', ''))

const idOf = (provider: ProviderName, number: number): string =>
  provider === 'paystack' ? String(700_000 + number) : `MFDS${700_000 + number}`

function paystackWriter({ lists }: FakePaystack): ListWriter {
  const models: Record<Cause, string> = { payout: 'Transfer', money: 'Transaction', refund: 'Refund' }
  return {
    transfer: (id, { reference, amount }, status, atMs) =>
      lists.transfer({ id, reference, amount: Number(amount), status, fee: Number(payoutFees.paystack), atMs }),
    money({ id, reference, amount, accountNumber, paidAtMs: atMs }) {
      const into = accountNumber === undefined ? { channel: 'bank_transfer' } : { accountNumber }
      lists.transaction({ id, reference, amount, fees: moneyFee, atMs, ...into })
    },
    change(cause, row, difference, balance) {
      lists.ledger({ model: models[cause], row, difference, balance })
      lists.held = balance
    },
  }
}

const monnifyWords: Record<Word, string> = {
  success: 'SUCCESS',
  failed: 'FAILED',
  pending: 'PENDING',
  reversed: 'REVERSED',
}

function monnifyWriter({ lists }: FakeMonnify, time: WorldTime, isOdd: boolean): ListWriter {
  return {
    transfer: (id, { reference, amount }, word, atMs) =>
      lists.disbursement({
        id,
        reference,
        naira: inNaira(amount),
        status: monnifyWords[word],
        fee: inNaira(payoutFees.monnify),
        atMs,
      }),
    money: ({ reference, amount, accountNumber, paidAtMs: atMs }) =>
      void lists.receipt({
        reference,
        naira: inNaira(BigInt(amount)),
        settled: inNaira(BigInt(amount - moneyFee)),
        ...(accountNumber === undefined ? {} : { accountNumber }),
        atMs,
      }),
    change(kind, row, amount, after) {
      const side = amount > 0n ? 'CREDIT' : 'DEBIT'
      const cause = isOdd && kind === 'payout' ? `AT5_${row}_1_${side}_0` : row
      // Some of Monnify's date formats have no fractions of a second.
      const atMs = Math.floor(time.now() / 1_000) * 1_000
      const naira = inNaira(amount < 0n ? -amount : amount)
      lists.wallet({ naira, after: inNaira(after), isCredit: amount > 0n, cause, atMs })
      lists.held = inNaira(after)
    },
  }
}

function inNaira(amount: bigint): string {
  return amount < 0n ? `-${nairaOf(toMoney(-amount))}` : nairaOf(toMoney(amount))
}
