// Retention erases personal data when its time is over, and nothing else.

import { describe, expect, it } from 'vitest'
import type { Context } from '#platform/context.ts'
import { createRetain, type RetainDays } from '#privacy/retain.ts'
import { manilla } from '#tests/cli/support.ts'
import { dynamicAccount, pay, settle } from '#tests/deposits/requests.ts'
import { collectBody, phones, sendBody } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectSuccess, type Client } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { rowsWith, whereFound } from './everywhere.ts'
import { newPerson, payInto } from './people.ts'

const days: RetainDays = { eventDays: 90, payerDays: 365 }
const dayMs = 86_400_000

async function useWorld() {
  const clock = createFakeClock()
  const service = await startService({ clock, roles: ['api'] })
  return { clock, service, database: service.database, client: service.staging }
}

/** Runs retention as the loop does, until the round is over. */
async function retainAll(ctx: Context, wanted = days): Promise<number> {
  const retain = createRetain(ctx, wanted)
  let all = 0
  for (let rows = await retain(1); rows > 0; rows = await retain(1)) all += rows
  return all
}

async function complete(client: Client, path: string, reference: string): Promise<void> {
  const body = { status: 'SUCCESS' }
  expectSuccess(await client.post(`/v1/sandbox/${path}/${reference}/complete`, body))
}

/** Makes an ended payment of each kind and a deposit by each way, and returns the texts that name their people. */
async function happen(client: Client, name: string): Promise<string[]> {
  const said = (what: string) => ({ narration: `${name}${what}note`, metadata: { of: `${name}${what}meta` } })
  const transfer = transferBody({ accountNumber: neverEnding, accountName: `${name}payee`, ...said('transfer') })
  const wallet = sendBody({ phoneNumber: phones.neverEnding, accountName: `${name}wallet`, ...said('wallet') })
  const collection = collectBody({
    phoneNumber: phones.neverEnding,
    customerName: `${name}payer`,
    ...said('collection'),
  })
  const asked = [
    ['/v1/transfers/initiate', 'transfers', transfer],
    ['/v1/momo/transfer', 'momo/transfer', wallet],
    ['/v1/momo/collection', 'momo/collection', collection],
  ] as const
  for (const [path, kind, body] of asked) {
    expectSuccess(await client.post(path, body))
    await complete(client, kind, String(body['reference']))
  }
  const order = await dynamicAccount(client, { accountName: `${name}order`, ...said('order') })
  const sender = { senderAccountName: `${name}sender`, senderAccountNumber: `${name}number`, narration: `${name}words` }
  await pay(client, order.accountNumber, 250_000, sender)
  const notes = ['transfer', 'wallet', 'collection', 'order'].flatMap((what) => [
    `${name}${what}note`,
    `${name}${what}meta`,
  ])
  return ['payee', 'wallet', 'payer', 'order', 'sender', 'number', 'words'].map((what) => name + what).concat(notes)
}

async function expectBooksProved({ database }: TestService): Promise<void> {
  const { stdout, code } = await manilla(['ledger', 'verify', '--json'], { env: { DATABASE_URL: database.serviceUrl } })
  expect([JSON.parse(stdout).breaches, code]).toEqual([[], 0])
}

const statesOf = ({ database }: TestService) =>
  asOwner(
    database,
    `select id, reference, status, amount, fee, account_number, phone_number, created_at, updated_at, completed_at from payment
      union all select id, provider_id, status, amount, fee, account_number, null, created_at, updated_at, paid_at from deposit
      order by 1`,
  )

it('data of other modules that has expired is erased in the same rounds, all of it', async () => {
  const { service } = await useWorld()
  let left = 1_234
  const retain = createRetain(service.ctx, { eventDays: undefined, payerDays: undefined }, [
    async (limit) => {
      const some = Math.min(left, limit)
      left -= some
      return some
    },
  ])
  expect(await retain(1)).toBe(1_234)
  expect([left, await retain(1)]).toEqual([0, 0])
  await service.stop()
})

