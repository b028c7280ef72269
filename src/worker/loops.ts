// The table of loops: what this service does without being asked.

import type { Log } from '#base/log.ts'
import type { Accounts } from '#customers/accounts.ts'
import type { Payments } from '#payments/payments.ts'
import type { Sending } from '#sending/sending.ts'
import { createLoop, type Loop } from './loop.ts'

/** How often each looks for what is due by now, and for what another process left behind. */
const everyMs = 1_000

export type WorkRooms = { payments: Payments; accounts: Accounts; sending: Sending }

export function createLoops({ payments, accounts, sending }: WorkRooms, lanes: number[], log: Log): Loop[] {
  const senders = lanes.map((lane) =>
    createLoop({
      name: `webhooks ${lane}`,
      everyMs,
      log,
      turn: async () => ((await sending.work(lane)).more ? 1 : 0),
    }),
  )
  sending.onWake(() => senders.forEach((loop) => loop.wake()))
  const others = lanes.flatMap((lane) => [
    createLoop({ name: `payments ${lane}`, everyMs, log, turn: () => payments.work(lane) }),
    createLoop({ name: `virtual accounts ${lane}`, everyMs, log, turn: () => accounts.work(lane) }),
    // Beside their expiry, so that a rail that is silent does not hold it up.
    createLoop({ name: `account openings ${lane}`, everyMs, log, turn: () => accounts.giveBack(lane) }),
    createLoop({ name: `webhook log ${lane}`, everyMs, log, turn: () => sending.prune(lane) }),
  ])
  return [...senders, ...others]
}
