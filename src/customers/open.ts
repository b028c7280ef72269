// Opening virtual accounts, many at once, with numbers that their rail has given. The rail was asked before, when no
// transaction was open; here it is decided whether the number and the reference are free.

import type { Context, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { positionAfter } from '#base/ordinal.ts'
import { withTenants } from '#ledger/lock.ts'
import type { VirtualAccount } from './account.ts'
import { claimText, findRivals, insertAccounts, takeNumbers, type Claim, type NewRow } from './sql-accounts.ts'
import { accountList } from './sql-lists.ts'

/** What is known of an account before it is opened. */
export type Draft = Omit<VirtualAccount, 'lane' | 'tenantId' | 'status' | 'createdAt' | 'updatedAt'>

export type OpenCommand = { tenant: Tenant; draft: Draft }

export type OpenOutcome =
  | { kind: 'opened'; account: VirtualAccount }
  /** The number is another account's: ask the rail for another one. */
  | { kind: 'number-taken' }
  /** The reference was used before; or the customer has an open account at this bank. */
  | { kind: 'exists' }

export function claimOf(
  tenantId: Uuid,
  { customer, reference, bankSlug }: Pick<Draft, 'customer' | 'reference' | 'bankSlug'>,
): Claim | undefined {
  if (customer !== null) return { tenantId, type: 'static', reference: customer.reference, bankSlug }
  return reference === null ? undefined : { tenantId, type: 'dynamic', reference }
}

export function openAccountsOperation(ctx: Context): Operation<OpenCommand, OpenOutcome> {
  return {
    name: 'accounts.open',
    async run(tx, commands) {
      const claims = commands.map(({ tenant, draft }) => claimOf(tenant.id, draft))
      const [rivals, last] = await withTenants(
        tx,
        commands.map(({ tenant }) => tenant.id),
        (tenantIds) =>
          Promise.all([
            findRivals(
              tx,
              claims.filter((claim) => claim !== undefined),
            ),
            accountList.lastOfTenants(tx, tenantIds),
          ]),
      )
      const free = claims.map((claim) => claim === undefined || takesClaim(rivals, claim))
      const numbers = commands.filter((_, index) => free[index] === true).map(numberOf)
      const taken = numbers.length === 0 ? new Set<string>() : await takeNumbers(tx, numbers)
      const opened: NewRow[] = []
      const outcomes = commands.map(({ tenant, draft }, index): OpenOutcome => {
        if (free[index] !== true) return { kind: 'exists' }
        // Two commands of one batch with the same number: the first gets it.
        if (!taken.delete(`${tenant.environment} ${draft.accountNumber}`)) return { kind: 'number-taken' }
        const position = positionAfter(last.get(tenant.id), ctx.clock.now())
        last.set(tenant.id, position)
        const born = { status: 'ACTIVE' as const, ...position, updatedAt: position.createdAt }
        const account = { ...draft, lane: tx.lane, tenantId: tenant.id, ...born }
        opened.push(account)
        return { kind: 'opened', account }
      })
      if (opened.length > 0) insertAccounts(tx, opened)
      return outcomes
    },
  }
}

/** The first of several commands of a batch that make the same claim has it. */
function takesClaim(rivals: Set<string>, claim: Claim): boolean {
  const text = claimText(claim)
  if (rivals.has(text)) return false
  rivals.add(text)
  return true
}

function numberOf({ tenant, draft }: OpenCommand) {
  return { environment: tenant.environment, accountNumber: draft.accountNumber, tenantId: tenant.id }
}
