// Reads at the boundary of the archive return exact data, or an error that says from which time on there is data.

import { beforeAll, describe, expect, it } from 'vitest'
import { archiveMonths, type SealedMonth } from '#archive/archive.ts'
import { archivableUntil } from '#archive/source.ts'
import { createDb } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { newFolder } from '#tests/support/run.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'
import { fillMonths } from './months.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const { staging } = service

const folder = await newFolder('archive')
const monthsKept = 2

type Entry = { id: string; createdAt: string; balanceAfter: number; amount: number }
const list = async (query: string) => staging.get(`/v1/balance/ledger?${query}`)
const pageOf = async (query: string): Promise<{ entries: Entry[]; total: number }> => {
  const answer = await list(query)
  return { entries: expectSuccess(answer).entries, total: answer.body.meta?.pagination.total ?? 0 }
}

let all: Entry[] = []
let months: SealedMonth[] = []
let edge = new Date(0)

beforeAll(async () => {
  const tenant = service.business.tenants.staging
  // As many payments come before and after the edge on the 31st as on the first of March.
  const from = new Date(archivableUntil(new Date(), monthsKept).getTime() - 95 * dayMs)
  await fillMonths(service.ctx, service.database, { tenant, from, payments: 100, everyMs: 1.3 * dayMs })
  for (let page = 1; all.length === 0 || all.length % 100 === 0; page++) {
    const { entries } = await pageOf(`limit=100&page=${page}`)
    all.push(...entries)
  }
  const owned = createDb({ url: service.database.ownerUrl, log: service.ctx.log, metrics: service.ctx.metrics })
  months = await archiveMonths({ ...service.ctx, db: owned }, 'movements', {
    folder,
    monthsKept,
    restsPerWork: 0,
    tell: () => undefined,
  })
  await owned.close()
  edge = months.at(-1)?.until ?? edge
})

const refusal = (field: string) => ({
  status: 400,
  body: {
    error: {
      code: 'VALIDATION_ERROR',
      details: [{ field, message: expect.stringContaining(`before ${edge.toISOString()}, which were archived`) }],
    },
  },
})

describe('the statement of the API', () => {
  it('has the same pages and total as before, up to the archived entries', async () => {
    expect(months.length).toBeGreaterThan(2)
    const kept = all.filter(({ createdAt }) => new Date(createdAt) >= edge)
    expect(kept.length).toBeGreaterThan(30)
    const { entries, total } = await pageOf('limit=20&page=1')
    expect({ entries, total }).toEqual({ entries: all.slice(0, 20), total: all.length })
    const since = await pageOf(`limit=100&from=${edge.toISOString()}`)
    expect(since).toEqual({ entries: kept, total: kept.length })
    const middle = kept[10]?.createdAt ?? ''
    const later = kept.filter(({ createdAt }) => createdAt >= middle)
    expect(await pageOf(`limit=100&from=${middle}`)).toEqual({ entries: later, total: later.length })
  })

  it('refuses a page or a time among archived entries, and says from which time on there are entries', async () => {
    const lastPage = Math.ceil(all.length / 20)
    expect(await list(`limit=20&page=${lastPage}`)).toMatchObject(refusal('page'))
    expect(await pageOf(`limit=20&page=${lastPage + 1}`)).toEqual({ entries: [], total: all.length })
    const earlier = new Date(edge.getTime() - dayMs).toISOString()
    expect(await list(`from=${earlier}`)).toMatchObject(refusal('from'))
    expect(await list(`to=${earlier}`)).toMatchObject(refusal('to'))
  })

  it('continues after the archive with the next numbers and balances', async () => {
    const { reference } = expectSuccess(await staging.post('/v1/transfers/initiate', transferBody()))
    await untilStatus(staging, reference, 'SUCCESS')
    const { entries, total } = await pageOf('limit=2')
    expect(total).toBe(all.length + 1)
    const [newest, before] = entries
    expect(newest?.balanceAfter).toBe((before?.balanceAfter ?? 0) + (newest?.amount ?? 0))
    all = [...entries.slice(0, 1), ...all]
  })
})

describe('people', () => {
  it('see a statement of the remaining entries that adds up from the balance at the end of the archive', async () => {
    const person = await addPerson(service, { role: 'owner' })
    const here = below(service, 'staging')
    const statement = await person.get(`${here}/statement?from=${edge.toISOString()}&limit=100`)
    const last = all.find(({ createdAt }) => new Date(createdAt) < edge)
    expect(statement).toMatchObject({ status: 200, body: { data: { adds: true, opening: last?.balanceAfter } } })
    expect(await person.get(`${here}/statement`)).toMatchObject(refusal('from'))
    expect(await person.get(`${here}/export/statement.csv?check=1&zone=UTC`)).toMatchObject(refusal('from'))
    const counted = await person.get(`${here}/export/statement.csv?check=1&zone=UTC&from=${edge.toISOString()}`)
    expect(counted).toMatchObject({ status: 200, body: { data: { rows: statement.body.meta?.pagination.total } } })
  })

  it('see in the history of an old payment that its movements are in the archive', async () => {
    const person = await addPerson(service, { role: 'owner' })
    const story = (reference: string) => person.get(`${below(service, 'staging')}/payments/${reference}/story`)
    expect(await story('PAY-3')).toMatchObject({
      status: 200,
      body: { data: { movements: [], movementsArchivedUntil: edge.toISOString() } },
    })
    const young = await story('PAY-99')
    expect(young).toMatchObject({ status: 200, body: { data: { movementsArchivedUntil: null } } })
    expect(young.body.data.movements.length).toBeGreaterThan(1)
  })
})
