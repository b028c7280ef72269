// Notices of a made-up provider. It has no adapter, and so no address for notices, so a notice goes straight to a deposits
// module that runs on the database connection of one instance.

import { createLanes } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import { createOwners } from '#virtual-accounts/account-owners.ts'
import { depositFees } from '#deposits/fees.ts'
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

/** The provider of money for numbers that belong to no account. */
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
