// Sign-in, links, factors and the team through the dashboard's endpoints, as a browser uses them. tests/users/ tests
// the rules themselves.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { makeWelcomeLink } from '#users/links.ts'
import { codeAt } from '#users/factor-codes.ts'
import { openBrowser, type Browser } from '#tests/users/browser.ts'
import { bytesOf, goodPassword } from '#tests/users/room.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { useService } from '#tests/support/service.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })
const ada = openBrowser(service)
let secret: Buffer
let recoveryCodes: string[] = []

const codeNow = (): string => {
  clock.advance(30_000) // Each code counts once.
  return codeAt(secret, Math.floor(clock.now() / 30_000))
}
const email = 'ada@example.com'
const team = below(service)

async function stepUp(browser: Browser): Promise<void> {
  expectSuccess(await browser.post('/step-up', { code: codeNow() }))
}

const tokenOf = (link: string): string => new URL(link).hash.slice(1)

describe('the first person', () => {
  it('uses the link of the first start once, and is signed in as operator and owner', async () => {
    const token = (await makeWelcomeLink(service.ctx)) ?? ''
    const stranger = openBrowser(service)
    expect(expectSuccess(await stranger.post('/links/look', { token }))).toMatchObject({ kind: 'welcome', email: null })
    const given = { token, name: 'Ada Obi', email: 'Ada@Example.com' }
    expectError(await ada.post('/links/welcome', { ...given, password: 'short' }), 400, 'VALIDATION_ERROR')
    expect(expectSuccess(await ada.post('/links/welcome', { ...given, password: goodPassword }))).toEqual({
      next: null,
    })
    expectError(await stranger.post('/links/welcome', { ...given, password: goodPassword }), 404, 'NOT_FOUND')
    expect(expectSuccess(await ada.get('/me'))).toEqual({
      person: {
        id: expect.stringMatching(/^per_/),
        name: 'Ada Obi',
        email,
        hasSecondFactor: false,
        hasApp: false,
        hasPasskey: false,
        recoveryCodesLeft: 0,
        isOperator: true,
      },
      signIn: { id: expect.stringMatching(/^sgn_/), steppedUpUntil: null },
      businesses: [
        {
          id: formatId('business', service.business.id),
          name: 'Test Business',
          timeZone: 'Africa/Lagos',
          role: 'owner',
          isFactorCompulsory: false,
          permissions: {
            staging: expect.arrayContaining(['people.manage']),
            production: expect.arrayContaining(['go-live']),
          },
          stepUp: { staging: [], production: expect.arrayContaining(['people.manage']) },
        },
      ],
      version: '0.2.0',
    })
  })

  it('needs a second factor in production, and sets one up', async () => {
    expectError(
      await ada.post(`${team}/invitations`, { email: 'ben@example.com', role: 'viewer' }),
      403,
      'SECOND_FACTOR_REQUIRED',
    )
    clock.advance(600_000)
    const late = await ada.post('/factors/totp/begin')
    expectError(late, 400, 'VALIDATION_ERROR')
    expectError(await ada.post('/factors/totp/begin', { password: 'not the right one' }), 400, 'VALIDATION_ERROR')
    const begun = expectSuccess(await ada.post('/factors/totp/begin', { password: goodPassword })) as {
      secret: string
      uri: string
    }
    expect(begun.uri).toContain(begun.secret)
    secret = bytesOf(begun.secret)
    expectError(await ada.post('/factors/totp/confirm', { code: '000000' }), 400, 'VALIDATION_ERROR')
    const confirmed = expectSuccess(await ada.post('/factors/totp/confirm', { code: codeNow() })) as {
      recoveryCodes: string[]
    }
    recoveryCodes = confirmed.recoveryCodes
    expect(recoveryCodes).toHaveLength(10)
    expectError(await ada.post('/factors/totp/confirm', { code: codeNow() }), 409, 'CONFLICT')
    expectError(await ada.post('/factors/totp/begin', { password: goodPassword }), 409, 'CONFLICT')
    expect(expectSuccess(await ada.get('/me'))).toMatchObject({
      person: { hasSecondFactor: true, recoveryCodesLeft: 10 },
      signIn: { steppedUpUntil: expect.any(String) },
    })
  })
})

