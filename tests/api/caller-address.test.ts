// The address that the service takes for a caller's, shown by whose quota its requests use up.

import { afterEach, describe, expect, it } from 'vitest'
import type { Answer } from '#tests/support/client.ts'
import { startFrontDoor, type FrontDoor } from '#tests/support/front-door.ts'

const perAddress = 2
const doors: FrontDoor[] = []
afterEach(() => Promise.all(doors.splice(0).map((door) => door.stop())))

async function openDoor(trustedProxies: string): Promise<FrontDoor> {
  const settings = { RATE_LIMIT_ANONYMOUS_PER_MINUTE: String(perAddress), TRUSTED_PROXIES: trustedProxies }
  const door = await startFrontDoor({ settings })
  doors.push(door)
  return door
}

function ask(door: FrontDoor, forwardedFor: string): Promise<Answer> {
  return door.stranger.call('/staging/v1/notes', { headers: { 'X-Forwarded-For': forwardedFor } })
}

/** Uses up the quota of `first`, and returns whether `second` is refused because of it. */
async function areOne(door: FrontDoor, first: string, second: string): Promise<boolean> {
  for (let asked = 0; asked <= perAddress; asked++) await ask(door, first)
  expect((await ask(door, first)).status).toBe(429)
  return (await ask(door, second)).status === 429
}

describe('behind a proxy that is trusted', () => {
  it('the requests of one stranger use up only that stranger’s quota', async () => {
    const door = await openDoor('127.0.0.1')
    expect(await areOne(door, '198.51.100.1', '198.51.100.2')).toBe(false)
    expect((await door.stranger.get('/staging/v1/notes')).status).toBe(401)
  })

  it.each([
    ['what it made up itself', '203.0.113.9, 198.51.100.1', '203.0.113.10, 198.51.100.1'],
    ['what it made up, though that names a trusted one', '10.0.0.9, 198.51.100.1', '10.0.0.10, 198.51.100.1'],
    ['what is no address', 'nonsense, 198.51.100.1', '198.51.100.1'],
    ['a second proxy', '198.51.100.1', '198.51.100.1, 10.0.0.7'],
    ['its port', '198.51.100.1:4711', '198.51.100.1'],
    ['its port in IPv6', '[2001:db8::1]:4711', '2001:db8::1'],
    ['another address of its network in IPv6', '2001:db8::1', '2001:db8::2'],
    ['the form in which IPv6 writes IPv4', '::ffff:198.51.100.1', '198.51.100.1'],
  ])('a caller is the same whatever stands beside it: %s', async (_what, first, second) => {
    expect(await areOne(await openDoor('127.0.0.0/8,10.0.0.0/8'), first, second)).toBe(true)
  })

  it('that does not know its caller, the proxy is the caller', async () => {
    const door = await openDoor('127.0.0.0/8,10.0.0.0/8')
    expect(await areOne(door, '198.51.100.1, unknown', '127.0.0.1')).toBe(true)
    expect(await areOne(door, '198.51.100.1, unknown, 10.0.0.7', '10.0.0.7')).toBe(true)
  })
})

it('without the setting, the server ignores what a caller says about its address', async () => {
  expect(await areOne(await openDoor(''), '198.51.100.1', '198.51.100.2')).toBe(true)
})

it('the server does not trust addresses from a caller that is no trusted proxy', async () => {
  expect(await areOne(await openDoor('10.0.0.0/8'), '198.51.100.1', '198.51.100.2')).toBe(true)
})
