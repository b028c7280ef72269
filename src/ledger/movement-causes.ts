// Movements that are compared with their causes: payments and deposits each have their own kinds of movements. The
// texts are summed as digests (digests.ts); those of a sealed month are summed once, when it is sealed. The texts
// must never change, because a month sealed with one text would not match a verification that uses another.

export type CauseList = 'payments' | 'deposits'

/** The condition that selects the movements, and the text that is compared. */
export const causes: Record<CauseList, { where: string; text: string }> = {
  payments: {
    where: `kind in ('hold', 'payout', 'payout_fee', 'release', 'reversal', 'fee_refund')`,
    text: `concat_ws(' ', source_id, kind, debit, credit, amount, currency, reference)`,
  },
  deposits: {
    where: `kind in ('deposit', 'deposit_fee')`,
    text: `concat_ws(' ', source_id, kind, debit, credit, amount)`,
  },
}
