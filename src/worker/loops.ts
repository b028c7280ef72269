// The table of loops: what this service does without being asked.

import type { Log } from '#base/log.ts'
import type { Accounts } from '#customers/accounts.ts'
import type { Payments } from '#payments/payments.ts'
import type { Deliveries } from '#webhooks/deliveries.ts'
import { createLoop, type Loop } from './loop.ts'

/** How often each looks for what another process left behind. */
const everyMs = 1_000

export type WorkRooms = { payments: Payments; accounts: Accounts; deliveries: Deliveries }

export function createLoops(rooms: WorkRooms, lanes: number[], log: Log): Loop[] {
  const { deliveries } = rooms
  const sending = lanes.map((lane) =>
    createLoop({
      name: `webhooks ${lane}`,
      everyMs,
      log,
      turn: async () => ((await deliveries.work(lane)).more ? 1 : 0),
    }),
  )
  deliveries.onWake(() => sending.forEach((loop) => loop.wake()))
  const others = lanes.flatMap((lane) => [
    createLoop({ name: `payments ${lane}`, everyMs, log, turn: () => rooms.payments.work(lane) }),
    createLoop({ name: `virtual accounts ${lane}`, everyMs, log, turn: () => rooms.accounts.work(lane) }),
    createLoop({ name: `webhook log ${lane}`, everyMs, log, turn: () => deliveries.prune(lane) }),
  ])
  return [...sending, ...others]
}
