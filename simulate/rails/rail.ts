// The rail of one instance. Payouts and collections go to a bank of this world, virtual accounts to its account provider; the
// simulator does everything else.

import type { Rail } from '#rails/rail.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import type { Clock } from '#platform/clock.ts'
import type { Pulse } from '#simulate/timers.ts'
import { createVirtualAccounts, type AccountProvider } from './accounts.ts'
import { createCollections } from './collections.ts'
import type { FarSide, Fates } from './far-side.ts'
import type { CodeFate, Fate } from './fate.ts'
import { createPayouts } from './payouts.ts'

export type RailOptions = {
  side: FarSide
  provider: AccountProvider
  fates: Fates
  pulse: Pulse
  clock: Clock
  isQuiet: () => boolean
}

/**
 * The fate of a payee without a planned one. Such a payee means that the service paid what no caller asked for, which
 * checks/payments.ts reports.
 */
const plain = { submissions: [], knowsAfterMs: 0, silences: 0, hangs: false }
const plainFate: Fate = { ...plain, ends: 'succeeds' }
const plainCodeFate: CodeFate = { ...plain, ends: 'agrees', codesLost: 0 }

export function createRail({ side, provider, fates, pulse, clock, isQuiet }: RailOptions): Rail {
  const way = { side, pulse, isQuiet }
  const { inbound: _, virtualAccounts: numbering, ...simulator } = createSimulator({ clock, settleMs: 0 })
  return {
    ...simulator,
    name: side.name,
    virtualAccounts: createVirtualAccounts({ numbering, provider, pulse, isQuiet }),
    ...createPayouts(way, (payee) => fates.payouts.get(payee) ?? plainFate),
    momoCollection: createCollections(way, (phone) => fates.collections.get(phone) ?? plainCodeFate),
  }
}
