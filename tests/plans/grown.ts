// Compares the days of a business while its tables grow.

import { expect, onTestFinished } from 'vitest'
import { statement } from '#platform/db/db.ts'
import { toMoney } from '#platform/money.ts'
import { setCurrencies } from '#businesses/currencies.ts'
import { setLimits } from '#payments/limits.ts'
import { createRoom } from '#tests/deposits/room.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { liveADay } from './day.ts'
import { costsMore, type Exempt } from './exempt.ts'
import { explainStatements, type Cost } from './explained.ts'
import { forgottenTables, growTo } from './growth.ts'

const youngRows = 1_000
const grownRows = 12_000
const forbidden = { 'test.order': expect.anything(), 'test.walk': expect.anything() }

/** Every statement that ran in this process, and whether it ran on a connection that keeps its plans. */
export const asked = new Map<string, { dedicated: boolean }>()

// Statements that do what no other may: walk through a tenant, and sort it.
const walk = statement(
  'test.walk',
  'select count(*) from payment where lane = $1 and tenant_id = $2 and account_name = $3',
)
const order = statement(
  'test.order',
  'select reference from payment where lane = $1 and tenant_id = $2 order by updated_at desc limit 1',
)

/**
 * Expects that a day costs what it cost before, in tables that were never analyzed, or only when they were young, and
 * then again.
 */
export async function expectDaysAlike({ analysedYoung }: { analysedYoung: boolean }): Promise<void> {
  const { service, live, openAnother, grow, analyse } = await openShop()
  await live()
  if (analysedYoung) await analyse()
  // Statistics of young tables know nothing of later tenants.
  await openAnother()
  await live()
  await grow(youngRows)
  const young = await live()
  await grow(grownRows)
  expect(await dearerAlways(young, live)).toEqual(forbidden)
  await analyse()
  expect(await dearerAlways(young, live)).toEqual(forbidden)
  expect(service.lines.filter((line) => line.includes('"level":"error"'))).toEqual([])
}

async function openShop() {
  const database = await createTestDatabase()
  const receiver = await startReceiver()
  const explained = await explainStatements(database)
  const tables = await asOwner<{ name: string }>(database, `select relname as name from pg_stat_user_tables`)
  for (const { name } of tables) await asOwner(database, `alter table ${name} set (autovacuum_enabled = false)`)
  expect(await forgottenTables(database)).toEqual([])
  const settings = { SANDBOX_SETTLE_MS: '20', WEBHOOK_RETRY_SCHEDULE: '1,1' }
  const service = await startService({ database, settings })
  let shop = service
  // Both clocks show the same time. Otherwise the service's worker would give up the accounts that this module opens in
  // January.
  const room = createRoom(database, [], Date.now())
  onTestFinished(async () => {
    await service.stop()
    await receiver.close()
    await database.drop()
  })
  async function limit(): Promise<void> {
    const { staging } = shop.business.tenants
    await setCurrencies(service.ctx, staging, { on: ['GHS'], off: [] })
    for (const currency of ['NGN', 'GHS'] as const)
      await setLimits(service.ctx, staging, { perDay: toMoney(9_000_000_000) }, currency)
  }
  await limit()
  let day = 0
  return {
    service,
    async openAnother(): Promise<void> {
      shop = { ...service, ...(await service.addBusiness('Another Business')) }
      await limit()
    },
    grow: (rows: number) => growTo(database, rows),
    analyse: () => asOwner(database, 'analyze'),
    async live(): Promise<Map<string, Cost>> {
      await liveADay({ service: shop, receiver, room, day: (day += 1) })
      await doWhatIsForbidden(shop)
      const costs = explained.take()
      for (const [name, { dedicated }] of costs) {
        asked.set(name, { dedicated: dedicated || asked.get(name)?.dedicated === true })
      }
      return costs
    },
  }
}

async function doWhatIsForbidden({ ctx: { db }, business }: TestService): Promise<void> {
  const { lane, id } = business.tenants.staging
  await db.readers.query(walk, [lane, id, 'NOBODY'])
  await db.readers.query(order, [lane, id])
}

export const namesOf = (exempt: Exempt[]): Set<string> => new Set(exempt.flatMap(({ names }) => names))

const daysMax = 5

/**
 * Statements that cost more on two days, and on later days as long as there are any. A changed plan shows every day. A
 * single expensive run may be a row for which its file has no room, or a connection that was opened again on a busy
 * machine.
 */
async function dearerAlways(
  young: Map<string, Cost>,
  live: () => Promise<Map<string, Cost>>,
): Promise<Record<string, Cost>> {
  const days = [await live(), await live()]
  const known = Object.keys(forbidden).length
  while (days.length < daysMax && Object.keys(dearer(young, ...days)).length > known) days.push(await live())
  return dearer(young, ...days)
}

/** Statements that need more pages on each of these days than one more level of an index explains, with their plans. */
function dearer(young: Map<string, Cost>, ...days: Map<string, Cost>[]): Record<string, Cost> {
  const exempt = namesOf(costsMore)
  const found = [...asked.keys()].flatMap((name) => {
    const costs = days.flatMap((day) => day.get(name) ?? []).toSorted((left, right) => left.pages - right.pages)
    const most = 2 * (young.get(name)?.pages ?? 0) + 10
    const [least] = costs
    return least === undefined || least.pages <= most || exempt.has(name) ? [] : [[name, least] as const]
  })
  return Object.fromEntries(found)
}
