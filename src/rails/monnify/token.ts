// Monnify's calls are made with a token, for which one logs in about once an hour. However many calls need one at once, one
// login is made for them all.

import type { Clock } from '#base/clock.ts'
import { minuteMs } from '#base/durations.ts'
import type { Heard } from '#rails/call.ts'
import type { Unknown } from '#rails/rail.ts'
import { loginBody } from './answers.ts'

export type Tokens = {
  current(): Promise<{ kind: 'token'; token: string } | Unknown>
  /** Monnify did not take it: the next call logs in again, unless another call already has. */
  refused(token: string): void
}

export type TokenOptions = {
  clock: Clock
  logIn: (authorization: string) => Promise<Heard>
  apiKey: string
  secretKey: string
  /** What to answer when the keys themselves are refused. */
  misconfigured: (status: number) => Unknown
}

/** So that a token does not end on its way. */
const earlyMs = minuteMs

export function createTokens({ clock, logIn, apiKey, secretKey, misconfigured }: TokenOptions): Tokens {
  const authorization = `Basic ${Buffer.from(`${apiKey}:${secretKey}`).toString('base64')}`
  let held: { token: string; untilMs: number } | undefined
  let underWay: ReturnType<Tokens['current']> | undefined

  async function fetchToken(): ReturnType<Tokens['current']> {
    const heard = await logIn(authorization)
    // Whatever became of the login, nothing of what it was for was done.
    if (heard.kind === 'unknown') return { ...heard, sent: false }
    const { status, body } = heard
    if (status === 401 || status === 403) return misconfigured(status)
    const login = loginBody.safeParse(body['responseBody']).data
    if (status !== 200 || login === undefined)
      return { kind: 'unknown', detail: `login: answered ${status} without a token`, sent: false }
    held = { token: login.accessToken, untilMs: clock.now() + login.expiresIn * 1_000 - earlyMs }
    return { kind: 'token', token: login.accessToken }
  }

  return {
    current() {
      if (held !== undefined && clock.now() < held.untilMs) return Promise.resolve({ kind: 'token', token: held.token })
      underWay ??= fetchToken().finally(() => {
        underWay = undefined
      })
      return underWay
    },
    refused(token) {
      if (held?.token === token) held = undefined
    },
  }
}
