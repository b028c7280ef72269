// Creating, opening, expiring and listing accounts on tables that grew from empty, without statistics and with old
// ones: an operation costs the rows that it touches, not the rows that the tables hold.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane, type Tx } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { createBusiness } from '#businesses/business.ts'
import { createCustomersOperation } from '#virtual-accounts/customers.ts'
import { listAccounts, type AccountsQuestion } from '#virtual-accounts/list.ts'
import {
  beginOpeningsOperation,
  openAccountsOperation,
  type OpenCommand,
} from '#virtual-accounts/provisioning-steps.ts'
import type { NewProvisioning, VirtualAccount } from '#virtual-accounts/account.ts'
import { lockPaidAccounts, findOwners } from '#virtual-accounts/account-owners.ts'
import { closeAccount, expireAccounts, findAccounts } from '#virtual-accounts/queries.ts'
import { claimOpenings } from '#virtual-accounts/provisioning-queries.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTablesOfEachSort } from '#tests/support/no-statistics.ts'

const rows = 8_000
const batchSize = 200
/** Openings that wait while a rail is down. */
const openingsWaiting = 5_000
/** The most rows, of tables and indexes together, that one operation may read for an account. */
const rowsEach = 16

const sorts = await useTablesOfEachSort()

describe.each(sorts)('tables that are analysed when they are: $analysed', ({ db, are, expectRows }) => {
  const ctx = createTestContext(db)
  const creating = createCustomersOperation(ctx, createSecretBox(Buffer.alloc(32, 7)))
  const beginning = beginOpeningsOperation(ctx)
  const opening = openAccountsOperation(ctx)
  let tenant: Tenant
  let made = 0

  const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)
  const references = (count: number): string[] => times(count, () => `CUS-${(made += 1)}`)
  const numberOf = (reference: string, first: number): string => `${first}${reference.slice(4).padStart(9, '0')}`

  const create = (names: string[]): Promise<unknown[]> =>
    db.transaction((tx) => {
      const details = { firstName: 'Ada', lastName: 'Obi', email: null, phoneNumber: null, metadata: null }
      return creating.run(
        tx,
        names.map((reference) => ({ tenant, reference, details, bvn: null })),
      )
    }, tenant.lane)

  const given = { accountName: 'ADA OBI', bankName: 'Wema Bank', bankSlug: 'wema-bank', handle: null }
  const nothing = { narration: null, metadata: null, rail: 'simulator' }

  type Asked = { wanted: NewProvisioning; accountNumber: string }

  function staticOf(reference: string): Asked {
    const id = newUuid(ctx.clock.now())
    const about = { id, reference, accountName: 'ADA OBI', createdAt: new Date(ctx.clock.now()) }
    const wanted: NewProvisioning = {
      ...about,
      ...nothing,
      type: 'static',
      bankSlug: 'wema-bank',
      order: null,
      customer: { id, reference },
    }
    return { wanted, accountNumber: numberOf(reference, 3) }
  }

  function dynamicOf(reference: string): Asked {
    const about = {
      id: newUuid(ctx.clock.now()),
      reference,
      accountName: 'ADA OBI',
      createdAt: new Date(ctx.clock.now()),
    }
    const order = {
      amount: toMoney(5_000),
      policy: 'exact' as const,
      expiresAt: new Date(ctx.clock.now() + 86_400_000),
    }
    const wanted: NewProvisioning = { ...about, ...nothing, type: 'dynamic', bankSlug: null, order, customer: null }
    return { wanted, accountNumber: numberOf(reference, 4) }
  }

  async function begin(asked: Asked[]): Promise<OpenCommand[]> {
    const commands = asked.map(({ wanted }) => ({ tenant, wanted }))
    const outcomes = await db.transaction((tx) => beginning.run(tx, commands), tenant.lane)
    return outcomes.flatMap((outcome, index) => {
      if (outcome.kind !== 'begun') return []
      const number = { accountNumber: asked[index]?.accountNumber ?? '', railReference: outcome.opening.id }
      return [{ tenant, opening: outcome.opening, given: { ...given, ...number } }]
    })
  }

  async function open(commands: OpenCommand[]): Promise<Set<string>> {
    const outcomes = await db.transaction((tx) => opening.run(tx, commands), tenant.lane)
    return new Set(outcomes.map(({ kind }) => kind))
  }

  beforeAll(async () => {
    tenant = (await createBusiness(ctx, 'Growing')).tenants.staging
    while (made < rows) {
      const names = references(batchSize)
      await create(names)
      await open(await begin(names.map(staticOf)))
      await open(await begin(names.map(dynamicOf)))
      if (made === batchSize) await are('young')
    }
    await are('grown')
  })

  describe('a batch reads what it touches', () => {
    it('when customers are created, and when their references exist', async () => {
      const names = references(batchSize)
      await expectRows(2 * batchSize * rowsEach, async () => {
        await create(names)
        expect(await create(names)).toEqual(names.map(() => ({ kind: 'exists' })))
      })
    })

    it.each([
      ['static', staticOf],
      ['dynamic', dynamicOf],
    ])('when %s accounts are opened, and when their claims exist', async (_type, askedOf) => {
      const asked = references(batchSize).map(askedOf)
      await expectRows(4 * batchSize * rowsEach, async () => {
        const commands = await begin(asked)
        expect(await open(commands)).toEqual(new Set(['opened']))
        expect(await open(commands)).toEqual(new Set(['exists']))
        expect(await begin(asked)).toEqual([])
      })
    })

    it('when many openings wait, and some are gone on with, made accounts and given up', async () => {
      for (let round = 0; round < openingsWaiting; round += batchSize) await begin(references(batchSize).map(staticOf))
      const due = new Date(ctx.clock.now() + 86_400_000)
      const pauses = { shortestMs: 1, longestMs: 1 }
      const claim = () => claimOpenings(inLane(db, tenant.lane), due, batchSize, pauses)
      // The loop looks every second; its first look passes over all openings that have ended.
      await claim()
      const asked = references(batchSize).map(dynamicOf)
      await expectRows(4 * batchSize * rowsEach, async () => {
        await begin(asked)
        expect(await open(await begin(asked))).toEqual(new Set(['opened']))
        expect(await claim()).toHaveLength(batchSize)
      })
    })

    it('when a notice asks whose a number is, and when it is paid', async () => {
      const numbers = references(batchSize).map((_, index) => numberOf(`CUS-${((index * 7_919) % rows) + 1}`, 3))
      const atMs = ctx.clock.now()
      const paidAt = new Date(atMs)
      const keys = numbers.map((accountNumber) => ({ tenantId: tenant.id, accountNumber, paidAt }))
      const asked = numbers.map((number) => ({ number, atMs }))
      const lock = (tx: Tx) => lockPaidAccounts(tx, keys)
      await expectRows(batchSize * rowsEach, async () => {
        expect((await findOwners(db.readers, 'staging', asked)).size).toBe(new Set(numbers).size)
        const paid = await db.transaction(lock, tenant.lane)
        expect(keys.filter((key) => paid.find(key) === undefined)).toEqual([])
      })
    })

    it('when one is closed', async () => {
      await expectRows(rowsEach, async () => {
        const [account] = await findAccounts(inLane(db, tenant.lane), [
          { tenantId: tenant.id, accountNumber: numberOf('CUS-9', 3) },
        ])
        const closed = await closeAccount(db, tenant, account as VirtualAccount, new Date(ctx.clock.now()))
        expect(closed.status).toBe('CLOSED')
      })
    })

    it('when accounts expire', async () => {
      await expectRows(batchSize * rowsEach, async () => {
        const due = new Date(ctx.clock.now() + 86_400_000)
        expect(await expireAccounts(inLane(db, tenant.lane), due, batchSize)).toBe(batchSize)
      })
    })
  })

  describe('a page reads a page', () => {
    const limit = 20
    const lists: [string, Omit<AccountsQuestion, 'limit'>][] = [
      ['the first', { page: 1 }],
      ['a deep one', { page: rows / limit }],
      ['those of a customer', { page: 1, customerReference: 'CUS-7' }],
      ['the only closed one', { page: 1, status: 'CLOSED' }],
      ['the static ones that are closed', { page: 1, type: 'static', status: 'CLOSED' }],
      ['those of a customer and a status', { page: 1, customerReference: 'CUS-7', status: 'ACTIVE' }],
    ]

    it.each(lists)('%s', async (_which, question) => {
      await expectRows(500, async () => {
        const { accounts, total } = await listAccounts(ctx, tenant, { ...question, limit })
        expect(accounts.length).toBe(Math.min(limit, total))
      })
    })
  })
})
