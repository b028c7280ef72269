// Bulk requests at the same time, over HTTP: too many of them, equal ones on two processes, and one whose caller
// disconnects.

import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { createClient, expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { connectRaw } from '#tests/support/raw-http.ts'
import { startService, useService } from '#tests/support/service.ts'
import { balanceOf, neverEnding, transferBody } from './requests.ts'

// A client whose answer takes a minute is cut off, and behind so many others a minute is not long on a slow machine.
const limits = { stalledMs: 3_600_000 }
const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' }, limits })
const path = '/v1/transfers/bulk'
type Item = Record<string, unknown>
const items = (count: number): Item[] =>
  Array.from({ length: count }, () => transferBody({ accountNumber: neverEnding }))
const send = (transfers: Item[], client = service.staging): Promise<Answer> => client.post(path, { transfers })
const referencesOf = (list: Item[]): unknown[] => list.map(({ reference }) => reference)

async function stored(references: unknown[]): Promise<number> {
  const rows = await asOwner(service.database, 'select 1 from payment where reference = any($1)', [references])
  return rows.length
}

/** Locks the balance as another process in the middle of a batch does, for as long as a slow machine may take. */
async function holdBalance({ lane, id }: Tenant): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: service.database.ownerUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select 1 from ledger_account where lane = $1 and tenant_id = $2 for update', [lane, id])
  return async () => {
    await holder.query('rollback')
    await holder.end()
  }
}

describe('more than can wait', () => {
  it('is refused as a whole with 503: each body is stored wholly or not at all, and others are served meanwhile', async () => {
    const release = await holdBalance(service.business.tenants.staging)
    const bodies = Array.from({ length: 80 }, () => items(1_000))
    const refused: Answer[] = []
    const sent = bodies.map(async (body) => {
      const answer = await send(body)
      if (answer.status !== 200) refused.push(answer)
      return answer
    })
    // The lane stands still, and it refuses the requests that do not fit: the first part of at most 65 requests waits,
    // and one is being worked on.
    await untilHolds(() => expect(refused.length).toBeGreaterThanOrEqual(3))
    expect(expectSuccess(await service.staging.get('/v1/banks')).banks.length).toBeGreaterThan(0)
    await release()
    const answers = await Promise.all(sent)
    for (const answer of refused) expectError(answer, 503, 'SERVICE_UNAVAILABLE', /^Too many requests are waiting/)
    for (const [index, answer] of answers.entries()) {
      expect(await stored(referencesOf(bodies[index] ?? []))).toBe(refused.includes(answer) ? 0 : 1_000)
    }
  })
})

describe('a caller that leaves in the middle', () => {
  it('finds each item once when it sends the same body again', async () => {
    const list = items(1_000)
    const body = JSON.stringify({ transfers: list })
    const connection = connectRaw(Number(new URL(service.url).port))
    connection.send(
      `POST /staging${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.testKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await untilHolds(async () => expect(await stored(referencesOf(list))).toBeGreaterThan(0))
    connection.destroy()
    const { accepted, replayed, refused } = expectSuccess(await send(list))
    expect({ all: accepted + replayed, refused }).toEqual({ all: 1_000, refused: 0 })
    expect(replayed).toBeGreaterThan(0)
    expect(await stored(referencesOf(list))).toBe(1_000)
  })
})

describe('the same bodies at once, on two processes', () => {
  it('are each transfer once, and every answer says the same of it', async () => {
    const second = await startService({ database: service.database, settings: { SANDBOX_SETTLE_MS: '20' } })
    const client = createClient(`${second.url}/staging`, service.testKey)
    const before = await balanceOf(service.staging)
    const list = items(400)
    // The second list is reversed, so that the two meet in the middle.
    const [forwards, backwards] = [await Promise.all([send(list), send(list.toReversed(), client)])].flat()
    const told = expectSuccess(forwards as Answer)
    const toldBackwards = expectSuccess(backwards as Answer)
    expect(told.accepted + toldBackwards.accepted).toBe(400)
    expect(told.replayed + toldBackwards.replayed).toBe(400)
    const transfersOf = (data: { results: { transfer: unknown }[] }): unknown[] =>
      data.results.map(({ transfer }) => transfer)
    expect(transfersOf(told)).toEqual(transfersOf(toldBackwards).toReversed())
    expect(before.available - (await balanceOf(service.staging)).available).toBe(400 * 151_000)
    expect(await stored(referencesOf(list))).toBe(400)
    client.close()
    await second.stop()
  })
})
