// The approval policy of a business in one environment: which payouts of the dashboard need the approval of other
// people, and of how many (drafts.ts decides who may approve). It does not concern payouts of API keys. While a business has
// several owners, a weaker policy needs two of them.

import { recordEntry } from '#audit/record.ts'
import { addresseesOf, queueLetters, readAudience, readBusiness } from '#mail/queue.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { currencies, formatMoney, toMoney, type Currency, type Money } from '#platform/money.ts'
import { lockActor, lockOwners, type Manager } from '#users/user.ts'

export type PayoutPolicy = {
  mode: 'off' | 'above' | 'every'
  /** With `above`: a payout or a file of more naira than this needs approval. */
  above: Money | null
  /** With `above`: the same in other currencies. A currency without an amount needs approval for every payout. */
  aboveIn: Amounts
  approvers: 1 | 2
}

type Amounts = Readonly<Partial<Record<Currency, Money>>>

export const noPolicy: PayoutPolicy = { mode: 'off', above: null, aboveIn: {}, approvers: 1 }

type Total = { total: Money; currency: Currency }

export function needsApproval(policy: PayoutPolicy, { total, currency }: Total): boolean {
  if (policy.mode !== 'above') return policy.mode === 'every'
  const above = amountIn(policy, currency)
  return above === null || total > above
}

export function amountIn({ above, aboveIn }: PayoutPolicy, currency: Currency): Money | null {
  return currency === 'NGN' ? above : (aboveIn[currency] ?? null)
}

/** Returns true if some payout needs fewer approvals than before. */
export function isWeaker(before: PayoutPolicy, after: PayoutPolicy): boolean {
  if (before.mode === 'off') return false
  if (after.mode === 'off' || after.approvers < before.approvers) return true
  if (after.mode !== 'above') return false
  const rises = (currency: Currency) => (amountIn(after, currency) ?? 0n) > (amountIn(before, currency) ?? 0n)
  return before.mode === 'every' || currencies.some(rises)
}

/** How long a proposed policy, or a draft, can be approved. */
export const waitsForMs = 72 * hourMs

export type Proposal = { policy: PayoutPolicy; by: Uuid; byName: string; at: Date; expiresAt: Date }

/** `proposal`: a weaker policy that waits for another owner. `isDecided`: an owner has set or proposed a policy. */
export type PolicyNow = { policy: PayoutPolicy; proposal: Proposal | undefined; isDecided: boolean }

type PolicyRow = Omit<PayoutPolicy, 'aboveIn'> & {
  aboveIn: string | null
  proposed: string | null
  proposedBy: Uuid | null
  proposedByName: string | null
  proposedAt: Date | null
}

const select = statement(
  'payouts.policy',
  `select mode, above, above_in as "aboveIn", approvers, proposed, proposed_by as "proposedBy", proposed_by_name as "proposedByName",
     proposed_at as "proposedAt" from payout_policy where lane = $1 and tenant_id = $2`,
)

export async function readPolicy(db: Queryable, { lane, id }: Tenant, nowMs: number): Promise<PolicyNow> {
  const [row] = await db.query<PolicyRow>(select, [lane, id])
  if (row === undefined) return { policy: noPolicy, proposal: undefined, isDecided: false }
  const { mode, above, approvers } = row
  // A process of the previous version may set another mode and leave these amounts, which then mean nothing.
  const aboveIn = mode === 'above' && row.aboveIn !== null ? amountsOf(row.aboveIn) : {}
  return { policy: { mode, above, aboveIn, approvers }, proposal: proposalOf(row, nowMs), isDecided: true }
}

function proposalOf(row: PolicyRow, nowMs: number): Proposal | undefined {
  const { proposed, proposedBy: by, proposedByName: byName, proposedAt: at } = row
  if (proposed === null || by === null || byName === null || at === null) return undefined
  const expiresAt = new Date(at.getTime() + waitsForMs)
  return expiresAt.getTime() <= nowMs ? undefined : { policy: parsePolicy(proposed), by, byName, at, expiresAt }
}

/** The policy as JSON, because a proposal is compared as a whole and never searched. */
function textOf({ mode, above, approvers, aboveIn }: PayoutPolicy): string {
  return JSON.stringify([mode, above === null ? null : String(above), approvers, ...listOf(textOfAmounts(aboveIn))])
}

function parsePolicy(text: string): PayoutPolicy {
  const [mode, above, approvers, aboveIn] = JSON.parse(text) as [PayoutPolicy['mode'], string | null, 1 | 2, string?]
  const inOthers = aboveIn === undefined ? {} : amountsOf(aboveIn)
  return { mode, above: above === null ? null : toMoney(BigInt(above)), aboveIn: inOthers, approvers }
}

/** The amounts as JSON, always in the same order, so that equal amounts have equal texts; null if there are none. */
function textOfAmounts(amounts: Amounts): string | null {
  const entries = currencies.flatMap((currency) => listOf(amounts[currency]).map((one) => [currency, String(one)]))
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries))
}

function amountsOf(text: string): Amounts {
  const entries = Object.entries(JSON.parse(text) as Record<string, string>)
  return Object.fromEntries(entries.map(([currency, amount]) => [currency, toMoney(BigInt(amount))]))
}

function listOf<Value>(value: Value | null | undefined): Value[] {
  return value === null || value === undefined ? [] : [value]
}

