// The SQL that looks through a list of payments for what no index knows: amounts, banks, reasons, metadata. It asks for a piece
// of the list by its numbers, so what it costs is the piece, however long the list is and however few are found.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { Range } from '#base/ordinal.ts'
import type { Kobo } from '#base/money.ts'
import type { Payment, PaymentKind, PaymentStatus } from './payment.ts'
import { paymentColumns } from './sql-rows.ts'

/** What a payment must be; what is absent may be anything. */
export type PaymentFilter = {
  status?: PaymentStatus | undefined
  amountFrom?: Kobo | undefined
  amountTo?: Kobo | undefined
  /** Of a bank transfer. */
  bankSlug?: string | undefined
  /** Of mobile money. */
  operator?: string | undefined
  failureReason?: string | undefined
  /** One of the texts in its metadata, whole. */
  metadata?: string | undefined
}

// The piece is read in the order of its index and by nothing else: a planner that thinks little of what is asked of the rows
// would look for them by another index, all of a tenant's.
const matching = statement(
  'payments.matching',
  `select ${paymentColumns}, p.ordinal as number
     from (select * from payment
            where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal > 0 and payment.ordinal > $4
              and payment.ordinal <= $5
            order by payment.ordinal desc offset 0) as p
    where ($6::text is null or p.status = $6) and ($7::bigint is null or p.amount >= $7)
      and ($8::bigint is null or p.amount <= $8) and ($9::text is null or p.bank_slug = $9)
      and ($10::text is null or p.operator = $10) and ($11::text is null or p.failure_reason = $11)
      and ($12::text is null or position($12 in p.metadata) > 0)
    order by p.ordinal desc limit $13`,
)

export type Numbered = Payment & { number: bigint }

/** Those of a piece of the list that are as the filter says, the latest first. */
export function findMatching(
  db: Queryable,
  { tenant, kind, range: { low, high }, limit }: { tenant: Tenant; kind: PaymentKind; range: Range; limit: number },
  filter: PaymentFilter,
): Promise<Numbered[]> {
  const { status, amountFrom, amountTo, bankSlug, operator, failureReason, metadata } = filter
  const wanted = [status, amountFrom, amountTo, bankSlug, operator, failureReason].map((value) => value ?? null)
  const text = metadata === undefined ? null : asValue(metadata)
  return db.query<Numbered>(matching, [tenant.lane, tenant.id, kind, low, high, ...wanted, text, limit])
}

/** As it stands in the JSON that is kept, behind its name: there a quote within a text has a backslash before it. */
function asValue(text: string): string {
  return `:${JSON.stringify(text)}`
}
