// The kinds of ledger entries, in words.

const words = new Map([
  ['opening', 'Opening balance'],
  ['funding', 'Funded by the simulator'],
  ['hold', 'Payment and fee reserved'],
  ['release', 'Released: the payment failed'],
  ['reversal', 'Returned by the bank'],
  ['fee_refund', 'Fee of a returned payment'],
  ['deposit', 'Deposit'],
  ['deposit_fee', 'Fee of a deposit'],
  ['adjustment', 'Adjustment'],
])

/** A kind of a later version is said as the server calls it. */
export function sayWhat(kind: string): string {
  return words.get(kind) ?? kind
}
