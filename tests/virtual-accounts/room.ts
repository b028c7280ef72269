// The virtual-accounts module on a database, as one process or several, with a rail whose account numbers a test
// chooses.

import { randomBytes } from 'node:crypto'
import type { Tenant } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import { createLanes, type Lane } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { createBusiness } from '#businesses/business.ts'
import { createAccounts, type Accounts } from '#virtual-accounts/service.ts'
import { createCustomers } from '#virtual-accounts/customers.ts'
import type { DynamicRequest } from '#virtual-accounts/provisioning.ts'
import type { OpeningOutcome } from '#virtual-accounts/account.ts'
import { findBank } from '#directory/banks.ts'
import type { Rail } from '#rails/rail.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { createScriptedAccounts } from '#tests/support/scripted-rail.ts'

/**
 * The point where a process dies or loses its database: at the next statement or lane operation of this name, before it
 * is done, or after it is done and before any caller knows.
 */
export type Cut = { at: string; when: 'before' | 'after' }

const lost = (): Unavailable => new Unavailable('The database cannot be reached right now.')

export function createRoom(database: TestDatabase) {
  const clock = createFakeClock()
  const port = createScriptedAccounts()
  const box = createSecretBox(randomBytes(32))
  const registryOf = (...production: Rail[]) => createRailRegistry({ clock, settleMs: 0, rails: { production } })
  const usual = registryOf({ name: 'scripted', virtualAccounts: port })
  let cut: Cut | undefined
  let made = 0

  async function cutting<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = cut?.at === name ? cut : undefined
    if (mine !== undefined) cut = undefined
    if (mine?.when === 'before') throw lost()
    const result = await work()
    if (mine?.when === 'after') throw lost()
    return result
  }

  /** Starts another process on the same database. */
  function startProcess(rails = usual) {
    const db = database.connect()
    const ctx = createTestContext(
      { ...db, query: (what, values) => cutting(what.name, () => db.query(what, values)) },
      clock,
    )
    const lanes = createLanes(ctx)
    const laneOf = (number: number): Lane => {
      const lane = lanes.of(number)
      return { ...lane, submit: (operation, command) => cutting(operation.name, () => lane.submit(operation, command)) }
    }
    const options = { ctx, laneOf, box, findBank, rails }
    return { ctx, lanes, customers: createCustomers(options), accounts: createAccounts(options) }
  }

  const first = startProcess()
  const { ctx, customers, accounts } = first

  return {
    ...first,
    port,
    registryOf,
    startProcess,
    setCut(next: Cut): void {
      cut = next
    },
    newTenant: async (): Promise<Tenant> => (await createBusiness(ctx, 'Room')).tenants.production,
    async newCustomer(tenant: Tenant, bvn: string | null = null): Promise<string> {
      const reference = `CUS-${(made += 1)}`
      const details = { firstName: 'Ada', lastName: 'Obi', email: null, phoneNumber: null, metadata: null }
      await customers.create({ tenant, reference, details, bvn })
      return reference
    },
    openStatic: (
      tenant: Tenant,
      customerReference: string,
      bankSlug?: string,
      by: Accounts = accounts,
    ): Promise<OpeningOutcome> => by.openStatic(tenant, { customerReference, bankSlug, accountName: undefined }),
    openDynamic: (
      tenant: Tenant,
      expiresInMinutes = 30,
      changes: Partial<DynamicRequest> = {},
      by: Accounts = accounts,
    ): Promise<OpeningOutcome> =>
      by.openDynamic(tenant, {
        amount: toMoney(5_000),
        amountPolicy: 'exact',
        expiresInMinutes,
        reference: null,
        accountName: undefined,
        narration: null,
        metadata: null,
        ...changes,
      }),
  }
}

export function openedNumber(outcome: OpeningOutcome): string {
  if (outcome.kind !== 'opened') throw new Error(`expected an open account, not ${outcome.kind}`)
  return outcome.account.accountNumber
}
