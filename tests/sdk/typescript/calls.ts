// The methods of the TypeScript SDK, by the operations that the vectors name.

import type { Manilla } from '#sdk/client.ts'
import type { List } from '#sdk/list.ts'
import type { CallOptions } from '#sdk/transport.ts'
import type { Json } from '#tests/sdk/vectors.ts'

type Method = (client: Manilla, call: Asked, options?: CallOptions) => Promise<object> | List<unknown>
export type Asked = { path: Json; query: Json; body: any } & Json // oxlint-disable-line typescript/no-explicit-any

export const methods: Record<string, Method> = {
  listDeposits: (c, { query }, o) => c.deposits.list(query, o),
  getDeposit: (c, { path }, o) => c.deposits.get(path['reference'], o),
  validateDeposit: (c, { path }, o) => c.deposits.validate(path['reference'], o),
  createCustomer: (c, { body }, o) => c.customers.create(body, o),
  listCustomers: (c, { query }, o) => c.customers.list(query, o),
  getCustomer: (c, { path }, o) => c.customers.get(path['reference'], o),
  updateCustomer: (c, { path, body }, o) => c.customers.update(path['reference'], body, o),
  openStaticAccount: (c, { body }, o) => c.virtualAccounts.openStatic(body, o),
  openDynamicAccount: (c, { body }, o) => c.virtualAccounts.openDynamic(body, o),
  listVirtualAccounts: (c, { query }, o) => c.virtualAccounts.list(query, o),
  getVirtualAccount: (c, { path }, o) => c.virtualAccounts.get(path['accountNumber'], o),
  closeVirtualAccount: (c, { path }, o) => c.virtualAccounts.close(path['accountNumber'], o),
  initiateTransfer: (c, { body }, o) => c.transfers.initiate(body, o),
  initiateTransfers: (c, { body }, o) => c.transfers.initiateMany(body.transfers, o),
  listTransfers: (c, { query }, o) => c.transfers.list(query, o),
  getTransfer: (c, { path }, o) => c.transfers.get(path['reference'], o),
  initiateMomoTransfer: (c, { body }, o) => c.momo.transfers.initiate(body, o),
  listMomoTransfers: (c, { query }, o) => c.momo.transfers.list(query, o),
  getMomoTransfer: (c, { path }, o) => c.momo.transfers.get(path['reference'], o),
  initiateMomoCollection: (c, { body }, o) => c.momo.collections.initiate(body, o),
  listMomoCollections: (c, { query }, o) => c.momo.collections.list(query, o),
  verifyCollectionOtp: (c, { body }, o) => c.momo.collections.verifyOtp(body, o),
  getMomoCollection: (c, { path }, o) => c.momo.collections.get(path['reference'], o),
  listMomoOperators: (c, { query }, o) => c.momo.operators(query, o),
  resolvePhoneNumber: (c, { query }, o) => c.momo.resolve(query as { phoneNumber: string }, o),
  listBanks: (c, { query }, o) => c.banks.list(query, o),
  resolveBankAccount: (c, { query }, o) => c.banks.resolve(query as { accountNumber: string }, o),
  getBalance: (c, _call, o) => c.balance.get(o),
  listLedgerEntries: (c, { query }, o) => c.balance.ledger(query, o),
  getFee: (c, { query }, o) => c.transfers.fee(query['amount'], query['currency'], o),
  createWebhook: (c, { body }, o) => c.webhooks.create(body, o),
  listWebhooks: (c, { query }, o) => c.webhooks.list(query, o),
  getWebhook: (c, { path }, o) => c.webhooks.get(path['id'], o),
  updateWebhook: (c, { path, body }, o) => c.webhooks.update(path['id'], body, o),
  deleteWebhook: (c, { path }, o) => c.webhooks.delete(path['id'], o),
  rotateWebhookSecret: (c, { path, body }, o) => c.webhooks.rotateSecret(path['id'], body, o),
  testWebhook: (c, { path }, o) => c.webhooks.test(path['id'], o),
  listEvents: (c, { query }, o) => c.events.list(query, o),
  listWebhookDeliveries: (c, { query }, o) => c.webhooks.deliveries.list(query, o),
  getWebhookDelivery: (c, { path }, o) => c.webhooks.deliveries.get(path['eventId'], o),
  retryWebhookDelivery: (c, { path, body }, o) => c.webhooks.deliveries.retry(path['eventId'], body, o),
  retryWebhookDeliveries: (c, { body }, o) => c.webhooks.deliveries.retryMany(body, o),
  simulateDeposit: (c, { body }, o) => c.sandbox.deposit(body, o),
  settleDeposit: (c, { path, body }, o) => c.sandbox.settleDeposit(path['reference'], body, o),
  completeTransfer: (c, { path, body }, o) => c.sandbox.completeTransfer(path['reference'], body, o),
  completeMomoTransfer: (c, { path, body }, o) => c.sandbox.completeMomoTransfer(path['reference'], body, o),
  completeMomoCollection: (c, { path, body }, o) => c.sandbox.completeMomoCollection(path['reference'], body, o),
  triggerWebhookEvent: (c, { body }, o) => c.sandbox.triggerEvent(body.event, o),
  fundBalance: (c, { body }, o) => c.sandbox.fund(body.amount, body.currency, o),
  waitForTransfer: (c, { reference, waitMs }, o) => c.transfers.waitFor(reference, { ...o, waitMs }),
  waitForMomoTransfer: (c, { reference, waitMs }, o) => c.momo.transfers.waitFor(reference, { ...o, waitMs }),
  waitForMomoCollection: (c, { reference, waitMs }, o) => c.momo.collections.waitFor(reference, { ...o, waitMs }),
}
