// Exporting more than 10,000 rows from production needs a recent second factor. Filters are as long as the audit log can
// store.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { parseCsv } from '#tests/support/csv.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ roles: ['api'] })
const owner = await addPerson(service, { role: 'owner' })
const ask = async (answer: Promise<Answer>) => expectSuccess(await answer)

describe('an export of production with more than 10,000 rows', () => {
  const path = `${below(service, 'production')}/export/customers.csv?columns=reference`
  const { lane, id } = service.business.tenants.production
  const add = (from: number, to: number) =>
    asOwner(
      service.database,
      `insert into customer (lane, tenant_id, reference, id, ordinal, first_name, last_name, status, created_at, updated_at)
       select ${lane}, '${id}', 'MANY-' || n, gen_random_uuid(), n, 'Ada', 'Obi', 'ACTIVE', now(), now()
         from generate_series(${from}, ${to}) as n`,
    )
  const exportsOf = async () => (await ask(owner.get(`${below(service)}/audit?act=data.exported`))).entries.length

  it('asks for the second factor of a moment ago, and 10,000 do not', async () => {
    const strong = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
    await add(1, 10_000)
    expect(parseCsv((await owner.get(path)).text)).toHaveLength(10_001)
    await add(10_001, 10_001)
    const before = await exportsOf()
    const weak = await addPerson(service, { role: 'owner', hasFactor: true })
    for (const query of [path, `${path}&check=1`]) {
      expectError(await weak.get(query), 403, 'STEP_UP_REQUIRED')
      expectError(await owner.get(query), 403, 'SECOND_FACTOR_REQUIRED')
    }
    // The check comes before the download: it says how many rows there are and writes no audit entry.
    expect(await ask(strong.get(`${path}&check=1`))).toEqual({ rows: 10_001 })
    expect(await exportsOf()).toBe(before)
    expect(parseCsv((await strong.get(path)).text)).toHaveLength(10_002)
    expect(await exportsOf()).toBe(before + 1)
  })
})

it.each(['accountNumber', 'customerReference'])('a %s that is too long for the audit log is refused', async (name) => {
  const path = `${below(service, 'staging')}/export/virtual-accounts.csv`
  const answer = await owner.get(`${path}?${name}=${'x'.repeat(5_000)}`)
  expectError(answer, 400, 'VALIDATION_ERROR', `${name} must have at most 100 characters`)
})

it('an XLSX file with metadata has at most 250,000 rows, because a larger one could exceed 4 GiB', async () => {
  const { lane, id } = service.business.tenants.staging
  await asOwner(
    service.database,
    `insert into customer (lane, tenant_id, reference, id, ordinal, first_name, last_name, status, created_at, updated_at)
     values (${lane}, '${id}', 'LAST', gen_random_uuid(), 250001, 'Ada', 'Obi', 'ACTIVE', now(), now())`,
  )
  const path = `${below(service, 'staging')}/export/customers`
  const message = 'An XLSX file with the column metadata can have 250000 rows and this export has 250001'
  expectError(await owner.get(`${path}.xlsx?check=1`), 400, 'VALIDATION_ERROR', message)
  expect(await ask(owner.get(`${path}.xlsx?check=1&columns=reference`))).toEqual({ rows: 250_001 })
  expect(await ask(owner.get(`${path}.csv?check=1`))).toEqual({ rows: 250_001 })
})
