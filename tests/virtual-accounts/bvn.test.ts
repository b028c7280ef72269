// A BVN goes in and never comes out: no answer, no row of the database and no log line holds it; only the rail gets it.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '#rails/simulator/simulator.ts'
import type { StaticAccountOrder } from '#rails/ports.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { newCustomer } from '#tests/deposits/requests.ts'

const clock = createFakeClock()
const simulator = createSimulator({ clock, settleMs: 0 })
const told: StaticAccountOrder[] = []
const virtualAccounts = {
  ...simulator.virtualAccounts,
  createStatic(order: StaticAccountOrder) {
    told.push(order)
    return simulator.virtualAccounts.createStatic(order)
  },
}
const secretKey = randomBytes(32)
const service = await useService({
  clock,
  secretKey,
  settings: { LOG_LEVEL: 'trace' },
  rails: { staging: [{ ...simulator, virtualAccounts }] },
})
const { staging: client, database } = service

const bvn = '22212345678'
const other = '11198765432'

/** Every column of every row of every table, as in a dump of the database. */
async function everythingAtRest(): Promise<string> {
  const tables = await asOwner<{ name: string }>(
    database,
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  )
  const texts = await Promise.all(
    tables.map(({ name }) => asOwner<{ row: string }>(database, `select t::text as row from ${name} t`)),
  )
  const rows = texts.flat().map(({ row }) => row)
  // Each bytea is added once more as the text that its bytes may spell.
  return rows.flatMap((row) => [row, ...bytesIn(row)]).join('\n')
}

function bytesIn(row: string): string[] {
  return [...row.matchAll(/\\x([0-9a-f]+)/g)].map(([, digits = '']) => Buffer.from(digits, 'hex').toString('latin1'))
}

async function bvnToldFor(customerReference: string): Promise<string | null | undefined> {
  const { accountNumber } = expectSuccess(await client.post('/v1/virtual-accounts/static', { customerReference }))
  expectSuccess(await client.delete(`/v1/virtual-accounts/${accountNumber}`))
  return told.at(-1)?.customer.bvn
}

describe('a BVN', () => {
  it('is in no table and no line of the log in a readable form', async () => {
    const { reference } = await newCustomer(client, { bvn })
    expectSuccess(await client.patch(`/v1/customers/${reference}`, { bvn: other }))
    await newCustomer(client, { bvn })
    expect(await bvnToldFor(reference)).toBe(other)
    const atRest = await everythingAtRest()
    // The search works: it finds a text that is no secret.
    expect(atRest).toContain(reference)
    const logged = service.lines.join('')
    for (const digits of [bvn, other]) {
      for (const form of [digits, Buffer.from(digits).toString('hex'), Buffer.from(digits).toString('base64')]) {
        expect(atRest).not.toContain(form)
        expect(logged).not.toContain(form)
      }
    }
  })

  it('of two customers with the same BVN looks different', async () => {
    const references = [await newCustomer(client, { bvn }), await newCustomer(client, { bvn })].map(
      (customer) => customer.reference as string,
    )
    const rows = await asOwner<{ bvn: Buffer }>(database, 'select bvn from customer where reference = any($1)', [
      references,
    ])
    expect(new Set(rows.map((row) => row.bvn.toString('hex'))).size).toBe(2)
  })

  it('moved to the row of another customer does not open', async () => {
    const [victim, thief] = [await newCustomer(client, { bvn }), await newCustomer(client, { bvn: other })]
    await asOwner(
      database,
      `update customer t set bvn = v.bvn from customer v
        where (v.lane, v.tenant_id) = (t.lane, t.tenant_id) and v.reference = $1 and t.reference = $2`,
      [victim.reference, thief.reference],
    )
    const answer = await client.post('/v1/virtual-accounts/static', { customerReference: thief.reference })
    expectError(answer, 500, 'INTERNAL_ERROR')
    expect(service.lines.join('')).not.toContain(bvn)
  })

  it('is shown by no answer, and no correction of something else loses it', async () => {
    const { reference } = await newCustomer(client, { bvn })
    const path = `/v1/customers/${reference}`
    const corrections = [{}, { firstName: 'Ngozi' }, { metadata: null }, { email: null, phoneNumber: null }]
    for (const body of corrections) {
      const answer = await client.patch(path, body)
      expect(expectSuccess(answer)).not.toHaveProperty('bvn')
      expect(answer.text).not.toContain(bvn)
      expect(await bvnToldFor(reference)).toBe(bvn)
    }
    for (const answer of [await client.get(path), await client.get('/v1/customers')]) {
      expectSuccess(answer)
      expect(answer.text).not.toContain(bvn)
      expect(answer.text).not.toContain('"bvn"')
    }
  })

  it('is kept when another correction runs at the same time, and gone when it is set to null', async () => {
    const { reference } = await newCustomer(client)
    const path = `/v1/customers/${reference}`
    await Promise.all([{ firstName: 'Ngozi' }, { bvn }, { lastName: 'Bello' }].map((body) => client.patch(path, body)))
    expect(await bvnToldFor(reference)).toBe(bvn)
    expectSuccess(await client.patch(path, { bvn: null }))
    expect(await bvnToldFor(reference)).toBeNull()
  })

  it('that is invalid is not repeated in the error', async () => {
    const answer = await client.patch(`/v1/customers/${(await newCustomer(client)).reference}`, { bvn: '2221234567' })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.text).not.toContain('2221234567')
  })
})
