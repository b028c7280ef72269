// The token of Monnify's calls: how long one counts, and when the next login follows.

import { expect, it } from 'vitest'
import { minuteMs } from '#platform/durations.ts'
import { createTokens } from '#rails/monnify/call.ts'
import { createFakeClock } from '#tests/support/clock.ts'

const loginMs = 5_000

/** Each login takes `loginMs`, and its token counts for an hour. */
function newTokens() {
  const clock = createFakeClock()
  let logins = 0
  const logIn = () => {
    clock.advance(loginMs)
    const body = { responseBody: { accessToken: `token-${++logins}`, expiresIn: 3_600 } }
    return Promise.resolve({ kind: 'answered' as const, status: 200, body })
  }
  const misconfigured = () => ({ kind: 'unknown' as const, detail: 'refused' })
  return { clock, tokens: createTokens({ clock, logIn, apiKey: 'key', secretKey: 'secret', misconfigured }) }
}

it('keeps a new token when a call that was slow is refused with the old one', async () => {
  const { tokens } = newTokens()
  await tokens.current()
  tokens.refused('token-1')
  await tokens.current()
  tokens.refused('token-1')
  expect(await tokens.current()).toEqual({ kind: 'token', token: 'token-2' })
})

it('logs in again a minute before the token ends, counted from the login, also if the clock is set back', async () => {
  const { clock, tokens } = newTokens()
  await tokens.current()
  clock.set(-60 * minuteMs)
  clock.advance(59 * minuteMs - loginMs - 1)
  expect(await tokens.current()).toMatchObject({ token: 'token-1' })
  clock.advance(1)
  expect(await tokens.current()).toMatchObject({ token: 'token-2' })
})
