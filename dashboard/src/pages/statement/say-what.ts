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

/** A kind from a later version is shown under its name in the API. */
export function sayWhat(kind: string): string {
  return words.get(kind) ?? kind
}
