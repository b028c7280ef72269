// The customers room on a database, with a rail whose account numbers a test decides.

import { randomBytes } from 'node:crypto'
import type { Tenant } from '#base/context.ts'
import { createLanes } from '#base/lane.ts'
import { toKobo } from '#base/money.ts'
import { createSecretBox } from '#base/secret.ts'
import { createBusiness } from '#businesses/business.ts'
import { createAccounts } from '#customers/accounts.ts'
import { createCustomers } from '#customers/customers.ts'
import type { OpeningOutcome } from '#customers/opening.ts'
import { findBank } from '#directory/banks.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createTestContext } from '#tests/support/context.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { createScriptedAccounts } from '#tests/support/scripted-rail.ts'

export function createRoom(database: TestDatabase) {
  const ctx = createTestContext(database.connect())
  const port = createScriptedAccounts()
  const rail = { name: 'scripted', virtualAccounts: port }
  const lanes = createLanes(ctx)
  const options = {
    ctx,
    laneOf: lanes.of,
    box: createSecretBox(randomBytes(32)),
    findBank,
    rails: createRailRegistry({ clock: ctx.clock, settleMs: 0, rails: { production: rail } }),
  }
  const customers = createCustomers(options)
  const accounts = createAccounts(options)
  let made = 0

  return {
    ctx,
    port,
    lanes,
    customers,
    accounts,
    newTenant: async (): Promise<Tenant> => (await createBusiness(ctx, 'Room')).tenants.production,
    async newCustomer(tenant: Tenant): Promise<string> {
      const reference = `CUS-${(made += 1)}`
      const details = { firstName: 'Ada', lastName: 'Obi', email: null, phoneNumber: null, metadata: null }
      await customers.create({ tenant, reference, details, bvn: null })
      return reference
    },
    openStatic: (tenant: Tenant, customerReference: string, bankSlug?: string): Promise<OpeningOutcome> =>
      accounts.openStatic(tenant, { customerReference, bankSlug, accountName: undefined }),
    openDynamic: (tenant: Tenant, expiresInMinutes = 30): Promise<OpeningOutcome> =>
      accounts.openDynamic(tenant, {
        amount: toKobo(5_000),
        amountPolicy: 'exact',
        expiresInMinutes,
        reference: null,
        accountName: undefined,
        narration: null,
        metadata: null,
      }),
  }
}

export function openedNumber(outcome: OpeningOutcome): string {
  if (outcome.kind !== 'opened') throw new Error(`expected an open account, not ${outcome.kind}`)
  return outcome.account.accountNumber
}
