// An event is written in the commit that makes it true, once, and stays.

import { describe, expect, it } from 'vitest'
import { statement, type Tx } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { eventNames } from '#events/catalogue.ts'
import { createEventOutbox, type NewEvent } from '#events/outbox.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { shareService } from '#tests/support/service.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

const service = await shareService()
const { ctx, database } = service
const { tenants } = await createBusiness(ctx, 'Events')
const { id: tenantId, lane } = tenants.staging
const { emit } = createEventOutbox(ctx.clock)
const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => ctx.db.transaction(work, lane)
const atMs = Date.parse('2026-01-15T09:30:00.000Z')

function newEvent(changes: Partial<NewEvent> = {}): NewEvent {
  return { tenantId, name: 'transfer.success', sourceId: newUuid(atMs), reference: 'R-1', data: {}, atMs, ...changes }
}

type Row = { id: string; name: string; reference: string; data: string; created_at: Date }

const written = (sourceId: string): Promise<Row[]> =>
  asOwner(database, 'select id, name, reference, data, created_at from event where source_id = $1 order by id', [
    sourceId,
  ])

describe('an event', () => {
  it('is written with its transaction, with its data byte for byte', async () => {
    const data = { note: 'Ọlá "Ada", {\\}', nothing: null, amount: 9_007_199_254_740_991, nested: { a: ['null', ''] } }
    const event = newEvent({ data })
    await inTransaction(async (tx) => emit(tx, event))
    expect(await written(event.sourceId)).toEqual([
      {
        id: expect.any(String),
        name: event.name,
        reference: 'R-1',
        data: JSON.stringify(data),
        created_at: new Date(atMs),
      },
    ])
  })

  it('is not written when its transaction fails', async () => {
    const event = newEvent()
    const failing = inTransaction(async (tx) => {
      emit(tx, event)
      throw new Error('a bug')
    })
    await expect(failing).rejects.toThrow('a bug')
    expect(await written(event.sourceId)).toEqual([])
  })

  it('cannot happen twice: the second transaction fails as a whole', async () => {
    const event = newEvent()
    const other = newEvent()
    await inTransaction(async (tx) => emit(tx, event))
    const again = inTransaction(async (tx) => {
      emit(tx, other)
      emit(tx, event)
    })
    await expect(again).rejects.toThrow('event_pkey')
    expect(await written(event.sourceId)).toHaveLength(1)
    expect(await written(other.sourceId)).toEqual([])
  })

  it('has an id in the order of events, also with many in one transaction', async () => {
    const sourceId = newUuid(atMs)
    await inTransaction(async (tx) => {
      for (const name of eventNames) emit(tx, newEvent({ sourceId, name }))
    })
    expect((await written(sourceId)).map(({ name }) => name)).toEqual([...eventNames])
  })

  // The service may change the columns with personal data (docs/privacy.md).
  it.each(["update event set name = 'x'", 'delete from event', 'truncate event'])(
    'can never be changed by the service: %s',
    async (sql) => {
      const event = newEvent()
      await inTransaction(async (tx) => emit(tx, event))
      await expect(ctx.db.query(statement(`test.${sql.slice(0, 8)}`, sql))).rejects.toThrow('permission denied')
      expect(await written(event.sourceId)).toHaveLength(1)
    },
  )

  it.each(['update ledger_movement set amount = 1', 'delete from ledger_movement', 'truncate ledger_movement'])(
    'has a movement behind it that can never be changed either: %s',
    async (sql) => {
      await expect(ctx.db.query(statement(`test.movement ${sql.slice(0, 8)}`, sql))).rejects.toThrow(
        'permission denied',
      )
    },
  )
})

describe('the event of a transfer', () => {
  it.each([
    ['transfer.success', ['SUCCESS']],
    ['transfer.failed', ['FAILED']],
    ['transfer.reversed', ['SUCCESS', 'REVERSED']],
  ])('%s says what a read said at that moment', async (name, endings) => {
    const body = transferBody({ accountNumber: neverEnding, metadata: { z: '1', a: '2' }, narration: 'x' })
    let data = expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    for (const status of endings) {
      const path = `/v1/sandbox/transfers/${data.reference}/complete`
      data = expectSuccess(await service.staging.post(path, { status, failureReason: 'DO_NOT_HONOR' }))
    }
    const rows = await asOwner<Row>(
      database,
      'select name, data, created_at from event where reference = $1 order by id',
      [data.reference],
    )
    const last = rows.at(-1)
    expect(last?.name).toBe(name)
    expect(last?.data).toBe(JSON.stringify(data))
    expect(last?.created_at.toISOString()).toBe(data.updatedAt)
    expect(rows).toHaveLength(endings.length)
  })

  it('does not exist for a transfer that was just accepted', async () => {
    const body = transferBody({ accountNumber: neverEnding })
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    expect(await asOwner(database, 'select 1 from event where reference = $1', [body['reference']])).toEqual([])
  })
})
