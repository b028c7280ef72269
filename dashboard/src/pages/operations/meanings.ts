// The meaning of each kind of review item, in plain words, and the possible actions. docs/runbooks/incidents.md and
// docs/rails/breaks.md explain more.

export type Action = 'close' | 'settle' | 'return' | 'adjust' | 'adopt' | 'resolve-refund'

type Meaning = { title: string; means: string; actions: readonly Action[] }

/** Keys are kinds of review items and of mismatches; no kind is in both. */
export const meanings: Readonly<Record<string, Meaning>> = {
  'notice-unowned': {
    title: 'Deposit for an unknown account',
    means: 'Money came for an account number without an owner. It is credited to no business yet.',
    actions: ['adopt', 'close'],
  },
  'notice-contradicted': {
    title: 'Deposit reported differently',
    means: 'A provider reports another amount, account or outcome for a deposit than before. The first report counts.',
    actions: ['adjust', 'close'],
  },
  'notice-stuck': {
    title: 'Unconfirmed provider notification',
    means:
      'A provider sent a notification that it does not confirm when asked, or that cannot be read. No money moved.',
    actions: ['close'],
  },
  'deposit-without-room': {
    title: 'Deposit too large for the balance',
    means: 'The balance of the business cannot hold this deposit. Let the business pay out, then credit it.',
    actions: ['adopt', 'close'],
  },
  'deposit-unsettled': {
    title: 'Deposit pending for a day',
    means: 'A provider has reported this deposit as pending for a day. Ask the provider.',
    actions: ['close'],
  },
  'refund-refused': {
    title: 'Refund refused',
    means: 'The provider does not send back a deposit that could not be accepted. Its payer waits for the money.',
    actions: ['resolve-refund', 'close'],
  },
  'refund-unsettled': {
    title: 'Refund pending for ten days',
    means: 'The provider has not sent back a deposit that could not be accepted. It is asked every six hours.',
    actions: ['resolve-refund', 'close'],
  },
  'payment-stuck': {
    title: 'Payment without an outcome for a day',
    means: 'The money is reserved. Ask the provider what became of the payment; do not send it again.',
    actions: ['settle', 'close'],
  },
  'payment-without-rail': {
    title: 'Payment without a provider',
    means: 'The provider of this payment is not configured, or does not take it. The payment waits.',
    actions: ['settle', 'close'],
  },
  'payment-contradicted': {
    title: 'Payment reported differently',
    means: 'A provider reports the opposite of how this payment ended here. No money moved because of it.',
    actions: ['return', 'adjust', 'close'],
  },
  'return-without-room': {
    title: 'Money too large for the balance',
    means:
      'A payout was returned or an expired collection was paid, and the balance of the business cannot hold the money. It is tried again every hour.',
    actions: ['close'],
  },
  'missing-here': {
    title: 'Deposit that cannot be read',
    means: 'The provider lists a deposit for an account of ours, and does not say what is needed to credit it.',
    actions: ['close'],
  },
  'unknown-account': {
    title: 'Listed deposit for an unknown account',
    means: 'The provider lists a deposit for an account number without an owner. Adopt its exception above.',
    actions: ['close'],
  },
  'missing-there': {
    title: 'Payout that the provider does not list',
    means: 'The business was told that this payout succeeded, and after a day the provider does not list it.',
    actions: ['return', 'close'],
  },
  'unknown-payout': {
    title: 'Payout that was not ordered here',
    means:
      'The API key may have leaked, another system uses the account, or two providers paid one payout. Payouts of this provider are stopped.',
    actions: ['close', 'adjust'],
  },
  'unknown-attempt': {
    title: 'Attempted payout that was not ordered here',
    means:
      'The provider lists a payout that this service did not order and that failed or is unclear. Nothing is stopped.',
    actions: ['close'],
  },
  'unknown-change': {
    title: 'Unknown change of the balance',
    means:
      'The statement of the provider has rows of a type that this service does not know, such as a compensation or a refund. They are not booked.',
    actions: ['close'],
  },
  account: {
    title: 'Different account',
    means: 'The provider lists another account of the payee than this payment has here.',
    actions: ['return', 'adjust', 'close'],
  },
  amount: {
    title: 'Different amount',
    means: 'The provider lists another amount or currency than this payment has here.',
    actions: ['adjust', 'close'],
  },
  state: {
    title: 'Different status',
    means: 'The payment is final here, and the provider lists the opposite.',
    actions: ['return', 'adjust', 'close'],
  },
  'late-reversal': {
    title: 'Return that is not confirmed',
    means: 'The provider lists this payout as returned, and still answers that it was paid.',
    actions: ['return', 'close'],
  },
  double: {
    title: 'Payout paid twice',
    means: 'The provider paid one payout twice. Payouts of this provider are stopped.',
    actions: ['adjust', 'close'],
  },
  fee: {
    title: 'Different fee',
    means: 'Payouts of a day cost other than agreed. Compare the fees with your contract.',
    actions: ['close'],
  },
  float: {
    title: 'Provider balance differs',
    means: 'The provider holds another amount than our books say, and payments under way do not explain it.',
    actions: ['close'],
  },
  unsettled: {
    title: 'Deposits that were not settled',
    means: 'The provider has owed deposits for longer than its last two settlements. One may be credited twice here.',
    actions: ['close', 'adjust'],
  },
  stale: {
    title: 'No list from the provider',
    means: 'The provider’s lists could not be fetched for 26 hours. Until they can, nothing is reconciled.',
    actions: ['close'],
  },
}

/** An unknown kind, from a later version, can only be closed. */
export function meaningOf(kind: string): Meaning {
  return meanings[kind] ?? { title: kind.replaceAll('-', ' '), means: '', actions: ['close'] }
}
