// The API on one screen.

import type { Accounts } from '#customers/accounts.ts'
import type { Corrections } from '#corrections/corrections.ts'
import type { Customers } from '#customers/customers.ts'
import type { Deposits } from '#deposits/deposits.ts'
import type { Resolver } from '#directory/resolve.ts'
import type { Insights } from '#insights/insights.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { Payments } from '#payments/payments.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
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
import { momoCollect } from './v1/momo-collect.ts'
import { momoCollectionGet } from './v1/momo-collection-get.ts'
import { momoCollectionsList } from './v1/momo-collections-list.ts'
import { momoOperators } from './v1/momo-operators.ts'
import { momoResolve } from './v1/momo-resolve.ts'
import { momoTransferGet } from './v1/momo-transfer-get.ts'
import { momoTransferSend } from './v1/momo-transfer-send.ts'
import { momoTransfersList } from './v1/momo-transfers-list.ts'
import { momoVerifyOtp } from './v1/momo-verify-otp.ts'
import { sandboxBalanceFund } from './v1/sandbox-balance-fund.ts'
import { sandboxDepositSettle } from './v1/sandbox-deposit-settle.ts'
import { sandboxDeposits } from './v1/sandbox-deposits.ts'
import { sandboxMomoCollectionComplete } from './v1/sandbox-momo-collection-complete.ts'
import { sandboxMomoTransferComplete } from './v1/sandbox-momo-transfer-complete.ts'
import { sandboxTransferComplete } from './v1/sandbox-transfer-complete.ts'
import { sandboxWebhooksTrigger } from './v1/sandbox-webhooks-trigger.ts'
import { transferGet } from './v1/transfer-get.ts'
import { transfersBulk } from './v1/transfers-bulk.ts'
import { transfersInitiate } from './v1/transfers-initiate.ts'
import { transfersList } from './v1/transfers-list.ts'
import { virtualAccountClose } from './v1/virtual-account-close.ts'
import { virtualAccountGet } from './v1/virtual-account-get.ts'
import { virtualAccountsDynamic } from './v1/virtual-accounts-dynamic.ts'
import { virtualAccountsList } from './v1/virtual-accounts-list.ts'
import { virtualAccountsStatic } from './v1/virtual-accounts-static.ts'
import { webhookDelete } from './v1/webhook-delete.ts'
import { webhookEventGet } from './v1/webhook-event-get.ts'
import { webhookEventRetry } from './v1/webhook-event-retry.ts'
import { webhookEventsList } from './v1/webhook-events-list.ts'
import { webhookEventsRetry } from './v1/webhook-events-retry.ts'
import { webhookGet } from './v1/webhook-get.ts'
import { webhookRotateSecret } from './v1/webhook-rotate-secret.ts'
import { webhookTest } from './v1/webhook-test.ts'
import { webhookUpdate } from './v1/webhook-update.ts'
import { webhooksCreate } from './v1/webhooks-create.ts'
import { webhooksList } from './v1/webhooks-list.ts'

/** What the endpoints stand on: the rooms, made by the App. */
export type Rooms = {
  corrections: Corrections
  ledger: Ledger
  resolver: Resolver
  payments: Payments
  customers: Customers
  accounts: Accounts
  deposits: Deposits
  webhooks: Webhooks
  insights: Insights
}

export function createEndpoints(rooms: Rooms): Endpoint[] {
  const { ledger, resolver, payments, customers, accounts, deposits, webhooks } = rooms
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
    virtualAccountGet(accounts, deposits),
    virtualAccountClose(accounts),
    transfersInitiate(payments),
    transfersBulk(payments),
    transfersList(payments),
    transferGet(payments),
    momoTransferSend(payments),
    momoTransfersList(payments),
    momoTransferGet(payments),
    momoCollect(payments),
    momoVerifyOtp(payments),
    momoCollectionsList(payments),
    momoCollectionGet(payments),
    momoOperators(),
    momoResolve(resolver),
    banksList(),
    bankResolve(resolver),
    balanceGet(ledger),
    balanceLedger(ledger),
    feesGet(payments),
    webhooksCreate(webhooks),
    webhooksList(webhooks),
    webhookGet(webhooks),
    webhookUpdate(webhooks),
    webhookDelete(webhooks),
    webhookRotateSecret(webhooks),
    webhookTest(webhooks),
    webhookEventsList(webhooks),
    webhookEventGet(webhooks),
    webhookEventRetry(webhooks),
    webhookEventsRetry(webhooks),
    sandboxDeposits(deposits),
    sandboxDepositSettle(deposits),
    sandboxTransferComplete(payments),
    sandboxMomoTransferComplete(payments),
    sandboxMomoCollectionComplete(payments),
    sandboxWebhooksTrigger(webhooks),
    sandboxBalanceFund(ledger),
  ]
}
