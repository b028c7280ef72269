// Asks banks and operators for the names of saved recipients: imported ones at once, those without an answer every
// hour, and every one again after 90 days. A recipient whose account is gone or has another name is marked as changed.

import { recordEntry } from '#audit/record.ts'
import type { Context, Environment, Tenant } from '#platform/context.ts'
import { arraysOf, inLane, statement } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { sameName, type PayeeKind } from './cells.ts'
import { askAgainMs, askName, hintOf, inLockOrder, verifiedForMs, type RecipientDeps } from './recipients.ts'

const leaseMs = 5 * minuteMs
const askedPerTurn = 20
/** Few, because providers limit look-ups, and people who fill in forms need look-ups too. */
const askedAtOnce = 5

type DueRecipient = {
  tenantId: Uuid
  environment: Environment
  id: Uuid
  kind: PayeeKind
  institution: string
  accountNumber: string
  accountName: string | null
  verifiedAt: Date | null
}

const claim = statement(
  'payouts.claim_recipients',
  `with due as materialized (
     select tenant_id, id from recipient where lane = $1 and due_at <= $2 order by due_at limit $4
        for update skip locked)
   update recipient r set due_at = $3 from due, tenant t
    where r.lane = $1 and r.tenant_id = due.tenant_id and r.id = due.id and t.lane = $1 and t.id = due.tenant_id
   returning r.tenant_id as "tenantId", t.environment, r.id, r.kind, r.institution, r.account_number as "accountNumber",
     r.account_name as "accountName", r.verified_at as "verifiedAt"`,
)
const note = statement(
  'payouts.note_verified',
  `with v as materialized (
     select k.* from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::timestamptz[],
       $9::timestamptz[], $10::boolean[])
         as k (tenant_id, id, institution, account_number, account_name, verified_at, due_at, is_changed)
       cross join lateral (
         select id from recipient
          where lane = $1 and tenant_id = k.tenant_id and id = k.id and institution = k.institution
            and account_number = k.account_number limit 1 for update) as r)
   update recipient r set account_name = v.account_name, verified_at = v.verified_at, due_at = v.due_at,
     changed_at = case when v.is_changed then $2 else r.changed_at end,
     changed_by = case when v.is_changed then null else r.changed_by end
     from v where r.lane = $1 and r.tenant_id = v.tenant_id and r.id = v.id
   returning r.id`,
)

export function createRecipientWork({ ctx, resolver }: RecipientDeps): (lane: number) => Promise<number> {
  return async (lane) => {
    const nowMs = ctx.clock.now()
    const values = [lane, new Date(nowMs), new Date(nowMs + leaseMs), askedPerTurn]
    const due = await inLane(ctx.db, lane).query<DueRecipient>(claim, values)
    if (due.length === 0) return 0
    const asked: VerifiedRecipient[] = []
    const waiting = [...due]
    const askNext = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const tenant: Tenant = { lane, id: one.tenantId, environment: one.environment }
        asked.push(verified(one, await askName(resolver, tenant, one), ctx.clock.now()))
      }
    }
    await Promise.all(Array.from({ length: askedAtOnce }, askNext))
    await writeVerified(ctx, lane, asked)
    return due.length
  }
}

type VerifiedRecipient = DueRecipient & { dueAt: Date; isChanged: boolean }

function verified(
  recipient: DueRecipient,
  answer: Awaited<ReturnType<typeof askName>>,
  nowMs: number,
): VerifiedRecipient {
  const before = recipient.accountName
  if (answer.kind === 'unavailable') return { ...recipient, dueAt: new Date(nowMs + askAgainMs), isChanged: false }
  const accountName = answer.kind === 'resolved' ? answer.accountName.slice(0, 200) : null
  return {
    ...recipient,
    accountName,
    verifiedAt: accountName === null ? null : new Date(nowMs),
    dueAt: new Date(nowMs + verifiedForMs),
    isChanged: before !== null && (accountName === null || !sameName(before, accountName)),
  }
}

/** Leaves out recipients that a user removed or moved to another account in the meantime. */
function writeVerified(ctx: Context, lane: number, asked: VerifiedRecipient[]): Promise<void> {
  const nowMs = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const columns = arraysOf(
      inLockOrder(asked),
      'tenantId',
      'id',
      'institution',
      'accountNumber',
      'accountName',
      'verifiedAt',
      'dueAt',
      'isChanged',
    )
    const written = new Set(
      (await tx.query<{ id: Uuid }>(note, [lane, new Date(nowMs), ...columns])).map(({ id }) => id),
    )
    for (const { tenantId, id, ...recipient } of asked.filter((one) => one.isChanged && written.has(one.id))) {
      const says = recipient.accountName === null ? 'the bank does not know the account' : 'the bank gives another name'
      const details = { account: hintOf(recipient), says }
      const entry = { by: ctx.by, tenantId, subject: formatId('recipient', id), details }
      recordEntry(tx, nowMs, { ...entry, act: 'recipient.changed' })
    }
  }, lane)
}