describe('signing in', () => {
  it('needs password and code, and accepts each code and each recovery code only once', async () => {
    const browser = openBrowser(service)
    expectError(await browser.post('/sign-in', { email, password: 'not the right one' }), 401, 'UNAUTHORIZED')
    expect(browser.cookies.size).toBe(0)
    expect(expectSuccess(await browser.post('/sign-in', { email, password: goodPassword }))).toEqual({ next: 'code' })
    expectError(await browser.get('/me'), 401, 'UNAUTHORIZED')
    expectError(await browser.post('/sign-in/code', { code: '000000' }), 400, 'VALIDATION_ERROR')
    expect(expectSuccess(await browser.post('/sign-in/code', { code: codeNow() }))).toEqual({ next: null })
    expectError(await browser.post('/sign-in/code', { code: codeNow() }), 409, 'CONFLICT')
    expect([...browser.cookies.keys()].toSorted()).toEqual([
      `manilla-${new URL(service.url).port}`,
      `manilla-${new URL(service.url).port}-device`,
    ])
    const other = openBrowser(service)
    await other.post('/sign-in', { email, password: goodPassword })
    expectSuccess(await other.post('/sign-in/code', { code: recoveryCodes[0] }))
    const { signIns } = expectSuccess(await other.get('/sign-ins')) as { signIns: { id: string; isThis: boolean }[] }
    expect(signIns.map(({ isThis }) => isThis).toSorted()).toEqual([false, false, true])
    const mine = signIns.find(({ isThis }) => isThis)
    expectSuccess(await other.delete(`/sign-ins/${mine?.id}`))
    expect(other.cookies.size).toBe(1)
    expectError(await other.get('/me'), 401, 'UNAUTHORIZED')
    expectError(await browser.delete(`/sign-ins/${mine?.id}`), 404, 'NOT_FOUND')
    expectSuccess(await browser.post('/sign-out'))
    expectError(await browser.get('/me'), 401, 'UNAUTHORIZED')
    expectSuccess(await ada.get('/me'))
  })

  it('ends after five wrong codes, with the password due again', async () => {
    const browser = openBrowser(service)
    await browser.post('/sign-in', { email, password: goodPassword })
    for (let attempt = 0; attempt < 4; attempt++)
      expectError(await browser.post('/sign-in/code', { code: '000000' }), 400, 'VALIDATION_ERROR')
    expectError(await browser.post('/sign-in/code', { code: '000000' }), 401, 'UNAUTHORIZED')
    expectError(await browser.post('/sign-in/code', { code: codeNow() }), 401, 'UNAUTHORIZED')
  })

  it('answers 429 RATE_LIMIT_EXCEEDED to a guesser, with the time to wait', async () => {
    const browser = openBrowser(service)
    const answers = []
    for (let attempt = 0; attempt < 6; attempt++)
      answers.push(await browser.post('/sign-in', { email: 'nobody@example.com', password: 'guess' }))
    const last = answers.at(-1)
    if (last === undefined) throw new Error('nothing was answered')
    expectError(last, 429, 'RATE_LIMIT_EXCEEDED')
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    clock.advance(900_000)
  })
})

