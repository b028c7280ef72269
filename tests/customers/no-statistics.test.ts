// Creating, opening, expiring and listing on tables that grew from empty without ANALYZE: what is done costs what it
// touches, not what the tables hold. Counted are rows that PostgreSQL read, not milliseconds.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '#base/context.ts'
import { inLane, type Tx } from '#base/db.ts'
import { newUuid } from '#base/ids.ts'
import { toKobo } from '#base/money.ts'
import { createSecretBox } from '#base/secret.ts'
import { createBusiness } from '#businesses/business.ts'
import { createCustomersOperation } from '#customers/create.ts'
import { listAccounts, type AccountsQuestion } from '#customers/list.ts'
import { openAccountsOperation, type OpenCommand } from '#customers/open.ts'
import { lockPaidAccounts } from '#customers/paid.ts'
import { closeAccount, expireAccounts, findOwners } from '#customers/sql-accounts.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { useTablesWithoutStatistics } from '#tests/support/no-statistics.ts'

const rows = 20_000
const batchSize = 500
/** What one may cost in rows, of tables and indexes together, whatever is done with it. */
const rowsEach = 16

const database = await useTestDatabase()
const { db, rowsReadBy } = await useTablesWithoutStatistics(database)

const ctx = createTestContext(db)
const creating = createCustomersOperation(ctx, createSecretBox(Buffer.alloc(32, 7)))
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

const bank = { accountName: 'ADA OBI', bankName: 'Wema Bank', bankSlug: 'wema-bank', currency: 'NGN' as const }
const nothing = { narration: null, metadata: null }

function staticOf(reference: string): OpenCommand {
  const [id, accountNumber] = [newUuid(ctx.clock.now()), numberOf(reference, 3)]
  const customer = { id, reference }
  return { tenant, draft: { ...bank, ...nothing, type: 'static', id, reference, accountNumber, order: null, customer } }
}

function dynamicOf(reference: string): OpenCommand {
  const [id, accountNumber] = [newUuid(ctx.clock.now()), numberOf(reference, 4)]
  const order = { amount: toKobo(5_000), policy: 'exact' as const, expiresAt: new Date(ctx.clock.now() + 86_400_000) }
  return {
    tenant,
    draft: { ...bank, ...nothing, type: 'dynamic', id, reference, accountNumber, order, customer: null },
  }
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
    await open(names.map(staticOf))
    await open(names.map(dynamicOf))
  }
})

describe('on a table without statistics a batch reads what it touches', () => {
  it('when customers are created, and when their references exist', async () => {
    const names = references(batchSize)
    const read = await rowsReadBy(async () => {
      await create(names)
      expect(await create(names)).toEqual(names.map(() => ({ kind: 'exists' })))
    })
    expect(read).toBeLessThan(2 * batchSize * rowsEach)
  })

  it.each([
    ['static', staticOf],
    ['dynamic', dynamicOf],
  ])('when %s accounts are opened, and when their claims exist', async (_type, commandOf) => {
    const commands = references(batchSize).map(commandOf)
    const read = await rowsReadBy(async () => {
      expect(await open(commands)).toEqual(new Set(['opened']))
      expect(await open(commands)).toEqual(new Set(['exists']))
    })
    expect(read).toBeLessThan(2 * batchSize * rowsEach)
  })

  it('when a notice asks whose a number is, and when it is paid', async () => {
    const numbers = references(batchSize).map((_, index) => numberOf(`CUS-${((index * 7_919) % rows) + 1}`, 3))
    const keys = numbers.map((accountNumber) => ({ tenantId: tenant.id, accountNumber }))
    const lock = (tx: Tx) => lockPaidAccounts(tx, keys)
    const read = await rowsReadBy(async () => {
      expect((await findOwners(db, 'staging', numbers)).size).toBe(new Set(numbers).size)
      expect((await db.transaction(lock, tenant.lane)).size).toBe(new Set(numbers).size)
    })
    expect(read).toBeLessThan(batchSize * rowsEach)
  })

  it('when one is closed', async () => {
    const read = await rowsReadBy(async () => {
      const closed = await closeAccount(db, tenant, numberOf('CUS-9', 3), new Date(ctx.clock.now()))
      expect(closed?.status).toBe('CLOSED')
    })
    expect(read).toBeLessThan(rowsEach)
  })

  it('when accounts expire', async () => {
    const read = await rowsReadBy(async () => {
      const due = new Date(ctx.clock.now() + 86_400_000)
      expect(await expireAccounts(inLane(db, tenant.lane), due, batchSize)).toBe(batchSize)
    })
    expect(read).toBeLessThan(batchSize * rowsEach)
  })
})

describe('on a table without statistics a page reads a page', () => {
  const limit = 20
  const lists: [string, Omit<AccountsQuestion, 'limit'>][] = [
    ['the first', { page: 1 }],
    ['a deep one', { page: rows / limit }],
    ['those of a customer', { page: 1, customerReference: 'CUS-7' }],
    ['those of a customer and a status', { page: 1, customerReference: 'CUS-7', status: 'ACTIVE' }],
  ]

  it.each(lists)('%s', async (_which, question) => {
    const read = await rowsReadBy(async () => {
      const { accounts, total } = await listAccounts(ctx, tenant, { ...question, limit })
      expect(accounts.length).toBe(Math.min(limit, total))
    })
    expect(read).toBeLessThan(500)
  })
})
