// Virtual accounts of one instance, at the one provider that all instances use. The provider gives each order one number,
// however often an instance asks, and records which numbers are open: checks/accounts.ts needs that, because money for an
// open number without an owner is lost. Requests and answers may be lost on the way.

import type { NewAccount, VirtualAccounts } from '#rails/ports.ts'
import type { Chance } from '#simulate/seed.ts'
import type { Pulse } from '#simulate/timers.ts'
import { neverResolve } from './submission.ts'

export type AccountProvider = {
  /** Maps each account number to whether it is open. */
  numbers: Map<string, boolean>
  chance: Chance
}

export type AccountsOptions = {
  numbering: VirtualAccounts
  provider: AccountProvider
  pulse: Pulse
  isQuiet: () => boolean
}

const lost = { kind: 'unavailable', detail: 'no answer in time' } as const

export function createVirtualAccounts({ numbering, provider, pulse, isQuiet }: AccountsOptions): VirtualAccounts {
  const { numbers, chance } = provider
  const isLost = (): boolean => !isQuiet() && chance.happens(0.15)

  async function over<Answer>(act: () => Promise<Answer>): Promise<Answer | typeof lost> {
    if (pulse.state() === 'dead') return neverResolve()
    await pulse.awake()
    if (isLost()) return lost
    const answer = await act()
    await pulse.awake()
    return isLost() ? lost : answer
  }

  const open = (create: () => Promise<NewAccount>): Promise<NewAccount> =>
    over(async () => {
      const answer = await create()
      // A repeated request returns the same account, and a closed account stays closed.
      if (answer.kind === 'created' && !numbers.has(answer.accountNumber)) numbers.set(answer.accountNumber, true)
      return answer
    })

  return {
    defaultBankSlug: numbering.defaultBankSlug,
    createStatic: (order) => open(() => numbering.createStatic(order)),
    createDynamic: (order) => open(() => numbering.createDynamic(order)),
    close: (account) =>
      over(() => {
        numbers.set(account.accountNumber, false)
        return numbering.close(account)
      }),
  }
}
