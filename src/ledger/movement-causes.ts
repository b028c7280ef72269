// Movements held against what caused them: payments and deposits each have some kinds of movements to themselves. The
// texts are summed up as digests (digests.ts), those of a sealed month once, when it is sealed. They never change: a month
// that was sealed with one text would not agree with a proof that uses another.

export type Cause = 'payments' | 'deposits'

/** Which movements, and what is compared of each. */
export const causes: Record<Cause, { where: string; text: string }> = {
  payments: {
    where: `kind in ('hold', 'payout', 'payout_fee', 'release', 'reversal', 'fee_refund')`,
    text: `concat_ws(' ', source_id, kind, debit, credit, amount, currency, reference)`,
  },
  deposits: {
    where: `kind in ('deposit', 'deposit_fee')`,
    text: `concat_ws(' ', source_id, kind, debit, credit, amount)`,
  },
}
