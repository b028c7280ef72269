// Opening virtual accounts, many at once, with numbers that their rail has given. The rail was asked before, when no
// transaction was open; here it is decided whether the number and the reference are free.

import type { Context, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import type { VirtualAccount } from './account.ts'
import { placeAfter, type LockTenants } from './customer.ts'
import {
  claimText,
  findRivals,
  insertAccounts,
  lastAccounts,
  takeNumbers,
  type Claim,
  type NewRow,
} from './sql-accounts.ts'

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

export function openAccountsOperation(ctx: Context, lockTenants: LockTenants): Operation<OpenCommand, OpenOutcome> {
  return {
    name: 'accounts.open',
    async run(tx, commands) {
      const lane = commands[0]?.tenant.lane ?? 0
      const tenantIds = [...new Set(commands.map(({ tenant }) => tenant.id))]
      const locks = lockTenants(tx, lane, tenantIds)
      await locks.sent
      const claims = commands.map(({ tenant, draft }) => claimOf(tenant.id, draft))
      const [rivals, last] = await Promise.all([
        findRivals(
          tx,
          lane,
          claims.filter((claim) => claim !== undefined),
        ),
        lastAccounts(tx, lane, tenantIds),
        locks.done,
      ])
      const free = commands.map((_, index) => {
        const text = claims[index] === undefined ? undefined : claimText(claims[index])
        if (text === undefined) return true
        if (rivals.has(text)) return false
        rivals.add(text)
        return true
      })
      const wanted = commands.filter((_, index) => free[index] === true)
      const numbers = wanted.map(({ tenant, draft }) => ({
        environment: tenant.environment,
        accountNumber: draft.accountNumber,
        tenantId: tenant.id,
      }))
      const taken = wanted.length === 0 ? new Set<string>() : await takeNumbers(tx, lane, numbers)
      const opened: NewRow[] = []
      const outcomes = commands.map(({ tenant, draft }, index): OpenOutcome => {
        if (free[index] !== true) return { kind: 'exists' }
        // Two commands of one batch with the same number: the first gets it.
        if (!taken.delete(`${tenant.environment} ${draft.accountNumber}`)) return { kind: 'number-taken' }
        const place = placeAfter(last.get(tenant.id), ctx.clock.now())
        last.set(tenant.id, place)
        const account = {
          ...draft,
          lane,
          tenantId: tenant.id,
          status: 'ACTIVE' as const,
          ...place,
          updatedAt: place.createdAt,
        }
        opened.push(account)
        return { kind: 'opened', account }
      })
      if (opened.length > 0) insertAccounts(tx, lane, opened)
      return outcomes
    },
  }
}
