// The deposits module on a database, without HTTP, for tests that give the exact reports of a provider.

import { randomBytes } from 'node:crypto'
import type { Tenant } from '#platform/context.ts'
import { createLanes } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { createBusiness } from '#businesses/business.ts'
import type { AmountPolicy } from '#virtual-accounts/account.ts'
import { createAccounts } from '#virtual-accounts/service.ts'
import { createCustomers } from '#virtual-accounts/customers.ts'
import { createOwners } from '#virtual-accounts/account-owners.ts'
import type { OwnedNotice } from '#deposits/deposit.ts'
import { depositFees } from '#deposits/fees.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { createDeposits } from '#deposits/service.ts'
import { receiveOperation } from '#deposits/record.ts'
import { findBank } from '#directory/banks.ts'
import { railOfProvider } from '#deposits/provider-lookup.ts'
import type { DepositNotice, Rail } from '#rails/rail.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { newReference } from './requests.ts'

/** `more`: rails of production before the simulated one. `startMs`: the time of its clock, beside a running service. */
export function createRoom(database: TestDatabase, more: Rail[] = [], startMs?: number) {
  const ctx = createTestContext(database.connect(), createFakeClock(startMs))
  const lanes = createLanes(ctx)
  const simulated = createSimulator({ clock: ctx.clock, settleMs: 0 })
  // An account takes money from the rail that opened it, so the rail that reports money opens the accounts.
  const opener = more.find((rail) => rail.virtualAccounts ?? rail.inbound)
  const production = more.map((rail) =>
    rail === opener ? { virtualAccounts: simulated.virtualAccounts, ...rail } : rail,
  )
  const provider = opener?.inbound?.provider ?? opener?.name ?? 'bank'
  const rails = createRailRegistry({
    clock: ctx.clock,
    settleMs: 0,
    rails: {
      production: [...production, { ...simulated, name: opener === undefined ? 'bank' : 'simulated production' }],
    },
  })
  const payees = {
    ctx,
    rails,
    laneOf: lanes.of,
    box: createSecretBox(randomBytes(32)),
    findBank,
  }
  const customers = createCustomers(payees)
  const accounts = createAccounts(payees)
  const events = createEventOutbox(ctx.clock)
  const deposits = createDeposits({
    ctx,
    rails,
    laneOf: lanes.of,
    owners: createOwners(ctx),
    events,
    fees: depositFees,
  })

  async function openStatic(tenant: Tenant): Promise<string> {
    const reference = newReference('CUS')
    const details = { firstName: 'Ada', lastName: 'Obi', email: null, phoneNumber: null, metadata: null }
    await customers.create({ tenant, reference, details, bvn: null })
    const outcome = await accounts.openStatic(tenant, {
      customerReference: reference,
      bankSlug: undefined,
      accountName: undefined,
    })
    if (outcome.kind !== 'opened') throw new Error(outcome.kind)
    return outcome.account.accountNumber
  }

  async function openDynamic(
    tenant: Tenant,
    amount: number,
    amountPolicy: AmountPolicy,
    expiresInMinutes = 30,
  ): Promise<string> {
    const rest = { reference: null, accountName: undefined, narration: null, metadata: null }
    const outcome = await accounts.openDynamic(tenant, {
      amount: toMoney(amount),
      amountPolicy,
      expiresInMinutes,
      ...rest,
    })
    if (outcome.kind !== 'opened') throw new Error(outcome.kind)
    return outcome.account.accountNumber
  }

  const noticeOf = ({ accountNumber: number, ...rest }: Told): DepositNotice => ({
    ...told(ctx.clock.now(), { provider, ...rest }),
    account: { number: number ?? unknownNumber },
  })

  return {
    ctx,
    lanes,
    customers,
    accounts,
    deposits,
    receiving: receiveOperation({ ctx, fees: depositFees, events }),
    newTenant: async (): Promise<Tenant> => (await createBusiness(ctx, 'Room')).tenants.production,
    openStatic,
    openDynamic,
    notice: noticeOf,
    /** Makes this rail the opener of the account. */
    async openedBy(accountNumber: string, rail: string): Promise<void> {
      await asOwner(database, 'update virtual_account_number set rail = $2 where account_number = $1', [
        accountNumber,
        rail,
      ])
    },
    async overpay(tenant: Tenant, changes: Partial<DepositNotice> = {}) {
      const paid = { accountNumber: await openDynamic(tenant, 10_000, 'exact'), amount: 12_000 }
      const notice = { ...noticeOf(paid), ...changes }
      const { provider: by } = changes
      if (by !== undefined) await this.openedBy(paid.accountNumber, railOfProvider(rails, 'production', by) ?? by)
      const outcome = await deposits.receive('production', notice)
      if (outcome.kind !== 'recorded') throw new Error(outcome.kind)
      const { deposit } = outcome
      return { ...notice, id: deposit.id, deposit }
    },
    /** A notice as a lane gets it, once the owner of its account is known. */
    owned({ accountNumber = unknownNumber, ...rest }: Told): OwnedNotice {
      return { ...told(ctx.clock.now(), { provider, ...rest }), accountNumber }
    },
  }
}

type Told = Partial<Omit<OwnedNotice, 'amount'>> & { amount?: number }

const unknownNumber = '0000000000'

function told(
  nowMs: number,
  { amount = 100_000, ...rest }: Omit<Told, 'accountNumber'>,
): Omit<DepositNotice, 'account'> {
  return {
    provider: 'bank',
    providerId: newReference('N'),
    currency: 'NGN',
    status: 'SUCCESSFUL',
    senderAccountName: '',
    senderAccountNumber: '',
    senderBankName: '',
    narration: '',
    occurredAtMs: nowMs,
    amount: toMoney(amount),
    ...rest,
  }
}
