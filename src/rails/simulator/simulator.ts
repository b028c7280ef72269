// The rail of staging: every port, no money. It remembers nothing: an outcome follows from the order, the time of its
// submission and the clock, so a service that is killed at any moment finds after its restart what it would have
// found without it.

import type { Clock } from '#platform/clock.ts'
import { toKobo } from '#platform/money.ts'
import type { Rail } from '#rails/rail.ts'
import { simulatePayout, simulateRefunds } from './payouts.ts'
import { simulateInbound, type SimulatedInbound, simulatedVirtualAccounts } from './accounts.ts'
import { simulatedBankDirectory, simulatedMomoDirectory } from './directory.ts'
import { simulateMomoCollection, simulateMomoPayout } from './mobile-money.ts'

/** ₦1,000,000,000.00 */
const simulatedFloat = toKobo(100_000_000_000)

export type Simulator = Required<Omit<Rail, 'inbound' | 'label' | 'statement'>> & { inbound: SimulatedInbound }

/** `settleMs`: after how long a payment has its outcome. */
export function createSimulator({ clock, settleMs }: { clock: Clock; settleMs: number }): Simulator {
  return {
    name: 'simulator',
    bankDirectory: simulatedBankDirectory,
    payout: simulatePayout(clock, settleMs),
    momoDirectory: simulatedMomoDirectory,
    momoPayout: simulateMomoPayout(clock, settleMs),
    momoCollection: simulateMomoCollection(clock, settleMs),
    virtualAccounts: simulatedVirtualAccounts,
    inbound: simulateInbound(),
    refunds: simulateRefunds(clock, settleMs),
    float: { balance: () => Promise.resolve({ kind: 'known', amount: simulatedFloat }) },
  }
}
