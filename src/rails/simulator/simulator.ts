// The rail of staging: every port, no money. It stores nothing: an outcome follows from the order, its submission
// time and the clock, so a service that is killed at any moment finds the same outcome after its restart.

import type { Clock } from '#platform/clock.ts'
import { toMoney } from '#platform/money.ts'
import type { Rail } from '#rails/rail.ts'
import { simulatePayout, simulateRefunds } from './payouts.ts'
import { simulateInbound, type SimulatedInbound, simulatedVirtualAccounts } from './accounts.ts'
import { simulatedBankDirectory, simulatedMomoDirectory } from './directory.ts'
import { simulateMomoCollection, simulateMomoPayout } from './mobile-money.ts'

/** ₦1,000,000,000.00 */
const simulatedFloat = toMoney(100_000_000_000)

export type Simulator = Required<Omit<Rail, 'inbound' | 'label' | 'statement' | 'account' | 'readOffers'>> & {
  inbound: SimulatedInbound
}

/** `settleMs`: how long a payment takes to get its outcome. */
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
    float: {
      balance: () => Promise.resolve({ kind: 'known', wallets: [{ currency: 'NGN', amount: simulatedFloat }] }),
    },
  }
}
