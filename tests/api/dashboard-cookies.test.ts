// The cookies of a user: what a thief, a script and another site can learn from them, and that only users who have
// signed in get one.

import { describe, expect, it } from 'vitest'
import { makeWelcomeLink } from '#users/links.ts'
import { goodPassword } from '#tests/users/room.ts'
import { createClient, expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { pageHeaders } from '#tests/support/dashboard.ts'
import { startService, useService, type TestService } from '#tests/support/service.ts'

const service = await useService({ roles: ['api'] })
const port = new URL(service.url).port
const here = `localhost:${port}`
const email = 'ada@example.com'

type Sending = { host?: string; body?: unknown; cookie?: string }

function ask(of: TestService, path: string, { host = here, body, cookie }: Sending = {}): Promise<Answer> {
  const headers = { ...pageHeaders, Host: host, ...(cookie === undefined ? {} : { Cookie: cookie }) }
  return createClient(of.url).call(path, { headers, ...(body === undefined ? {} : { method: 'POST', body }) })
}

const cookiesOf = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat()

async function beFirst(of: TestService, sending: Sending = {}): Promise<Answer> {
  const body = { token: await makeWelcomeLink(of.ctx), name: 'Ada Obi', email, password: goodPassword }
  const answer = await ask(of, '/dashboard/api/links/welcome', { ...sending, body })
  expectSuccess(answer)
  return answer
}

const signIn = (password: string, sending: Sending = {}): Promise<Answer> =>
  ask(service, '/dashboard/api/sign-in', { ...sending, body: { email, password } })

describe('a cookie', () => {
  it('cannot be read by scripts, is not sent to other sites, and on this machine has the port in its name', async () => {
    const given = cookiesOf(await beFirst(service)).map((line) => line.replace(/=[\w-]{43};/, '=TOKEN;'))
    const attributes = (seconds: number): string => `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
    expect(given).toEqual([
      `manilla-${port}=TOKEN; ${attributes(604_800)}`,
      `manilla-${port}-device=TOKEN; ${attributes(7_776_000)}`,
    ])
  })

  it('is bound to its host and to https where the dashboard has a name', async () => {
    const host = 'pay.example.com'
    const named = await startService({ roles: ['api'], settings: { DASHBOARD_URL: `https://${host}` } })
    const given = cookiesOf(await beFirst(named, { host }))
    expect(given).toHaveLength(2)
    for (const line of given) {
      expect(line).toMatch(
        /^__Host-manilla(-device)?=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
      )
    }
    // The service accepts no cookie under a name that another page of this machine could set.
    const token = /=([\w-]{43})/.exec(given[0] ?? '')?.[1] ?? ''
    const me = (name: string): Promise<Answer> => ask(named, '/dashboard/api/me', { host, cookie: `${name}=${token}` })
    expectSuccess(await me('__Host-manilla'))
    for (const name of ['manilla-443', 'manilla', `manilla-${port}`]) {
      expectError(await me(name), 401, 'UNAUTHORIZED')
    }
    await named.stop()
  })

  it('is set only for people who have signed in', async () => {
    const answers = [
      await ask(service, '/dashboard'),
      await ask(service, '/dashboard/api/me'),
      await signIn('not the password of Ada'),
      await ask(service, '/dashboard/api/links/look', { body: { token: 'A'.repeat(43) } }),
    ]
    expect(answers.map(cookiesOf)).toEqual([[], [], [], []])
  })

  it('that an attacker set before the sign-in is replaced by the sign-in', async () => {
    const planted = `manilla-${port}=${'A'.repeat(43)}`
    const answer = await signIn(goodPassword, { cookie: planted })
    expectSuccess(answer)
    expect(cookiesOf(answer)[0]).toMatch(/^manilla-\d+=[\w-]{43}; /)
    expect(cookiesOf(answer)[0]).not.toContain(planted)
    expectError(await ask(service, '/dashboard/api/me', { cookie: planted }), 401, 'UNAUTHORIZED')
  })

  it('is taken back at the end, and opens nothing from then on', async () => {
    const [pair = ''] = (cookiesOf(await signIn(goodPassword))[0] ?? '').split(';')
    const out = await ask(service, '/dashboard/api/sign-out', { cookie: pair, body: {} })
    expectSuccess(out)
    expect(cookiesOf(out)).toEqual([`manilla-${port}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`])
    expectError(await ask(service, '/dashboard/api/me', { cookie: pair }), 401, 'UNAUTHORIZED')
  })
})
