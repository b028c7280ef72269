// The API on one screen.

import type { Context } from '#base/context.ts'
import type { Lanes } from '#base/lane.ts'
import type { Resolver } from '#directory/resolve.ts'
import type { BalanceReader } from '#ledger/balance.ts'
import { fundOperation } from '#ledger/fund.ts'
import type { Payments } from '#payments/payments.ts'
import type { Endpoint } from './endpoint.ts'
import { balanceGet } from './v1/balance-get.ts'
import { balanceLedger } from './v1/balance-ledger.ts'
import { bankResolve } from './v1/bank-resolve.ts'
import { banksList } from './v1/banks-list.ts'
import { feesGet } from './v1/fees-get.ts'
import { sandboxBalanceFund } from './v1/sandbox-balance-fund.ts'
import { sandboxTransferComplete } from './v1/sandbox-transfer-complete.ts'
import { transferGet } from './v1/transfer-get.ts'
import { transfersInitiate } from './v1/transfers-initiate.ts'
import { transfersList } from './v1/transfers-list.ts'

/** What the endpoints stand on: the rooms, made by the App. */
export type Rooms = {
  ctx: Context
  lanes: Lanes
  balances: BalanceReader
  resolver: Resolver
  payments: Payments
}

export function createEndpoints({ ctx, lanes, balances, resolver, payments }: Rooms): Endpoint[] {
  return [
    transfersInitiate(payments),
    transfersList(payments),
    transferGet(payments),
    banksList(),
    bankResolve(resolver),
    balanceGet(balances),
    balanceLedger(ctx),
    feesGet(payments),
    sandboxTransferComplete(payments),
    sandboxBalanceFund(lanes, fundOperation(ctx)),
  ]
}
