// Many payments at once in a full lane: the lane refuses them like single ones, except the rest of a request that it
// has begun.

import { expect, it } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import type { Operation } from '#platform/db/lane.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, startProcess } from './process.ts'

const database = await useTestDatabase()

it('are refused unless they belong to a request that has begun', async () => {
  const clock = createFakeClock()
  const process = startProcess({
    database,
    clock,
    rail: createScriptedPayout(clock),
    leasesNew: false,
    // A lane in which there is no room for bulks.
    laneOf:
      ({ of }) =>
      (number) => {
        const lane = of(number)
        const submitAll = <C, O>(operation: Operation<C, O>, commands: C[], goesOn?: boolean): Promise<O>[] =>
          goesOn === true
            ? lane.submitAll(operation, commands, goesOn)
            : commands.map(() => Promise.reject(new Unavailable('Too many requests are waiting.')))
        return { ...lane, submitAll }
      },
  })
  const tenant = await createTenant(process)
  const requests = [requestOf(), requestOf()]
  await expect(process.payments.initiateMany(tenant, requests)).rejects.toThrow(Unavailable)
  const outcomes = await process.payments.initiateMany(tenant, requests, { keyId: null }, true)
  expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted'])
})
