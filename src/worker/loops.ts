// The table of loops: what this service does without being asked.

import type { Log } from '#base/log.ts'
import type { Accounts } from '#customers/accounts.ts'
import type { Payments } from '#payments/payments.ts'
import { createLoop, type Loop } from './loop.ts'

/** How often each looks for what another process left behind. */
const everyMs = 1_000

export type WorkRooms = { payments: Payments; accounts: Accounts }

export function createLoops(rooms: WorkRooms, lanes: number[], log: Log): Loop[] {
  return lanes.flatMap((lane) => [
    createLoop({ name: `payments ${lane}`, everyMs, log, turn: () => rooms.payments.work(lane) }),
    createLoop({ name: `virtual accounts ${lane}`, everyMs, log, turn: () => rooms.accounts.work(lane) }),
  ])
}
