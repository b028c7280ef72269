// The API on one screen.

import type { BalanceReader } from '#ledger/balance.ts'
import type { Endpoint } from './endpoint.ts'
import { balanceGet } from './v1/balance-get.ts'

/** What the endpoints stand on: the rooms, made by the App. */
export type Rooms = {
  balances: BalanceReader
}

export function createEndpoints(rooms: Rooms): Endpoint[] {
  return [balanceGet(rooms.balances)]
}
