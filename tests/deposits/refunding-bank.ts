// A bank, as a rail that reports money and sends it back. A test gives its answers.

import type { InboundNotices, Rail } from '#rails/rail.ts'
import type { Refunds } from '#rails/ports.ts'

/** Inbound notices of a provider that reports nothing by itself. */
export function silentInbound(provider: string): InboundNotices {
  return {
    provider,
    tellsOfPayments: false,
    verify: () => 'forged',
    read: () => Promise.resolve({ kind: 'unreadable' }),
  }
}

export function refundingBank(answers: Pick<Refunds, 'refund' | 'status'>): Rail {
  return { name: 'the bank', inbound: silentInbound('bank'), refunds: { refundLeaseMs: 1_000, ...answers } }
}
