// A change of the balance at a provider: what it means for the float book. Payouts and their returns are booked by the
// transaction that settles them, so their lines book nothing here.

import type { FloatKind } from '#ledger/float.ts'
import type { KeptLine } from './sql-lines.ts'
import type { Verdict } from './verdict.ts'

type Change = Pick<KeptLine, 'lineId' | 'amount' | 'at' | 'cause' | 'direction'>

export function judgeLedgerLine(line: Change, beganAt: Date): Verdict {
  const { lineId, amount, at } = line
  const kind = kindOf(line)
  // What came before is in the opening balance.
  const isBooked = kind !== undefined && at.getTime() >= beganAt.getTime()
  return {
    facts: [],
    settled: { kinds: [], subject: lineId },
    bookings: isBooked ? [{ kind, subject: lineId, reference: lineId, lane: 0, amount }] : [],
    againMs: null,
  }
}

function kindOf({ cause, direction }: Change): FloatKind | undefined {
  switch (cause) {
    case 'payout':
      return undefined
    case 'deposit':
    case 'settlement':
      return direction === 'in' ? 'settlement' : 'withdrawal'
    case 'refund':
      return direction === 'out' ? 'refund' : 'top_up'
    case 'other':
      return direction === 'in' ? 'top_up' : 'withdrawal'
  }
}
