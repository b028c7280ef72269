// The kinds of ledger entries, in words.

const words = new Map([
  ['opening', 'Opening balance'],
  ['funding', 'Funded by the simulator'],
  ['hold', 'Set aside for a payment'],
  ['release', 'Given back: the payment failed'],
  ['reversal', 'Returned by the bank'],
  ['fee_refund', 'Fee of what was returned'],
  ['deposit', 'Deposit'],
  ['deposit_fee', 'Fee of a deposit'],
  ['adjustment', 'Adjustment'],
])

/** A kind of a later version is said as the server calls it. */
export function sayWhat(kind: string): string {
  return words.get(kind) ?? kind
}