describe('old data', () => {
  it('is erased in events first, then payments, deposits and accounts; customers and young rows stay', async () => {
    const { clock, service, database, client } = await useWorld()
    const ada = await newPerson(client, 'Ada')
    await payInto(client, ada)
    const old = await happen(client, 'Old')
    await asOwner(
      database,
      `insert into inbound_notice values ('staging', 'bank', 'n1', 'FAILED', '0', 'NGN', 1, 'Oldnotice', '', '', 'Oldheard', $1, $1)`,
      [new Date(clock.now())],
    )
    clock.advance(91 * dayMs)
    const young = await happen(client, 'Young')
    const [states, inPayments] = [await statesOf(service), await rowsWith(database, young)]
    expect(inPayments.length).toBeGreaterThan(7)

    await retainAll(service.ctx)
    expect((await whereFound(database, [...old, ...ada.texts])).filter((one) => one.startsWith('event'))).toEqual([])
    const kept = await whereFound(database, old)
    for (const text of old)
      expect(
        kept.some((one) => one.endsWith(`: ${text}`)),
        text,
      ).toBe(true)

    clock.advance(275 * dayMs)
    await retainAll(service.ctx)
    expect(await whereFound(database, [...old, 'Oldnotice', 'Oldheard'])).toEqual([])
    const { payer, payerNumber, narration, ...own } = ada.identity
    expect(await whereFound(database, [payer, payerNumber, narration])).toEqual([])
    expect(await whereFound(database, Object.values(own))).toEqual(
      [
        ...['email', 'firstName', 'lastName', 'note'].map((field) => `customer: ${own[field as 'email']}`),
        `deposit: ${own.accountName}`,
        `virtual_account: ${own.accountName}`,
      ].toSorted(),
    )
    const left = (await rowsWith(database, young)).filter((row) => !row.startsWith('event '))
    expect(left).toEqual(inPayments.filter((row) => !row.startsWith('event ')))
    expect(await statesOf(service)).toEqual(states)
    await expectBooksProved(service)
    await service.stop()
  })

  it('stays for ever without a setting', async () => {
    const { clock, service, database, client } = await useWorld()
    const texts = await happen(client, 'Kept')
    clock.advance(4_000 * dayMs)
    expect(await retainAll(service.ctx, { eventDays: undefined, payerDays: undefined })).toBe(0)
    const found = await whereFound(database, texts)
    expect(found.filter((one) => one.startsWith('event'))).not.toEqual([])
    expect(found.filter((one) => one.startsWith('payment'))).not.toEqual([])
    await service.stop()
  })

  it('and unfinished is kept, with what came after it, until it has ended', async () => {
    const { clock, service, database, client } = await useWorld()
    const [stuck, behind] = ['Stuckpayee', 'Behindpayee'].map((accountName) =>
      transferBody({ accountNumber: neverEnding, accountName }),
    )
    for (const body of [stuck, behind]) expectSuccess(await client.post('/v1/transfers/initiate', body))
    await complete(client, 'transfers', String(behind?.['reference']))
    clock.advance(400 * dayMs)
    await retainAll(service.ctx)
    expect(await whereFound(database, ['Stuckpayee', 'Behindpayee'])).toEqual([
      'payment: Behindpayee',
      'payment: Stuckpayee',
    ])
    await complete(client, 'transfers', String(stuck?.['reference']))
    clock.advance(11 * 60_000)
    await retainAll(service.ctx)
    // The event of its end is younger than the payment.
    expect(await whereFound(database, ['Stuckpayee', 'Behindpayee'])).toEqual(['event: Stuckpayee'])
    await expectBooksProved(service)
    await service.stop()
  })

  it('is asked for again as it was: a request that is repeated is still replayed', async () => {
    const { clock, service, client } = await useWorld()
    const body = transferBody({ accountNumber: neverEnding, accountName: 'Repeated', narration: 'rent' })
    const first = expectSuccess(await client.post('/v1/transfers/initiate', body))
    await complete(client, 'transfers', first.reference)
    clock.advance(400 * dayMs)
    await retainAll(service.ctx)
    const again = await client.post('/v1/transfers/initiate', body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(expectSuccess(again)).toEqual({ ...first, accountName: 'erased', narration: null })
    await service.stop()
  })
})

describe('the walk', () => {
  /** Inserts deposits without books, which only the walk needs. */
  async function manyDeposits(count: number) {
    const world = await useWorld()
    const { client, database, clock } = world
    const person = await newPerson(client, 'Many')
    await payInto(client, person)
    const copies = `insert into deposit
      select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'ordinal', 1 + n,
               'provider_id', 'copy ' || n))).*
        from deposit d cross join generate_series(1, $1::int) as n where d.ordinal = 1`
    await asOwner(database, copies, [count - 1])
    clock.advance(400 * dayMs)
    return { ...world, person }
  }
  const leftIn = async ({ database }: { database: { ownerUrl: string } }): Promise<number> => {
    const sql = `select count(*)::int as count from deposit where sender_account_name <> 'erased'`
    return (await asOwner<{ count: number }>(database, sql))[0]?.count ?? -1
  }

  it('goes through a list of several transactions, by two processes at once, each row once', async () => {
    const world = await manyDeposits(1_700)
    const { service, database } = world
    const other = { ...service.ctx, db: database.connect() }
    const counts = await Promise.all([retainAll(service.ctx), retainAll(other)])
    expect(await leftIn(world)).toBe(0)
    // The deposits, the account and the event.
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(1_700 + 2)
    await service.stop()
  })

  it('continues where it was when its process was killed', async () => {
    const world = await manyDeposits(1_700)
    const { service } = world
    const { db } = service.ctx
    let left = 2
    const transaction: typeof db.transaction = (work, lane) =>
      left-- > 0 ? db.transaction(work, lane) : Promise.reject(new Error('killed'))
    const dying = { ...service.ctx, db: { ...db, transaction } }
    await expect(createRetain(dying, { eventDays: undefined, payerDays: 365 })(1)).rejects.toThrow('killed')
    expect(await leftIn(world)).toBe(700)
    expect(await retainAll(service.ctx)).toBe(700 + 2)
    expect(await leftIn(world)).toBe(0)
    await service.stop()
  })

  it('does not wait: it leaves locked rows for later, and passes over none behind them', async () => {
    const world = await manyDeposits(10)
    const { service, database, clock } = world
    const db = database.connect()
    const lock = { name: 'test.hold', text: 'select 1 from deposit where lane = $1 and ordinal = 4 for update' }
    await db.transaction(async (tx) => {
      await tx.query(lock, [service.business.tenants.staging.lane])
      await retainAll(service.ctx)
      expect(await leftIn(world)).toBe(7)
    })
    clock.advance(11 * 60_000)
    await retainAll(service.ctx)
    expect(await leftIn(world)).toBe(0)
    await service.stop()
  })
})

it('a deposit that has not ended still knows its payer, and so does the event of its end', async () => {
  const { clock, service, database, client } = await useWorld()
  const person = await newPerson(client, 'Late')
  const pending = await payInto(client, person, { status: 'PENDING' })
  clock.advance(400 * dayMs)
  await retainAll(service.ctx)
  await settle(client, pending, 'SUCCESSFUL')
  expect(await whereFound(database, ['Latepayer'])).toEqual(['deposit: Latepayer', 'event: Latepayer'])
  await service.stop()
})
