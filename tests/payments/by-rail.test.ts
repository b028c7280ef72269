// Finds payments by the references of a provider's list, many of which may not be ours.

import { expect, it } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { acceptOperation } from '#payments/accept.ts'
import { findByRailReferences } from '#payments/rail-notice.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { commandFor, createTenant, requestOf, rowOf, startProcess } from './process.ts'

const database = await useTestDatabase()

it('payments are found by the references under which their rails know them, and what has another form is none', async () => {
  const process = startProcess({ database, clock: createFakeClock(), leasesNew: false })
  const { ctx, lanes } = process
  const tenant = await createTenant(process)
  const nameOf = async (reference: string): Promise<string> => {
    const command = commandFor(tenant, requestOf({ reference }), { isToldOf: true })
    await lanes.of(tenant.lane).submit(acceptOperation(ctx), command)
    return railReferenceOf((await rowOf(database, reference)).id as Uuid)
  }
  const [one, other] = [await nameOf('ONE'), await nameOf('OTHER')]
  const find = async (...references: string[]) =>
    [...(await findByRailReferences(ctx, [tenant.lane], references))].map(([name, found]) => {
      return [name, found.payment.reference, found.environment]
    })
  expect(await find(one, "'; no reference of ours")).toEqual([[one, 'ONE', 'production']])
  expect(await find(one, other, one)).toHaveLength(2)
  expect(await find('no reference of ours')).toEqual([])
})

it('a list without any of our references causes no query', async () => {
  const nobody = { query: () => Promise.reject(new Error('it was asked')) } as unknown as Db
  expect(await findByRailReferences({ db: nobody }, [1], ['none of ours', ''])).toEqual(new Map())
})
