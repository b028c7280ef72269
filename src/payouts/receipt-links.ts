// Receipt links: each shows the receipt of one payout to people without an account, until a user revokes it. Only the
// link has the token, and the table has its hash. A revoked link is deleted, so that it looks like one that never
// existed.

import { randomBytes } from 'node:crypto'
import { recordEntry } from '#audit/record.ts'
import type { PaymentOf } from '#payments/payment.ts'
import type { Payments } from '#payments/service.ts'
import type { Context, Environment, Tenant } from '#platform/context.ts'
import { statement } from '#platform/db/db.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { sha256 } from '#platform/secrets.ts'
import type { Proposer } from './drafts.ts'

export type ReceiptLink = { id: Uuid; madeBy: string; createdAt: Date }

type Payout = PaymentOf<'bank_transfer' | 'momo_transfer'>

/** The most links of one payout. */
const linksMax = 20

const insert = statement(
  'payouts.insert_receipt_link',
  `insert into receipt_link (lane, tenant_id, reference, id, token_hash, made_by, created_at)
   select $1, $2, $3, $4, $5, $6, $7
     from (select count(*) as number from receipt_link where lane = $1 and tenant_id = $2 and reference = $3) as links
    where links.number < $8
   returning id`,
)
const select = statement(
  'payouts.receipt_links',
  `select id, made_by as "madeBy", created_at as "createdAt" from receipt_link
    where lane = $1 and tenant_id = $2 and reference = $3 order by id`,
)
const remove = statement(
  'payouts.delete_receipt_link',
  'delete from receipt_link where lane = $1 and tenant_id = $2 and reference = $3 and id = $4 returning id',
)
const selectByToken = statement(
  'payouts.receipt_link_by_token',
  `select l.reference, t.business_id as "businessId", t.environment
     from receipt_link l join tenant t on t.lane = l.lane and t.id = l.tenant_id
    where l.lane = $1 and l.tenant_id = $2 and l.token_hash = $3`,
)

export type ReceiptLinkOutcome =
  | { kind: 'made'; link: ReceiptLink; token: string }
  | { kind: 'not-found' }
  | { kind: 'not-succeeded' }
  | { kind: 'too-many'; max: number }

export function createReceiptLinks({ ctx, payments }: { ctx: Context; payments: Pick<Payments, 'read'> }) {
  async function payoutOf(tenant: Tenant, reference: string): Promise<Payout | undefined> {
    return (
      (await payments.read(tenant, 'bank_transfer', reference)) ??
      (await payments.read(tenant, 'momo_transfer', reference))
    )
  }

  return {
    receiptLinks: ({ lane, id }: Tenant, reference: string) => ctx.db.query<ReceiptLink>(select, [lane, id, reference]),

    async makeReceiptLink(tenant: Tenant, person: Proposer, reference: string): Promise<ReceiptLinkOutcome> {
      const payout = await payoutOf(tenant, reference)
      if (payout === undefined) return { kind: 'not-found' }
      if (payout.status !== 'SUCCESS') return { kind: 'not-succeeded' }
      const token = newToken(tenant)
      const createdAt = new Date(ctx.clock.now())
      const link = { id: newUuid(createdAt.getTime()), madeBy: person.name, createdAt }
      return ctx.db.transaction(async (tx): Promise<ReceiptLinkOutcome> => {
        const values = [tx.lane, tenant.id, reference, link.id, sha256(token), link.madeBy, createdAt]
        if ((await tx.query(insert, [...values, linksMax])).length === 0) return { kind: 'too-many', max: linksMax }
        const entry = { by: person.manager.by, tenantId: tenant.id, subject: reference } as const
        recordEntry(tx, createdAt.getTime(), { ...entry, act: 'receipt-link.made' })
        return { kind: 'made', link, token }
      }, tenant.lane)
    },

    revokeReceiptLink: (tenant: Tenant, { manager }: Proposer, reference: string, id: Uuid): Promise<boolean> =>
      ctx.db.transaction(async (tx) => {
        if ((await tx.query(remove, [tx.lane, tenant.id, reference, id])).length === 0) return false
        const entry = { by: manager.by, tenantId: tenant.id, subject: reference } as const
        recordEntry(tx, ctx.clock.now(), { ...entry, act: 'receipt-link.revoked' })
        return true
      }, tenant.lane),

    /** The payout that a token shows, and its business. Also shows a payout that was returned after it succeeded. */
    async findReceipt(unchecked: string) {
      const where = tenantOf(unchecked)
      if (where === undefined) return undefined
      const { lane, tenantId } = where
      type Found = { reference: string; businessId: Uuid; environment: Environment }
      const [found] = await ctx.db.query<Found>(selectByToken, [lane, tenantId, sha256(unchecked)])
      if (found === undefined) return undefined
      const { reference, businessId, environment } = found
      const payout = await payoutOf({ id: tenantId, lane, environment }, reference)
      if (payout?.status !== 'SUCCESS' && payout?.status !== 'REVERSED') return undefined
      return { payout, businessId, environment }
    },
  }
}

// A token begins with its lane and tenant, so that it is looked up in one lane, and ends with random bytes.

const secretBytes = 18
const tokenForm = /^[A-Za-z0-9_-]{48}$/

function newToken({ lane, id }: Tenant): string {
  const head = Buffer.alloc(2)
  head.writeInt16BE(lane)
  const tenant = Buffer.from(id.replaceAll('-', ''), 'hex')
  return Buffer.concat([head, tenant, randomBytes(secretBytes)]).toString('base64url')
}

function tenantOf(unchecked: string): { lane: number; tenantId: Uuid } | undefined {
  if (!tokenForm.test(unchecked)) return undefined
  const bytes = Buffer.from(unchecked, 'base64url')
  const hex = bytes.toString('hex', 2, 18)
  const tenantId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  return { lane: bytes.readInt16BE(0), tenantId: tenantId as Uuid }
}
