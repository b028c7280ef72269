// The API on one screen.

import type { Context } from '#base/context.ts'
import type { Lanes } from '#base/lane.ts'
import type { Accounts } from '#customers/accounts.ts'
import type { Customers } from '#customers/customers.ts'
import type { Deposits } from '#deposits/deposits.ts'
import type { Resolver } from '#directory/resolve.ts'
import type { BalanceReader } from '#ledger/balance.ts'
import { fundOperation } from '#ledger/fund.ts'
import type { Payments } from '#payments/payments.ts'
import type { Endpoint } from './endpoint.ts'
import { balanceGet } from './v1/balance-get.ts'
import { balanceLedger } from './v1/balance-ledger.ts'
import { bankResolve } from './v1/bank-resolve.ts'
import { banksList } from './v1/banks-list.ts'
import { customerGet } from './v1/customer-get.ts'
import { customerUpdate } from './v1/customer-update.ts'
import { customersCreate } from './v1/customers-create.ts'
import { customersList } from './v1/customers-list.ts'
import { depositGet } from './v1/deposit-get.ts'
import { depositValidate } from './v1/deposit-validate.ts'
import { depositsList } from './v1/deposits-list.ts'
import { feesGet } from './v1/fees-get.ts'
import { sandboxBalanceFund } from './v1/sandbox-balance-fund.ts'
import { sandboxDepositSettle } from './v1/sandbox-deposit-settle.ts'
import { sandboxDeposits } from './v1/sandbox-deposits.ts'
import { sandboxTransferComplete } from './v1/sandbox-transfer-complete.ts'
import { transferGet } from './v1/transfer-get.ts'
import { transfersInitiate } from './v1/transfers-initiate.ts'
import { transfersList } from './v1/transfers-list.ts'
import { virtualAccountClose } from './v1/virtual-account-close.ts'
import { virtualAccountGet } from './v1/virtual-account-get.ts'
import { virtualAccountsDynamic } from './v1/virtual-accounts-dynamic.ts'
import { virtualAccountsList } from './v1/virtual-accounts-list.ts'
import { virtualAccountsStatic } from './v1/virtual-accounts-static.ts'

/** What the endpoints stand on: the rooms, made by the App. */
export type Rooms = {
  ctx: Context
  lanes: Lanes
  balances: BalanceReader
  resolver: Resolver
  payments: Payments
  customers: Customers
  accounts: Accounts
  deposits: Deposits
}

export function createEndpoints(rooms: Rooms): Endpoint[] {
  const { ctx, lanes, balances, resolver, payments, customers, accounts, deposits } = rooms
  return [
    depositsList(deposits),
    depositGet(deposits),
    depositValidate(deposits),
    customersCreate(customers),
    customersList(customers),
    customerGet(customers),
    customerUpdate(customers),
    virtualAccountsStatic(accounts),
    virtualAccountsDynamic(accounts),
    virtualAccountsList(accounts),
    virtualAccountGet(accounts),
    virtualAccountClose(accounts),
    transfersInitiate(payments),
    transfersList(payments),
    transferGet(payments),
    banksList(),
    bankResolve(resolver),
    balanceGet(balances),
    balanceLedger(ctx),
    feesGet(payments),
    sandboxDeposits(deposits),
    sandboxDepositSettle(deposits),
    sandboxTransferComplete(payments),
    sandboxBalanceFund(lanes, fundOperation(ctx)),
  ]
}
