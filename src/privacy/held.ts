// All that is held about one customer, in words of the API: what somebody who asks for it is given. That it was asked for is
// a line of the audit log, because it shows a BVN.

import { record } from '#audit/record.ts'
import type { Context, Tenant } from '#base/context.ts'
import { inLane, type InLane } from '#base/db.ts'
import { formatId } from '#base/ids.ts'
import { amountMax, toKobo, toWire } from '#base/money.ts'
import type { SecretBox } from '#base/secret.ts'
import { bvnContext } from '#customers/create.ts'
import { depositReference } from '#deposits/deposit.ts'
import type { CustomerKey } from './sql-erase.ts'
import {
  readAccounts,
  readCustomer,
  readDeposits,
  readNotices,
  readTold,
  type CustomerRow,
  type DepositRow,
  type ToldRow,
} from './sql-held.ts'

/** One document is held in memory; whoever has more reads the rest through the API. */
const depositsMax = 10_000
const depositsPerPage = 500

export type Held = Awaited<ReturnType<typeof gather>>

/** Undefined: there is no such customer. */
export async function showCustomer(
  ctx: Context,
  box: SecretBox,
  tenant: Tenant,
  reference: string,
): Promise<Held | undefined> {
  const { by, clock } = ctx
  const key = { tenantId: tenant.id, reference }
  const customer = await readCustomer(inLane(ctx.db, tenant.lane), key)
  if (customer === undefined) return undefined
  const subject = formatId('customer', customer.id)
  // Before it is shown: nobody looks without leaving a trace.
  await ctx.db.transaction((tx) => {
    record(tx, clock.now(), { by, act: 'customer.shown', tenantId: tenant.id, subject, details: { reference } })
    return Promise.resolve()
  }, tenant.lane)
  return gather(inLane(ctx.db, tenant.lane), tenant, key, customerData(box, customer))
}

async function gather(db: InLane, tenant: Tenant, key: CustomerKey, customer: ReturnType<typeof customerData>) {
  const [{ accounts, openings }, notices] = await Promise.all([
    readAccounts(db, key),
    readNotices(db, key, tenant.environment),
  ])
  const deposits: ReturnType<typeof depositsData> = []
  let after = 0n
  let full = true
  while (full && deposits.length < depositsMax) {
    const page = (await readDeposits(db, key, after, depositsPerPage)).map((row) => ({
      ...row,
      reference: depositReference(row.id),
    }))
    deposits.push(...depositsData(page, await readTold(db, tenant.id, page)))
    after = page.at(-1)?.ordinal ?? after
    full = page.length === depositsPerPage
  }
  return {
    customer,
    accounts,
    /** Accounts that are being opened. */
    openings,
    deposits,
    /** There may be more: see GET /v1/deposits?customerReference=…, the oldest ones are here. */
    hasMoreDeposits: full,
    notices: notices.map((notice) => ({ ...notice, amount: amountOf(notice.amount) })),
  }
}

function customerData(box: SecretBox, { id, sealedBvn, metadata, ...rest }: CustomerRow) {
  return {
    id: formatId('customer', id),
    ...rest,
    bvn: sealedBvn === null ? null : box.open(sealedBvn, bvnContext(id)),
    metadata: metadata === null ? null : (JSON.parse(metadata) as unknown),
  }
}

function depositsData(deposits: (DepositRow & { reference: string })[], told: ToldRow[]) {
  return deposits.map(({ id, ordinal: _number, amount, fee, ...rest }) => ({
    id: formatId('deposit', id),
    ...rest,
    amount: amountOf(amount),
    fee: amountOf(fee),
    events: told
      .filter(({ sourceId }) => sourceId === id)
      .map(({ name, createdAt, data, sentTo }) => ({ name, createdAt, sentTo, data: JSON.parse(data) as unknown })),
  }))
}

/** What a provider says may be more than a JSON integer carries exactly; then it is a text. */
function amountOf(amount: bigint): number | string {
  return amount <= amountMax ? toWire(toKobo(amount)) : amount.toString()
}
