// Only failed authentications are recorded in the audit log.

import { expect, it } from 'vitest'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'

const door = await useFrontDoor()

const ask = (authorization?: string) =>
  door.stranger.call('/staging/v1/notes', {
    headers: { 'X-Request-ID': 'asked', ...(authorization === undefined ? {} : { Authorization: authorization }) },
  })

it('record network, reason and request, and never the sent values', async () => {
  expectError(await ask(), 401, 'UNAUTHORIZED')
  expectError(await ask('Basic secret'), 401, 'UNAUTHORIZED')
  expectError(await ask(`Bearer sk_test_${'x'.repeat(40)}`), 401, 'UNAUTHORIZED')
  expectError(await ask(`Bearer sk_live_${'x'.repeat(40)}`), 401, 'UNAUTHORIZED')
  const noted = { network: '127.0.0.1', requestId: 'asked' }
  expect(door.refused).toEqual([
    { ...noted, reason: 'no-key' },
    { ...noted, reason: 'malformed' },
    { ...noted, reason: 'unknown-key' },
    { ...noted, reason: 'other-environment' },
  ])
})

it('notes nothing of an answer', async () => {
  const before = door.refused.length
  expectSuccess(await door.staging.get('/v1/notes'))
  expect(door.refused).toHaveLength(before)
})