describe('the team', () => {
  it('grows by invitation: the link is shown once and makes an account of that address', async () => {
    await stepUp(ada)
    const made = expectSuccess(await ada.post(`${team}/invitations`, { email: 'Ben@Example.com', role: 'admin' })) as {
      link: string
      id: string
    }
    expect(made).toMatchObject({ email: 'ben@example.com', role: 'admin' })
    expect(made.link).toMatch(/^http:\/\/localhost:\d+\/dashboard\/invitation#[\w-]{43}$/)
    const ben = openBrowser(service)
    const token = tokenOf(made.link)
    expect(expectSuccess(await ben.post('/links/look', { token }))).toEqual({
      kind: 'invitation',
      email: 'ben@example.com',
      businessName: 'Test Business',
      role: 'admin',
      hasAccount: null,
    })
    expectError(await ben.post('/links/invitation', { token }), 400, 'VALIDATION_ERROR')
    expect(expectSuccess(await ben.post('/links/invitation', { token, name: 'Ben', password: goodPassword }))).toEqual({
      next: null,
    })
    const { people, invitations } = expectSuccess(await ben.get(`${team}/people`)) as Record<
      string,
      { email: string; isYou: boolean }[]
    >
    expect(people?.map((one) => [one.email, one.isYou])).toEqual([
      [email, false],
      ['ben@example.com', true],
    ])
    expect(invitations).toEqual([])
    expectError(await ada.post(`${team}/invitations`, { email: 'ben@example.com', role: 'viewer' }), 409, 'CONFLICT')
  })

  it('is changed by members with the right, after a step-up, and never by themselves', async () => {
    const { people } = expectSuccess(await ada.get(`${team}/people`)) as { people: { id: string; email: string }[] }
    const [me = '', ben = ''] = [email, 'ben@example.com'].map(
      (address) => people.find((one) => one.email === address)?.id,
    )
    clock.advance(600_000)
    expectError(await ada.patch(`${team}/people/${ben}`, { role: 'viewer' }), 403, 'STEP_UP_REQUIRED')
    await stepUp(ada)
    expectError(await ada.patch(`${team}/people/${me}`, { role: 'viewer' }), 403, 'FORBIDDEN')
    expectError(await ada.patch(`${team}/people/nobody`, { role: 'viewer' }), 404, 'NOT_FOUND')
    expect(expectSuccess(await ada.patch(`${team}/people/${ben}`, { role: 'viewer' }))).toMatchObject({
      id: ben,
      role: 'viewer',
      isYou: false,
    })
    const reset = expectSuccess(await ada.post(`${team}/people/${ben}/reset-link`)) as { link: string }
    const there = openBrowser(service)
    expectSuccess(await there.post('/links/reset', { token: tokenOf(reset.link), password: 'another sentence' }))
    expectSuccess(await there.get('/me'))
    expectSuccess(await ada.delete(`${team}/people/${ben}`))
    expectError(await there.get('/me'), 401, 'UNAUTHORIZED')
    expectError(await ada.delete(`${team}/people/${ben}`), 404, 'NOT_FOUND')
    expectError(await ada.post(`${team}/people/${ben}/reset-link`), 404, 'NOT_FOUND')
  })

  it('shows invitations to members who may invite, and lets them withdraw one', async () => {
    await stepUp(ada)
    const made = expectSuccess(await ada.post(`${team}/invitations`, { email: 'cy@example.com', role: 'viewer' })) as {
      id: string
    }
    const viewer = await addPerson(service, { role: 'viewer' })
    expect(expectSuccess(await viewer.get(`${team}/people`))).toMatchObject({ invitations: [] })
    expect(expectSuccess(await ada.get(`${team}/people`))).toMatchObject({
      invitations: [{ id: made.id, email: 'cy@example.com', role: 'viewer', invitedBy: 'Ada Obi' }],
    })
    expectSuccess(await ada.delete(`${team}/invitations/${made.id}`))
    expectError(await ada.delete(`${team}/invitations/${made.id}`), 404, 'NOT_FOUND')
  })

  it('shows what each role may do, from the table by which the door judges', async () => {
    const { roles, permissions } = expectSuccess(await ada.get(`${team}/roles`)) as {
      roles: string[]
      permissions: Record<string, unknown>[]
    }
    expect(roles).toEqual(['owner', 'admin', 'developer', 'finance', 'support', 'viewer'])
    expect(permissions.find(({ name }) => name === 'simulator')).toMatchObject({
      staging: { owner: 'yes', viewer: 'no' },
      production: { owner: 'no', viewer: 'no' },
    })
  })

  it('is invisible to other businesses: their people find no such business', async () => {
    const other = await createBusiness(service.ctx, 'Other')
    expectError(await ada.get(`/b/${formatId('business', other.id)}/people`), 404, 'NOT_FOUND')
  })
})

describe('a person', () => {
  it('changes name and password, and their second factor with a step up', async () => {
    expect(expectSuccess(await ada.patch('/me', { name: '  Ada Obi-Eze ' }))).toMatchObject({ name: 'Ada Obi-Eze' })
    expectError(await ada.patch('/me', { name: ' ' }), 400, 'VALIDATION_ERROR')
    expectError(
      await ada.post('/password', { current: 'not the right one', next: 'another sentence' }),
      400,
      'VALIDATION_ERROR',
    )
    expectError(await ada.post('/password', { current: goodPassword, next: 'short' }), 400, 'VALIDATION_ERROR')
    expectSuccess(await ada.post('/password', { current: goodPassword, next: 'another sentence' }))
    expectError(await ada.delete('/factors/totp'), 403, 'STEP_UP_REQUIRED')
    expectError(await ada.post('/step-up', { code: '000000' }), 400, 'VALIDATION_ERROR')
    await stepUp(ada)
    expect(expectSuccess(await ada.post('/factors/recovery-codes'))).toEqual({ recoveryCodes: expect.any(Array) })
    expectSuccess(await ada.delete('/factors/totp'))
    expect(expectSuccess(await ada.get('/me'))).toMatchObject({
      person: { hasSecondFactor: false, recoveryCodesLeft: 0 },
    })
    expectError(await ada.post('/step-up', { code: '000000' }), 403, 'SECOND_FACTOR_REQUIRED')
    expectSuccess(await ada.post('/sign-out/everywhere'))
    expectError(await ada.get('/me'), 401, 'UNAUTHORIZED')
  })
})