export type PolicyOutcome =
  | { kind: 'set' }
  | { kind: 'proposed' }
  | { kind: 'not-allowed' }
  /** The policy that the owner saw is no longer proposed. */
  | { kind: 'no-proposal' }
  | { kind: 'own-proposal' }

export type Owner = { manager: Manager; personId: Uuid; name: string }

/**
 * Sets a policy, or proposes it if it is weaker and the business has another owner. Either replaces an earlier
 * proposal.
 */
export function setPolicy(
  ctx: Context,
  tenant: Tenant,
  { manager, personId, name }: Owner,
  policy: PayoutPolicy,
): Promise<PolicyOutcome> {
  return ctx.db.transaction(async (tx) => {
    // The lock on the owners serializes all changes of the policy.
    if ((await lockActor(tx, manager)) !== 'owner') return { kind: 'not-allowed' }
    const nowMs = ctx.clock.now()
    const before = (await readPolicy(tx, tenant, nowMs)).policy
    const owners = await lockOwners(tx, manager.businessId)
    const isProposal = isWeaker(before, policy) && owners.length > 1
    if (isProposal) write(tx, tenant, before, { at: new Date(nowMs), policy, by: personId, byName: name })
    else write(tx, tenant, policy, { at: new Date(nowMs) })
    const act = isProposal ? ('payout-policy.proposed' as const) : ('payout-policy.set' as const)
    recordEntry(tx, nowMs, { by: manager.by, act, tenantId: tenant.id, details: changeOf(before, policy) })
    return { kind: isProposal ? 'proposed' : 'set' }
  }, tenant.lane)
}

export function confirmPolicy(
  ctx: Context,
  tenant: Tenant,
  { manager, personId }: Owner,
  shown: PayoutPolicy,
): Promise<PolicyOutcome> {
  return ctx.db.transaction(async (tx) => {
    if ((await lockActor(tx, manager)) !== 'owner') return { kind: 'not-allowed' }
    const nowMs = ctx.clock.now()
    const { policy: before, proposal } = await readPolicy(tx, tenant, nowMs)
    if (proposal === undefined || textOf(proposal.policy) !== textOf(shown)) return { kind: 'no-proposal' }
    if (proposal.by === personId) return { kind: 'own-proposal' }
    write(tx, tenant, proposal.policy, { at: new Date(nowMs) })
    const details = { ...changeOf(before, proposal.policy), proposedBy: proposal.byName }
    recordEntry(tx, nowMs, { by: manager.by, act: 'payout-policy.set', tenantId: tenant.id, details })
    return { kind: 'set' }
  }, tenant.lane)
}

const put = statement(
  'payouts.set_policy',
  `insert into payout_policy (lane, tenant_id, mode, above, approvers, changed_at, above_in, proposed, proposed_by,
     proposed_by_name, proposed_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   on conflict (lane, tenant_id) do update set mode = excluded.mode, above = excluded.above, above_in = excluded.above_in,
     approvers = excluded.approvers, changed_at = excluded.changed_at, proposed = excluded.proposed,
     proposed_by = excluded.proposed_by, proposed_by_name = excluded.proposed_by_name,
     proposed_at = excluded.proposed_at`,
)

type PolicyWrite = { at: Date } | { at: Date; policy: PayoutPolicy; by: Uuid; byName: string }

function write(tx: Tx, tenant: Tenant, policy: PayoutPolicy, change: PolicyWrite): void {
  const { mode, above, aboveIn, approvers } = policy
  const proposal =
    'by' in change ? [textOf(change.policy), change.by, change.byName, change.at] : [null, null, null, null]
  const amounts = textOfAmounts(aboveIn)
  tx.send(put, [tx.lane, tenant.id, mode, above, approvers, change.at, amounts, ...proposal])
}

/** `every payout, 2 approvers`. */
export function describePolicy(policy: PayoutPolicy): string {
  const { mode, approvers } = policy
  if (mode === 'off') return 'off'
  const amounts = currencies.flatMap((currency) =>
    listOf(amountIn(policy, currency)).map((amount) => formatMoney(amount, currency)),
  )
  const which = mode === 'every' ? 'every payout' : `payouts above ${amounts.join(' or ')}`
  return `${which}, ${approvers} ${approvers === 1 ? 'approver' : 'approvers'}`
}

function changeOf(before: PayoutPolicy, after: PayoutPolicy): { policy: string; policyBefore: string } {
  return { policy: describePolicy(after), policyBefore: describePolicy(before) }
}

// The letter to the people who may approve a submitted draft. Its link opens the draft and approves nothing.

type WaitingDraft = Total & { id: Uuid; businessId: Uuid; makerId: Uuid; makerName: string; rows: number }

/**
 * Runs in the transaction that submits the draft. The maker gets no letter, because makers cannot approve their own
 * drafts.
 */
export async function mailApprovers(ctx: Context, tx: Tx, tenant: Tenant, draft: WaitingDraft): Promise<void> {
  if (ctx.sendsMail !== true) return
  const { businessId, makerId, makerName: maker, rows } = draft
  const total = formatMoney(draft.total, draft.currency)
  const business = await readBusiness(tx, businessId)
  if (business === undefined) return
  const others = (await readAudience(tx, businessId, 'approval-waiting')).filter(({ id }) => id !== makerId)
  const { environment } = tenant
  await queueLetters(ctx, tx, {
    kind: 'approval-waiting',
    facts: { business, environment, draft: formatId('payoutDraft', draft.id), maker, rows, total },
    to: addresseesOf(others),
    businessId,
  })
}
