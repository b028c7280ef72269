// Erasing a customer: nothing says any more who it was, and the books stay as they are. First, in one transaction under the
// tenant's lock, the customer, the accounts and the entry of the audit log; from then on nothing new names the customer.
// Then what deposits, events, deliveries and notices still say, some deposits at a time. Whoever dies in between leaves an
// erased customer, and the same command goes on.

import { record } from '#audit/record.ts'
import type { Context, Tenant } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { formatId, type Uuid } from '#base/ids.ts'
import { depositReference } from '#deposits/deposit.ts'
import { withTenants } from '#ledger/lock.ts'
import {
  eraseAnswersTo,
  eraseCustomerAndAccounts,
  eraseDeposits,
  findDepositsAfter,
  findUnderWay,
  lockCustomer,
  lockDeliveriesOf,
  type CustomerKey,
  type UnderWay,
} from './sql-erase.ts'
import { forgetEvents, lockEventsOf } from './sql-events.ts'
import { countOpenNotices, forgetNoticesOfCustomer } from './sql-notices.ts'

export type Blockers = UnderWay & { openNotices: number }

export type Erasure = {
  /** Erased before; this went over it again. */
  again: boolean
  customerId: Uuid
  deposits: number
  events: number
  answers: number
  notices: number
  /** Deposits whose money must go back still name their payer. */
  toReturn: string[]
  /** Deliveries that are still to be sent: what receivers answer to them is not erased yet. */
  deliveriesDue: number
}

export type EraseOutcome =
  | { kind: 'erased'; erasure: Erasure }
  | { kind: 'refused'; blockers: Blockers }
  | { kind: 'not-found' }

/** Of one customer; the next transaction takes the next ones, so that no lock is held for long. */
const depositsPerTransaction = 200

export async function eraseCustomer(
  ctx: Context,
  tenant: Tenant,
  { reference, note }: { reference: string; note: string },
): Promise<EraseOutcome> {
  const key = { tenantId: tenant.id, reference }
  const begun = await ctx.db.transaction((tx) => begin(ctx, tx, tenant, { key, note }), tenant.lane)
  if (begun.kind !== 'begun') return begun
  const { again, customerId } = begun
  const erasure: Erasure = {
    again,
    customerId,
    deposits: 0,
    events: 0,
    answers: 0,
    notices: 0,
    toReturn: [],
    deliveriesDue: 0,
  }
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const from: bigint = after
    after = await ctx.db.transaction((tx) => erasePage(tx, key, from, erasure), tenant.lane)
  }
  const whose = { ...key, environment: tenant.environment }
  erasure.notices = await ctx.db.transaction((tx) => forgetNoticesOfCustomer(tx, whose), tenant.lane)
  return { kind: 'erased', erasure }
}

type Begun = { kind: 'begun'; again: boolean; customerId: Uuid } | Exclude<EraseOutcome, { kind: 'erased' }>

async function begin(
  { clock, by }: Context,
  tx: Tx,
  { environment }: Tenant,
  { key, note }: { key: CustomerKey; note: string },
): Promise<Begun> {
  const { tenantId, reference } = key
  const [customer, underWay, openNotices] = await withTenants(tx, [tenantId], () =>
    Promise.all([lockCustomer(tx, key), findUnderWay(tx, key), countOpenNotices(tx, { ...key, environment })]),
  )
  if (customer === undefined) return { kind: 'not-found' }
  const { id, status } = customer
  if (status === 'ERASED') return { kind: 'begun', again: true, customerId: id }
  const { openAccounts, openings, pendingDeposits } = underWay
  if (openAccounts.length + openings + pendingDeposits + openNotices > 0) {
    return { kind: 'refused', blockers: { ...underWay, openNotices } }
  }
  const nowMs = clock.now()
  eraseCustomerAndAccounts(tx, key, new Date(nowMs))
  // The reference is the business's own name for somebody: it leads back to nobody here, and a restored backup needs it.
  const details = { reference, note }
  record(tx, nowMs, { by, act: 'customer.erased', tenantId, subject: formatId('customer', id), details })
  return { kind: 'begun', again: false, customerId: id }
}

/** Resolves with the number to go on behind; undefined after the last deposit. What it did counts once it is committed. */
async function erasePage(tx: Tx, key: CustomerKey, after: bigint, erasure: Erasure): Promise<bigint | undefined> {
  const { tenantId } = key
  const deposits = await findDepositsAfter(tx, key, after, depositsPerTransaction)
  // A PENDING one came after the customer was erased; a later run finds it.
  const ended = deposits
    .filter(({ status }) => status !== 'PENDING')
    .map((one) => ({ ...one, reference: depositReference(one.id) }))
  const returned = ended.filter(({ status, returnReason }) => status === 'FAILED' && returnReason !== null)
  const settled = ended.filter((one) => !returned.includes(one))
  const told = ended.map(({ id }) => id)
  eraseDeposits(tx, tenantId, { settled: settled.map(({ id }) => id), returned: returned.map(({ id }) => id) })
  const deliveries = await lockDeliveriesOf(tx, tenantId, ended)
  const answers = await eraseAnswersTo(
    tx,
    tenantId,
    deliveries.map(({ id }) => id),
  )
  const events = forgetEvents(tx, await lockEventsOf(tx, tenantId, told))
  tx.afterCommit(() => {
    erasure.deposits += settled.length
    erasure.events += events
    erasure.answers += answers
    erasure.toReturn.push(...returned.map(({ reference }) => reference))
    erasure.deliveriesDue += deliveries.filter(({ isDue }) => isDue).length
  })
  return deposits.length < depositsPerTransaction ? undefined : deposits.at(-1)?.ordinal
}
