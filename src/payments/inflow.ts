// Where a successful collection goes: it is money that came in, so it becomes a deposit too, in the transaction in which
// it succeeds. This room says what it needs; whoever keeps deposits provides it, and app.ts brings the two together.

import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Currency, Kobo } from '#base/money.ts'

export type Inflow = {
  tenantId: Uuid
  currency: Currency
  amount: Kobo
  fee: Kobo
  /** With the provider it names the money once and for all. */
  provider: string
  providerId: string
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  narration: string
  /** Not before this. */
  atMs: number
}

export type Recorded = { id: Uuid; reference: string; atMs: number }

export type Inflows = {
  /** What the business is charged for an inflow. */
  feeOf(amount: Kobo): Kobo
  /** Resolves when inflows of these tenants, whose locks are held, can be recorded in this transaction. */
  expect(tx: Tx, lane: number, tenantIds: Iterable<Uuid>): Promise<void>
  /** Makes the deposit and credits it. */
  record(tx: Tx, lane: number, inflow: Inflow): Recorded
}
