// Takes in notices of a made-up provider that has no adapter, and so no endpoint for notices. It hands them to a
// deposits service that is made of an instance's own parts.

import { createLanes } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import { createOwners } from '#virtual-accounts/account-owners.ts'
import { depositFees } from '#deposits/deposit.ts'
import { createDeposits } from '#deposits/service.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { createRailRegistry } from '#rails/registry.ts'
import type { Instance } from './instance.ts'

export type Notice = {
  provider: string
  providerId: string
  accountNumber: string
  amount: number
  status: 'PENDING' | 'SUCCESSFUL' | 'FAILED'
  paidAtMs: number
}

export type NoticeDoor = { tell(notice: Notice): Promise<'taken' | 'kept' | 'contradicted' | 'unclear'> }

/** The provider of money for accounts without an owner. */
export const strangeProvider = 'bank'

export function createNoticeDoor({ app: { ctx }, pulse }: Instance): NoticeDoor {
  const lanes = createLanes(ctx)
  const events = createEventOutbox(ctx.clock)
  const rails = createRailRegistry({ clock: ctx.clock, settleMs: 0 })
  const deposits = createDeposits({
    ctx,
    rails,
    laneOf: lanes.of,
    owners: createOwners(ctx),
    events,
    fees: depositFees,
  })
  return {
    async tell({ provider, providerId, accountNumber, amount, status, paidAtMs }) {
      const told = deposits.receive('staging', {
        provider,
        providerId,
        account: { number: accountNumber },
        amount: toMoney(amount),
        currency: 'NGN',
        status,
        senderAccountName: 'ADA OBI',
        senderAccountNumber: '0123456789',
        senderBankName: 'Bank',
        narration: providerId,
        occurredAtMs: paidAtMs,
      })
      const outcome = await pulse
        .run(() => told)
        .then(
          ({ kind }) => kind,
          () => 'unclear' as const,
        )
      return outcome === 'recorded' || outcome === 'settled' || outcome === 'unchanged' ? 'taken' : wordOf(outcome)
    },
  }
}

function wordOf(outcome: string): 'kept' | 'contradicted' | 'unclear' {
  if (outcome === 'taken') return 'contradicted'
  return outcome === 'kept' || outcome === 'contradicted' ? outcome : 'unclear'
}
